import { keys } from '../../domain/keys.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { defineMutation } from '../../lib/mutations.ts'

export type Senders = 'members' | 'everybody'

type OfAddress = { library: string; address: string }

/** @param collection Where its documents go; null for none. */
export const createMailAddress = defineMutation({
  mutationFn: ({ library, collection }: { library: string; collection: string | null }) =>
    supabase.rpc('create_mail_address', collection ? { library, collection } : { library }).throwOnError(),
  invalidates: ({ library }) => [keys.mailIn(library)],
})

export const changeMailAddress = defineMutation({
  mutationFn: ({
    address,
    change,
  }: OfAddress & { change: { collection_id?: string | null; senders?: Senders; enabled?: boolean } }) =>
    supabase.from('mail_addresses').update(change).eq('id', address).throwOnError(),
  invalidates: ({ library }) => [keys.mailIn(library)],
})

/** Replaces an address's secret; the old one stops working. */
export const replaceMailAddress = defineMutation({
  mutationFn: ({ address }: OfAddress) => supabase.rpc('replace_mail_address', { address }).throwOnError(),
  invalidates: ({ library }) => [keys.mailIn(library)],
})

export const endMailAddress = defineMutation({
  mutationFn: ({ address }: OfAddress) => supabase.from('mail_addresses').delete().eq('id', address).throwOnError(),
  invalidates: ({ library }) => [keys.mailIn(library)],
})
