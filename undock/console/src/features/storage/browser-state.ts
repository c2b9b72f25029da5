import { isFolder, nameOf, PLACEHOLDER } from './keys.ts'
import { type Entry, SORTS, type Sort } from './storage.ts'

/** The search parameters of the file browser. A change keeps the others. */
export type BrowserState = {
  /** The folder. */
  readonly path?: string | undefined
  /** The key of the file shown next to the list. */
  readonly file?: string | undefined
  /** A search in the whole bucket. */
  readonly q?: string | undefined
  readonly sort?: string | undefined
}

/** Opens a folder and a file next to the list, or closes the open file. */
export const opened = (key: string, file: string | undefined): BrowserState =>
  isFolder(key) ? openedFolder(key) : { file: key === file ? undefined : key }

/** @param path Empty for the bucket itself. */
export const openedFolder = (path: string): BrowserState => ({ path: path || undefined, file: undefined, q: undefined })

/** The visible entries of those that storage lists. */
export const shownEntries = (listed: readonly Entry[]): readonly Entry[] =>
  listed.filter(({ key }) => nameOf(key) !== PLACEHOLDER)

/** A text of the address as an order: by name when it names none. */
export const toSort = (text: string | undefined): string =>
  SORTS.some((column) => text === column || text === `-${column}`) ? (text ?? 'name') : 'name'

/** The order once a person chooses a column: ascending, and descending the second time. */
export const nextSort = (sort: string, column: Sort): string => (sort === column ? `-${column}` : column)

/** The question before entries are deleted. */
export const deletion = (keys: readonly string[]): { readonly title: string; readonly warning: string } => ({
  title: keys.length === 1 ? `Delete ${nameOf(keys[0] ?? '')}?` : `Delete ${keys.length} entries?`,
  warning: keys.some(isFolder)
    ? 'All files in the selected folders are deleted. Storage cannot restore them.'
    : 'Storage cannot restore deleted files.',
})
