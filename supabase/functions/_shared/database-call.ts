import type { Client } from './clients.ts'

/** Whether the caller is the database. @param key The request's `x-indexing-key` header. */
export async function isDatabase(service: Client, key: string | null): Promise<boolean> {
  return key !== null && (await service.rpc('is_indexing_call', { key }).throwOnError()).data === true
}
