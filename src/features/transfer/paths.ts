import { MANIFEST_NAME } from './manifest.ts'

/** Characters that file systems reject, that have a meaning in paths, or that change the text direction. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is to go
const UNFIT = /[\u0000-\u001f\u007f-\u009f<>:"/\\|?*\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g
/** Names reserved by Windows, with any extension. */
const RESERVED = /^(con|prn|aux|nul|(?:com|lpt)[\d¹²³])(?=\.|$)/i
/** Characters and bytes: file systems allow 255, and a number and extension are added. */
const MAX_LENGTH = 120
const MAX_BYTES = 220
/** Reserved folder names at the top of an export and for pictures. */
const OURS = /^(templates|versions|pictures)$/i

/** Makes a title a valid path segment on every system. */
export function truncateName(title: string): string {
  const name = title.toWellFormed().normalize('NFC').replaceAll(UNFIT, ' ').replaceAll(/\s+/g, ' ').trim()
  const plain = shortened(name).replaceAll(/^[. ]+|[. ]+$/g, '')
  return plain === '' ? 'untitled' : plain.replace(RESERVED, '$1_')
}

function shortened(name: string): string {
  const bytes = new Uint8Array(MAX_BYTES)
  const { read } = new TextEncoder().encodeInto(name.slice(0, MAX_LENGTH).toWellFormed(), bytes)
  return name.slice(0, read).replace(/[\ud800-\udbff]$/, '')
}

/** Returns each path once: a second "report.pdf" becomes "report (2).pdf", ignoring case. */
export function uniquePaths(): (folder: string, stem: string, ending: string) => string {
  const taken = new Set([MANIFEST_NAME])
  return (folder, stem, ending) => {
    for (let n = 1; ; n++) {
      const path = `${folder}${stem}${n === 1 ? '' : ` (${n})`}${ending}`
      if (taken.has(path.toLowerCase())) continue
      taken.add(path.toLowerCase())
      return path
    }
  }
}

export const endingOf = (name: string): string => /\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0].toLowerCase() ?? ''

/** The folder of a note's pictures, next to its current (last) version. */
export const picturesFolder = ({ versions }: { versions: readonly { path: string }[] }): string =>
  `${versions.at(-1)?.path.replace(/[^/]*$/, '') ?? ''}pictures/`

/** Distinguishes folders from files of the same name. */
const folderName = (name: string): string =>
  truncateName(name)
    .replace(OURS, '$1_')
    .replace(/\.([A-Za-z0-9]{1,10})$/, '_$1')

type Folder = { id: string; name: string; parent_id: string | null }

/** A collection's path, ending in a slash; empty for none. */
export function folderOf(collections: readonly Folder[], id: string | null): string {
  const parts: string[] = []
  const seen = new Set<string>()
  for (let next = id; next && !seen.has(next); ) {
    seen.add(next)
    const folder = collections.find((candidate) => candidate.id === next)
    if (!folder) break
    parts.unshift(`${folderName(folder.name)}/`)
    next = folder.parent_id
  }
  return parts.join('')
}

/** The id of a library's sample collection, by which the app recognizes it. */
export const sampleOf = (library: string): string => `00000000${library.slice(8)}`

/** Shortens and cleans a name for the database: foreign exports may contain anything. */
export const storableName = (name: string, most: number): string =>
  name
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, most)
    .toWellFormed()
    .trim()
