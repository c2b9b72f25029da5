import { keys } from '../../domain/keys.ts'
import { type DataOf, databaseQuery } from '../../lib/backend/database-query.ts'
import { signedAddresses } from '../../lib/backend/signed-address.ts'
import { supabase } from '../../lib/backend/supabase.ts'

export const recentQuery = databaseQuery(keys.recent, () => supabase.rpc('recent_documents'))
export type RecentDocument = DataOf<typeof recentQuery>[number]

const addressQuery = signedAddresses('documents')
export const coverQuery = (library: string, path: string) => addressQuery(keys.cover(library, path), path)
