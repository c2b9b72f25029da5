import { keys } from '../../domain/keys.ts'
import { databaseQuery } from '../../lib/backend/database-query.ts'
import { supabase } from '../../lib/backend/supabase.ts'

export const profileQuery = (person: string) =>
  databaseQuery(keys.profile(person), (signal) =>
    supabase.from('profiles').select('id, display_name, avatar_path').eq('id', person).abortSignal(signal).single(),
  )
