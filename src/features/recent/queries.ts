import { queryOptions } from '@tanstack/react-query'
import { keys } from '../../domain/keys.ts'
import { signedAddresses } from '../../lib/backend/signed-address.ts'
import { supabase } from '../../lib/backend/supabase.ts'

export const recentQuery = queryOptions({
  queryKey: keys.recent,
  queryFn: async ({ signal }) => (await supabase.rpc('recent_documents').abortSignal(signal).throwOnError()).data,
})
export type RecentDocument = Awaited<ReturnType<NonNullable<(typeof recentQuery)['queryFn']>>>[number]

const addressQuery = signedAddresses('documents')
export const coverQuery = (library: string, path: string) => addressQuery(keys.cover(library, path), path)
