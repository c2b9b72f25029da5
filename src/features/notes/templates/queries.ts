import { queryOptions } from '@tanstack/react-query'
import { keys } from '../../../domain/keys.ts'
import { presentRow } from '../../../lib/backend/missing-row-error.ts'
import { supabase } from '../../../lib/backend/supabase.ts'

/** More than a person reads through to choose one. */
const MOST = 200

/** The templates of a library by title, without their texts; none for guests. */
export const templatesQuery = (library: string) =>
  queryOptions({
    queryKey: keys.templates(library),
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('note_templates')
        .select('id, title')
        .eq('library_id', library)
        .order('title')
        .limit(MOST)
        .abortSignal(signal)
        .throwOnError()
      return data
    },
  })

/** One template with its text.
 *  @throws {MissingRowError} when it was deleted. */
export const templateQuery = (library: string, template: string) =>
  queryOptions({
    queryKey: [...keys.templates(library), template],
    // An editor begins with what the others have saved, and never with what was read earlier.
    gcTime: 0,
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('note_templates')
        .select('id, title, body, updated_at')
        .eq('id', template)
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError()
      return presentRow(data)
    },
  })
export type Template = Awaited<ReturnType<NonNullable<ReturnType<typeof templateQuery>['queryFn']>>>
