import { type QueryKey, queryOptions } from '@tanstack/react-query'
import * as z from 'zod/mini'
import type { PictureQuery } from '../../domain/note-pictures.ts'
import { invoke } from '../../lib/backend/edge-functions.ts'
import type { Address } from '../../lib/backend/signed-address.ts'
import { createBatchLoader } from '../../lib/batch-loader.ts'

const SharedPictures = z.object({ pictures: z.array(z.object({ name: z.string(), url: z.url() })) })
/** The function's limit per request. */
const MAX_PICTURES = 100

/** Milliseconds for which signed addresses are valid. */
const VALID = 5 * 60_000

/** Returns queries for the pictures of a shared note, fetched in batches. */
export function sharedPictureQueries(token: string): PictureQuery {
  const load = createBatchLoader<Address>(async (names) => {
    const until = Date.now() + VALID
    const { pictures } = await invoke('shared-file', { token, pictures: names }, SharedPictures)
    return new Map(pictures.map(({ name, url }) => [name, { url, until }]))
  }, MAX_PICTURES)
  return (name) => {
    const queryKey: QueryKey = ['shared', token, 'picture', name]
    // Shown pictures stay.
    return queryOptions({ queryKey, queryFn: () => load(name), staleTime: Number.POSITIVE_INFINITY, retry: false })
  }
}
