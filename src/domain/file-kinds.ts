export {
  endingOf,
  hasSignature,
  kindOfMediaType,
  kindOfName,
  OTHER_KIND,
  stemOf,
} from '../../supabase/functions/_shared/file-kinds.ts'

/** What operating systems and programs leave in folders and archives, and what is not wholly there yet. */
const LITTER = /^(\.|~\$|Thumbs\.db$|desktop\.ini$|__MACOSX$)|\.(crdownload|part|partial|tmp)$/i

/** Whether the name of a file, or of a folder it is in, is of what nobody has put there. */
export const isLitter = (path: readonly string[]): boolean => path.some((name) => LITTER.test(name))
