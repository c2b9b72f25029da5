import type { Client } from '../_shared/clients.ts'
import type { Cover } from '../_shared/extraction/cover.ts'

/** Seconds for which a browser may cache a cover. */
const DAY = '86400'

/** Stores a cover beside the other files of a version.
 *  @param folder `<library>/<document>/<anything>`.
 *  @returns its path, or null when it could not be stored: a document is as readable without a cover. */
export async function storeCover(
  folder: string,
  { bytes, mimeType, ending }: Cover,
  service: Client,
): Promise<string | null> {
  const path = `${folder}/cover.${ending}`
  const { error } = await service.storage
    .from('documents')
    .upload(path, new Blob([new Uint8Array(bytes)], { type: mimeType }), { cacheControl: DAY, upsert: true })
  if (error) console.warn(`upload ${path}: ${error.message}`)
  return error ? null : path
}
