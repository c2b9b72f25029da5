import { isFolder, nameOf, PLACEHOLDER } from './keys.ts'
import { type Entry, SORTS, type Sort } from './storage.ts'

/** The search parameters of the file browser. Changing one keeps the others. */
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

/** Filters the entries listed by storage. */
export const shownEntries = (listed: readonly Entry[]): readonly Entry[] =>
  listed.filter(({ key }) => nameOf(key) !== PLACEHOLDER)

/** Parses an order from the address; by name by default. */
export const toSort = (text: string | undefined): string =>
  SORTS.some((column) => text === column || text === `-${column}`) ? (text ?? 'name') : 'name'

/** Returns the order after choosing a column: ascending, then descending. */
export const nextSort = (sort: string, column: Sort): string => (sort === column ? `-${column}` : column)

/** Returns the question to ask before deleting entries. */
export const deletion = (keys: readonly string[]): { readonly title: string; readonly warning: string } => ({
  title: keys.length === 1 ? `Delete ${nameOf(keys[0] ?? '')}?` : `Delete ${keys.length} entries?`,
  warning: keys.some(isFolder)
    ? 'All files in the selected folders are deleted. Storage cannot restore them.'
    : 'Storage cannot restore deleted files.',
})
