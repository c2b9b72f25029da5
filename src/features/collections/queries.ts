import { queryOptions } from '@tanstack/react-query'
import { keys } from '../../domain/keys.ts'
import { supabase } from '../../lib/backend/supabase.ts'

export const collectionsQuery = (library: string) =>
  queryOptions({
    queryKey: keys.collections(library),
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('collections')
        .select('id, name, parent_id, sort_field_id, sort_descending')
        .eq('library_id', library)
        .order('position')
        .order('name')
        .abortSignal(signal)
        .throwOnError()
      return data
    },
  })
export type CollectionRow = Awaited<ReturnType<NonNullable<ReturnType<typeof collectionsQuery>['queryFn']>>>[number]

/** Collections that the caller may edit by a grant. Keyed under `members`, because grants change with them. */
export const editableCollectionsQuery = (library: string) =>
  queryOptions({
    queryKey: [...keys.members(library), 'editable'],
    queryFn: async ({ signal }) => {
      const { data } = await supabase.rpc('editable_collections', { library }).abortSignal(signal).throwOnError()
      return data
    },
  })
