import { queryOptions } from '@tanstack/react-query'
import { keys } from '../../domain/keys.ts'
import { supabase } from '../../lib/backend/supabase.ts'

/** A library's API keys, newest first; empty for non-owners. */
export const apiKeysQuery = (library: string) =>
  queryOptions({
    queryKey: keys.apiKeys(library),
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('api_keys')
        .select(
          'id, name, scopes, ending, created_at, expires_at, last_used_at, revoked_at, author:profiles!api_keys_created_by_fkey(display_name)',
        )
        .eq('library_id', library)
        .order('created_at', { ascending: false })
        .abortSignal(signal)
        .throwOnError()
      return data
    },
  })
export type ApiKey = Awaited<ReturnType<NonNullable<ReturnType<typeof apiKeysQuery>['queryFn']>>>[number]
