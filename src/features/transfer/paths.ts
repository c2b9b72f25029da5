/** What no file system takes in a name, or what means something in a path; and marks that turn the reading direction. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is to go
const UNFIT = /[\u0000-\u001f\u007f<>:"/\\|?*\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g
/** Names that Windows keeps for itself. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)$/i
const LONGEST = 120

/** A title as part of a path that every system can unpack. */
export function truncateName(title: string): string {
  const name = title.normalize('NFC').replaceAll(UNFIT, ' ').replaceAll(/\s+/g, ' ').trim().slice(0, LONGEST)
  const plain = name.replaceAll(/^[. ]+|[. ]+$/g, '')
  return plain === '' ? 'untitled' : RESERVED.test(plain) ? `${plain}_` : plain
}

/** Hands out each path once: a second "report.pdf" becomes "report (2).pdf", also where only capitals differ. */
export function uniquePaths(): (folder: string, stem: string, ending: string) => string {
  const taken = new Set<string>()
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

/** Where the pictures of a note lie: beside its current version, which is its last one. */
export const picturesFolder = ({ versions }: { versions: readonly { path: string }[] }): string =>
  `${versions.at(-1)?.path.replace(/[^/]*$/, '') ?? ''}pictures/`

type Folder = { id: string; name: string; parent_id: string | null }

/** The folder of a collection with those it lies in, ending in a slash; empty for none. */
export function folderOf(collections: readonly Folder[], id: string | null): string {
  const parts: string[] = []
  const seen = new Set<string>()
  for (let next = id; next && !seen.has(next); ) {
    seen.add(next)
    const folder = collections.find((candidate) => candidate.id === next)
    if (!folder) break
    parts.unshift(`${truncateName(folder.name)}/`)
    next = folder.parent_id
  }
  return parts.join('')
}
