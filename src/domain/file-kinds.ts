import { FILE_KINDS, kindOfName } from '../../supabase/functions/_shared/file-kinds.ts'

export {
  endingOf,
  hasSignature,
  kindOfMediaType,
  kindOfName,
  patternsOf,
} from '../../supabase/functions/_shared/file-kinds.ts'

/** Also the bucket's own limit, and that of the table of versions. */
export const LARGEST_FILE = 52_428_800

/** For a file picker's `accept`: endings, because browsers know no media type for several of these. */
export const ACCEPTED = FILE_KINDS.flatMap(({ endings }) => endings.map((ending) => `.${ending}`)).join(',')

/** The media type that a file's name promises, or undefined for what a library does not take. */
export const typeOf = (name: string): string | undefined => kindOfName(name)?.mediaType
