/** The file that keeps an empty folder, as in Studio: storage has no folders, only keys with slashes. */
export const PLACEHOLDER = '.emptyFolderPlaceholder'

/** Encodes a key for a URL. */
export const encodeKey = (key: string): string => key.split('/').map(encodeURIComponent).join('/')

/** Returns the part of a key after its last slash, ignoring a folder's own. */
export const nameOf = (key: string): string => key.replace(/\/$/, '').split('/').at(-1) ?? ''

/** Returns a key's folder with its slash; empty for the bucket itself. */
export const folderOf = (key: string): string => {
  const parts = key.replace(/\/$/, '').split('/').slice(0, -1)
  return parts.length === 0 ? '' : `${parts.join('/')}/`
}

export const isFolder = (key: string): boolean => key.endsWith('/')

/** Normalizes a typed folder: one trailing slash, no leading one. */
export const toFolder = (written: string): string => {
  const parts = written.split('/').filter((part) => part !== '')
  return parts.length === 0 ? '' : `${parts.join('/')}/`
}

/** Returns a folder's ancestors, starting at the bucket. */
export const ancestorsOf = (folder: string): readonly { readonly name: string; readonly path: string }[] => {
  const parts = folder.split('/').filter((part) => part !== '')
  return parts.map((name, index) => ({ name, path: `${parts.slice(0, index + 1).join('/')}/` }))
}

/** How to preview a kind of file that browsers show safely. */
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

/** Null for files without a preview. @param type The stored content type. */
export function previewKind(name: string, type: string): PreviewKind | null {
  const plain = type.split(';')[0]?.trim().toLowerCase() ?? ''
  return KINDS.find(([, pattern]) => pattern.test(plain))?.[0] ?? (TEXT_NAMES.test(name) ? 'text' : null)
}

/** Formats bytes like storage's settings, in decimal units. */
export function sizeText(bytes: number): string {
  const [unit, size] = SIZES.find(([, one]) => bytes >= one && bytes % one === 0) ?? ['B', 1]
  return `${bytes / size}${unit}`
}
const SIZES: readonly (readonly [string, number])[] = [
  ['GB', 1e9],
  ['MB', 1e6],
  ['KB', 1e3],
]
