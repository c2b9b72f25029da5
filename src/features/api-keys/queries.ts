import { keys } from '../../domain/keys.ts'
import { type DataOf, databaseQuery } from '../../lib/backend/database-query.ts'
import { supabase } from '../../lib/backend/supabase.ts'

/** A library's API keys, newest first; empty for non-owners. */
export const apiKeysQuery = (library: string) =>
  databaseQuery(keys.apiKeys(library), () =>
    supabase
      .from('api_keys')
      .select(
        'id, name, scopes, ending, created_at, expires_at, last_used_at, revoked_at, author:profiles!api_keys_created_by_fkey(display_name)',
      )
      .eq('library_id', library)
      .order('created_at', { ascending: false }),
  )
export type ApiKey = DataOf<typeof apiKeysQuery>[number]
