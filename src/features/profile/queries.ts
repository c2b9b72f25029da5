import { keys } from '../../domain/keys.ts'
import { databaseQuery, presentRow } from '../../lib/backend/database-query.ts'
import { supabase } from '../../lib/backend/supabase.ts'

export const profileQuery = (person: string) =>
  databaseQuery(
    keys.profile(person),
    () => supabase.from('profiles').select('id, display_name, avatar_path').eq('id', person),
    (rows) => presentRow(rows[0]),
  )
