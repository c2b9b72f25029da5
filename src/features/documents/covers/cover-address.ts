import { queryOptions } from '@tanstack/react-query'
import { keys } from '../../../domain/keys.ts'
import { supabase } from '../../../lib/backend/supabase.ts'
import { createBatchLoader } from '../../../lib/batch-loader.ts'

/** Seconds for which an address works, and milliseconds before its end from which on a new one is fetched. */
const VALID = 24 * 60 * 60
const RENEWED = 60 * 60_000
const MOST = 100

type Address = { readonly url: string; readonly until: number }

const load = createBatchLoader<Address>(async (paths) => {
  const until = Date.now() + VALID * 1000
  const { data, error } = await supabase.storage.from('documents').createSignedUrls(paths, VALID)
  if (error) throw error
  return new Map(data.flatMap(({ path, signedUrl }) => (path && signedUrl ? [[path, { url: signedUrl, until }]] : [])))
}, MOST)

/** The address of a cover, fetched together with those of the other covers on screen. It stays the same while it works, so that
 *  the browser's own cache has the picture, also without network. */
export const coverAddressQuery = (library: string, path: string) => {
  const queryKey = keys.cover(library, path)
  return queryOptions({
    queryKey,
    queryFn: ({ client }) => {
      const known = client.getQueryData<Address>(queryKey)
      return known && known.until > Date.now() + RENEWED ? known : load(path)
    },
    staleTime: VALID * 1000 - RENEWED,
    // Without it the shelf shows the title instead.
    retry: false,
  })
}
