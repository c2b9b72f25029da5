import { imageSize } from 'image-size'

/** A picture for a document's card, as it is stored. */
export type Cover = { readonly bytes: Uint8Array; readonly mimeType: string; readonly ending: string }

/** Bytes: also the limit in the database (`private.check_cover`). */
export const MOST_COVER_BYTES = 204_800
/** In pixels. Smaller pictures are icons or counters; larger ones, however few bytes they have, take much memory to show. */
const LEAST_SIDE = 100
const MOST_SIDE = 5000
const TYPES: Readonly<Record<string, string>> = { png: 'image/png', jpg: 'image/jpeg', webp: 'image/webp' }

/** Whether bytes are a picture that every browser shows and that a card can show as it is; its type is what the bytes say.
 *  @returns null when they are not. */
export function coverOf(bytes: Uint8Array | undefined): Cover | null {
  if (!bytes || bytes.length > MOST_COVER_BYTES) return null
  try {
    const { width, height, type = '' } = imageSize(bytes)
    const mimeType = TYPES[type]
    const isFit = Math.min(width, height) >= LEAST_SIDE && Math.max(width, height) <= MOST_SIDE
    return mimeType && isFit ? { bytes, mimeType, ending: type } : null
  } catch {
    // Not a picture, or a damaged one.
    return null
  }
}
