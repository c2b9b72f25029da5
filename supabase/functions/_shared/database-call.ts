import type { SupabaseClient } from '@supabase/supabase-js'

/** Whether the caller is the database. @param key The header `x-indexing-key`, as it came with the request. */
export async function isDatabase(service: SupabaseClient, key: string | null): Promise<boolean> {
  return key !== null && (await service.rpc('is_indexing_call', { key }).throwOnError()).data === true
}
