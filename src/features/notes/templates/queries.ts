import { queryOptions } from '@tanstack/react-query'
import { keys } from '../../../domain/keys.ts'
import { presentRow } from '../../../lib/backend/missing-row-error.ts'
import { supabase } from '../../../lib/backend/supabase.ts'

/** More than anyone would browse. */
const MAX_TEMPLATES = 200

/** A library's templates by title, without texts; empty for guests. */
export const templatesQuery = (library: string) =>
  queryOptions({
    queryKey: keys.templates(library),
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('note_templates')
        .select('id, title')
        .eq('library_id', library)
        .order('title')
        .limit(MAX_TEMPLATES)
        .abortSignal(signal)
        .throwOnError()
      return data
    },
  })

/** A template with its text. @throws {MissingRowError} if it was deleted. */
export const templateQuery = (library: string, template: string) =>
  queryOptions({
    queryKey: [...keys.templates(library), template],
    // An editor must start from the saved text, never from a cached one.
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
