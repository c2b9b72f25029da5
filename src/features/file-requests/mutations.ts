import * as z from 'zod/mini'
import { keys } from '../../domain/keys.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { defineMutation } from '../../lib/mutations.ts'

const Made = z.object({ id: z.guid(), token: z.string() })

type NewRequest = {
  library: string
  collection: string
  title: string
  words: string
  expires_at: string
  most_files: number
  largest_bytes: number
  /** Empty for all types. */
  allowed_types: string[]
}
type OfRequest = { library: string; request: string }

/** @returns the link's token, which isn't stored. */
export const createFileRequest = defineMutation({
  mutationFn: async ({ allowed_types, ...wanted }: NewRequest) => {
    const kinds = allowed_types.length > 0 ? { allowed_types } : {}
    const { data } = await supabase.rpc('create_file_request', { ...wanted, ...kinds }).throwOnError()
    return z.parse(Made, data)
  },
  invalidates: ({ library }) => [keys.fileRequests(library)],
})

/** Creates a new link; the old one stops working. */
export const replaceFileRequest = defineMutation({
  mutationFn: async ({ request }: OfRequest) => {
    const { data } = await supabase.rpc('replace_file_request', { request }).throwOnError()
    return z.parse(Made, data)
  },
})

export const closeFileRequest = defineMutation({
  mutationFn: ({ request }: OfRequest) =>
    supabase.from('file_requests').update({ closed_at: new Date().toISOString() }).eq('id', request).throwOnError(),
  invalidates: ({ library }) => [keys.fileRequests(library)],
})

export const decideReceivedFiles = defineMutation({
  mutationFn: ({ files, state }: { library: string; files: string[]; state: 'taken' | 'discarded' }) =>
    supabase.from('received_files').update({ state }).in('id', files).throwOnError(),
  invalidates: ({ library }) => [keys.fileRequests(library), keys.documents(library)],
})
