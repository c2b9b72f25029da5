import { keys } from '../../domain/keys.ts'
import { type DataOf, databaseQuery } from '../../lib/backend/database-query.ts'
import { supabase } from '../../lib/backend/supabase.ts'

export const tagsQuery = (library: string) =>
  databaseQuery(keys.tags(library), () =>
    supabase.from('tags').select('id, name, color').eq('library_id', library).order('name'),
  )
export type Tag = DataOf<typeof tagsQuery>[number]
