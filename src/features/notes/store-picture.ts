import { LARGEST_PICTURE, newPictureName, PICTURES, picturePath } from '../../domain/note-pictures.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { t } from '../../lib/i18n/i18n.ts'

/** Seconds for which a browser may cache a picture: what is behind a path never changes. */
const FOR_GOOD = '31536000'

/** Stores a picture of a note.
 *  @returns what the note's text calls it.
 *  @throws {Error} with a message for the person when its type or size is not allowed. @throws {StorageError} */
export async function storePicture(library: string, note: string, picture: File): Promise<string> {
  const name = newPictureName(picture.type)
  if (!name) throw new Error(t('A picture in a note is PNG, JPEG, WebP, GIF or AVIF.'))
  if (picture.size > LARGEST_PICTURE) throw new Error(t('A picture in a note may have 10 MB.'))
  const { error } = await supabase.storage
    .from(PICTURES)
    .upload(picturePath(library, note, name), picture, { contentType: picture.type, cacheControl: FOR_GOOD })
  if (error) throw error
  return `pictures/${name}`
}
