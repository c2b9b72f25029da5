import { queryOptions } from '@tanstack/react-query'
import { keys } from '../../domain/keys.ts'
import { supabase } from '../../lib/backend/supabase.ts'

/** The retention rules of a library, the library's own first; none for guests. */
export const rulesQuery = (library: string) =>
  queryOptions({
    queryKey: [...keys.retention(library), 'rules'],
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('retention_rules')
        .select(
          'id, collection_id, is_on, trash_after, trash_unit, basis, field_id, trash_days, keep_years, collection:collections(name), field:collection_fields(name)',
        )
        .eq('library_id', library)
        .order('collection_id', { nullsFirst: true })
        .abortSignal(signal)
        .throwOnError()
      return data
    },
  })
export type Rule = Awaited<ReturnType<NonNullable<ReturnType<typeof rulesQuery>['queryFn']>>>[number]

/** What a rule would move to the trash now and in the next thirty days, whether it is on or not: the first 200, each with the number
 *  of all. None for anybody but an owner. */
export const previewQuery = (library: string, rule: string) =>
  queryOptions({
    queryKey: [...keys.retention(library), 'preview', rule],
    queryFn: async ({ signal }) =>
      (await supabase.rpc('preview_retention', { rule }).abortSignal(signal).throwOnError()).data,
  })

/** The legal holds of a library on documents that the caller sees, newest first. */
export const holdsQuery = (library: string) =>
  queryOptions({
    queryKey: [...keys.retention(library), 'holds'],
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('legal_holds')
        .select('document_id, reason, placed_at, document:documents!inner(title), author:profiles(display_name)')
        .eq('library_id', library)
        .order('placed_at', { ascending: false })
        .abortSignal(signal)
        .throwOnError()
      return data
    },
  })
export type Hold = Awaited<ReturnType<NonNullable<ReturnType<typeof holdsQuery>['queryFn']>>>[number]
