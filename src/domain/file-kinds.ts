export {
  endingOf,
  hasSignature,
  kindOfMediaType,
  kindOfName,
  OTHER_KIND,
  stemOf,
} from '../../supabase/functions/_shared/file-kinds.ts'

/** Files that systems and programs leave behind, and partial downloads. */
const LITTER = /^(\.|~\$|Thumbs\.db$|desktop\.ini$|__MACOSX$)|\.(crdownload|part|partial|tmp)$/i

/** Whether a file or one of its folders is such a file. */
export const isLitter = (path: readonly string[]): boolean => path.some((name) => LITTER.test(name))
