import { MANIFEST_NAME } from './manifest.ts'

/** What no file system takes in a name, or what means something in a path; and marks that turn the reading direction. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is to go
const UNFIT = /[\u0000-\u001f\u007f-\u009f<>:"/\\|?*\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g
/** Names that Windows keeps for itself, whatever their ending. */
const RESERVED = /^(con|prn|aux|nul|(?:com|lpt)[\d¹²³])(?=\.|$)/i
/** Characters, and bytes: file systems take 255 of them, and a number and an ending follow. */
const LONGEST = 120
const MOST_BYTES = 220
/** Folders at the top of an export, and those of a note's pictures. */
const OURS = /^(templates|versions|pictures)$/i

/** A title as part of a path that every system can unpack. */
export function truncateName(title: string): string {
  const name = title.toWellFormed().normalize('NFC').replaceAll(UNFIT, ' ').replaceAll(/\s+/g, ' ').trim()
  const plain = shortened(name).replaceAll(/^[. ]+|[. ]+$/g, '')
  return plain === '' ? 'untitled' : plain.replace(RESERVED, '$1_')
}

function shortened(name: string): string {
  const bytes = new Uint8Array(MOST_BYTES)
  const { read } = new TextEncoder().encodeInto(name.slice(0, LONGEST).toWellFormed(), bytes)
  return name.slice(0, read).replace(/[\ud800-\udbff]$/, '')
}

/** Hands out each path once: a second "report.pdf" becomes "report (2).pdf", also where only capitals differ. */
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

/** Where the pictures of a note are: beside its current version, which is its last one. */
export const picturesFolder = ({ versions }: { versions: readonly { path: string }[] }): string =>
  `${versions.at(-1)?.path.replace(/[^/]*$/, '') ?? ''}pictures/`

/** A folder ends as no file does, so that both can be in one place. */
const folderName = (name: string): string =>
  truncateName(name)
    .replace(OURS, '$1_')
    .replace(/\.([A-Za-z0-9]{1,10})$/, '_$1')

type Folder = { id: string; name: string; parent_id: string | null }

/** The folder of a collection with those it is in, ending in a slash; empty for none. */
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

/** The id of the collection with a library's sample documents, by which the app recognizes them. */
export const sampleOf = (library: string): string => `00000000${library.slice(8)}`
