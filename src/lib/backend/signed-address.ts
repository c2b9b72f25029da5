import { type QueryKey, queryOptions } from '@tanstack/react-query'
import { createBatchLoader } from '../batch-loader.ts'
import { supabase } from './supabase.ts'

/** Seconds of validity, and milliseconds before the end at which a new address is fetched. */
const VALID = 24 * 60 * 60
const RENEWED = 60 * 60_000
const MAX_ADDRESSES = 100

/** @property until When it expires, in Unix milliseconds. */
export type Address = { readonly url: string; readonly until: number }

/** Returns queries for signed addresses of pictures, batched with others on screen. An address is reused while valid,
 *  so that the browser's cache works, also offline. */
export function signedAddresses(bucket: string) {
  const load = createBatchLoader<Address>(async (paths) => {
    const until = Date.now() + VALID * 1000
    const { data, error } = await supabase.storage.from(bucket).createSignedUrls(paths, VALID)
    if (error) throw error
    return new Map(
      data.flatMap(({ path, signedUrl }) => (path && signedUrl ? [[path, { url: signedUrl, until }]] : [])),
    )
  }, MAX_ADDRESSES)
  return (queryKey: QueryKey, path: string) =>
    queryOptions({
      queryKey,
      queryFn: ({ client }) => {
        const cached = client.getQueryData<Address>(queryKey)
        return cached && cached.until > Date.now() + RENEWED ? cached : load(path)
      },
      staleTime: VALID * 1000 - RENEWED,
      // The description is shown instead.
      retry: false,
    })
}
