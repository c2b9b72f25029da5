/** What keeps an empty folder alive, as in Studio: storage has no folders, only keys with slashes. */
export const PLACEHOLDER = '.emptyFolderPlaceholder'

/** A key as part of an address. */
export const encodeKey = (key: string): string => key.split('/').map(encodeURIComponent).join('/')

/** The part of a key after its last slash; a folder's own slash does not count. */
export const nameOf = (key: string): string => key.replace(/\/$/, '').split('/').at(-1) ?? ''

/** The folder of a key, with its slash; empty for the bucket itself. */
export const folderOf = (key: string): string => {
  const parts = key.replace(/\/$/, '').split('/').slice(0, -1)
  return parts.length === 0 ? '' : `${parts.join('/')}/`
}

export const isFolder = (key: string): boolean => key.endsWith('/')

/** A folder as a person writes it, with one slash at its end and none at its start. */
export const toFolder = (written: string): string => {
  const parts = written.split('/').filter((part) => part !== '')
  return parts.length === 0 ? '' : `${parts.join('/')}/`
}

/** A folder's ancestors, starting at the bucket. */
export const ancestorsOf = (folder: string): readonly { readonly name: string; readonly path: string }[] => {
  const parts = folder.split('/').filter((part) => part !== '')
  return parts.map((name, index) => ({ name, path: `${parts.slice(0, index + 1).join('/')}/` }))
}

/** How one of the kinds of file that a browser shows safely is shown. */
export type PreviewKind = 'image' | 'video' | 'audio' | 'pdf' | 'text'

const KINDS: readonly (readonly [PreviewKind, RegExp])[] = [
  ['image', /^image\/(?:png|jpeg|gif|webp|avif|bmp|x-icon|vnd\.microsoft\.icon|svg\+xml)$/],
  ['video', /^video\/(?:mp4|webm|ogg|quicktime)$/],
  ['audio', /^audio\//],
  ['pdf', /^application\/pdf$/],
  [
    'text',
    /^text\/|^application\/(?:json|xml|javascript|typescript|sql|toml|yaml|x-yaml|x-sh|x-ndjson|geo\+json)$|\+(?:json|xml)$/,
  ],
]

const TEXT_NAMES = /\.(?:txt|md|csv|tsv|json|xml|ya?ml|toml|sql|log|ts|tsx|js|jsx|css|html?|sh|py|env|ini)$/i

/** Null for a file that has no preview. @param type The stored content type. */
export function previewKind(name: string, type: string): PreviewKind | null {
  const plain = type.split(';')[0]?.trim().toLowerCase() ?? ''
  return KINDS.find(([, pattern]) => pattern.test(plain))?.[0] ?? (TEXT_NAMES.test(name) ? 'text' : null)
}

/** Bytes as storage's settings write them, in decimal units. */
export function sizeText(bytes: number): string {
  const [unit, size] = SIZES.find(([, one]) => bytes >= one && bytes % one === 0) ?? ['B', 1]
  return `${bytes / size}${unit}`
}
const SIZES: readonly (readonly [string, number])[] = [
  ['GB', 1e9],
  ['MB', 1e6],
  ['KB', 1e3],
]
