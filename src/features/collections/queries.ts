import { keys } from '../../domain/keys.ts'
import { type DataOf, databaseQuery } from '../../lib/backend/database-query.ts'
import { supabase } from '../../lib/backend/supabase.ts'

export const collectionsQuery = (library: string) =>
  databaseQuery(keys.collections(library), () =>
    supabase
      .from('collections')
      .select('id, name, parent_id, sort_field_id, sort_descending')
      .eq('library_id', library)
      .order('position')
      .order('name'),
  )
export type CollectionRow = DataOf<typeof collectionsQuery>[number]

/** Collections that the caller may edit by a grant. Keyed under `members`, because grants change with them. */
export const editableCollectionsQuery = (library: string) =>
  databaseQuery([...keys.members(library), 'editable'], () => supabase.rpc('editable_collections', { library }))
