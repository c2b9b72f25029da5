import { type QueryKey, queryOptions } from '@tanstack/react-query'
import { createBatchLoader } from '../batch-loader.ts'
import { supabase } from './supabase.ts'

/** Seconds for which an address works, and milliseconds before its end from which on a new one is fetched. */
const VALID = 24 * 60 * 60
const RENEWED = 60 * 60_000
const MOST = 100

/** @property until When the address stops working, in milliseconds since 1970. */
export type Address = { readonly url: string; readonly until: number }

/** Makes the queries for addresses of a private bucket's pictures, fetched together with those of the others on screen. An
 *  address stays the same while it works, so that the browser's own cache has the picture, also without network. */
export function signedAddresses(bucket: string) {
  const load = createBatchLoader<Address>(async (paths) => {
    const until = Date.now() + VALID * 1000
    const { data, error } = await supabase.storage.from(bucket).createSignedUrls(paths, VALID)
    if (error) throw error
    return new Map(
      data.flatMap(({ path, signedUrl }) => (path && signedUrl ? [[path, { url: signedUrl, until }]] : [])),
    )
  }, MOST)
  return (queryKey: QueryKey, path: string) =>
    queryOptions({
      queryKey,
      queryFn: ({ client }) => {
        const known = client.getQueryData<Address>(queryKey)
        return known && known.until > Date.now() + RENEWED ? known : load(path)
      },
      staleTime: VALID * 1000 - RENEWED,
      // Without it the words are in its place.
      retry: false,
    })
}
