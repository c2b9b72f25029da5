import { imageSize } from 'image-size'

/** A picture for a document's card. */
export type Cover = { readonly bytes: Uint8Array; readonly mimeType: string; readonly ending: string }

/** Bytes. The database has the same limit (`private.check_cover`). */
export const MAX_COVER_BYTES = 204_800
/** Pixels. Smaller pictures are icons or tracking pixels; larger ones take a lot of memory to display, whatever their
 *  file size. */
const MIN_SIDE = 100
const MAX_SIDE = 5000
const TYPES: Readonly<Record<string, string>> = { png: 'image/png', jpg: 'image/jpeg', webp: 'image/webp' }

/** Returns the bytes as a cover if they are a picture that every browser can show, with the type detected from the
 *  bytes; null otherwise. */
export function coverOf(bytes: Uint8Array | undefined): Cover | null {
  if (!bytes || bytes.length > MAX_COVER_BYTES) return null
  try {
    const { width, height, type = '' } = imageSize(bytes)
    const mimeType = TYPES[type]
    const isFit = Math.min(width, height) >= MIN_SIDE && Math.max(width, height) <= MAX_SIDE
    return mimeType && isFit ? { bytes, mimeType, ending: type } : null
  } catch {
    return null
  }
}
