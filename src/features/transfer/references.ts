import { t } from '../../lib/i18n/i18n.ts'

/** A reference from somebody's reference manager. */
export type Reference = {
  title: string
  authors: string[]
  year: string | undefined
  /** Where it was published: a journal, a book, a publisher. */
  venue: string | undefined
  doi: string | undefined
  url: string | undefined
  abstract: string | undefined
  keywords: string[]
}

/** References of a file in RIS or BibTeX, the formats that Zotero and the other reference managers write.
 *  Undefined for a file that is neither. */
export function parseReferences(text: string): Reference[] | undefined {
  if (/^\s*TY {2}- /m.test(text)) return parseRis(text)
  if (/^\s*@\w+\s*[{(]/m.test(text)) return parseBibtex(text)
  return undefined
}

const first = (fields: Map<string, string[]>, ...names: string[]): string | undefined => {
  for (const name of names) {
    const value = fields.get(name)?.find((text) => text.trim() !== '')
    if (value) return value.trim()
  }
  return undefined
}

function parseRis(text: string): Reference[] {
  const references: Reference[] = []
  let fields = new Map<string, string[]>()
  let last: string[] | undefined
  for (const line of text.split(/\r?\n/)) {
    const [, tag, value = ''] = /^([A-Z][A-Z0-9]) {2}- ?(.*)$/.exec(line) ?? []
    if (!tag) {
      // A long value continues in lines without a tag.
      if (last && line.trim()) last.push(`${last.pop() ?? ''} ${line.trim()}`)
    } else if (tag === 'ER') {
      references.push(fromRis(fields))
      fields = new Map()
      last = undefined
    } else {
      last = fields.get(tag) ?? []
      last.push(value)
      fields.set(tag, last)
    }
  }
  if (fields.has('TI') || fields.has('T1')) references.push(fromRis(fields))
  return references
}

const fromRis = (fields: Map<string, string[]>): Reference => ({
  title: first(fields, 'TI', 'T1', 'CT', 'BT') ?? t('Untitled'),
  authors: ['AU', 'A1', 'A2', 'A3'].flatMap((tag) => fields.get(tag) ?? []).map(turnName),
  year: /\d{4}/.exec(first(fields, 'PY', 'Y1', 'DA') ?? '')?.[0],
  venue: first(fields, 'T2', 'JO', 'JF', 'JA', 'PB'),
  doi: first(fields, 'DO'),
  url: webAddress(first(fields, 'UR', 'L2')),
  abstract: first(fields, 'AB', 'N2'),
  keywords:
    fields
      .get('KW')
      ?.map((word) => word.trim())
      .filter(Boolean) ?? [],
})

function parseBibtex(text: string): Reference[] {
  const references: Reference[] = []
  for (const { 1: kind = '', index } of text.matchAll(/@(\w+)\s*[{(]/g)) {
    if (/^(comment|preamble|string)$/i.test(kind)) continue
    const fields = readFields(text, text.indexOf(',', index) + 1)
    const title = first(fields, 'title')
    if (!title) continue
    references.push({
      title,
      authors: (first(fields, 'author', 'editor') ?? '')
        .split(/\s+and\s+/)
        .filter(Boolean)
        .map(turnName),
      year: /\d{4}/.exec(first(fields, 'year', 'date') ?? '')?.[0],
      venue: first(fields, 'journal', 'journaltitle', 'booktitle', 'publisher'),
      doi: first(fields, 'doi'),
      url: webAddress(first(fields, 'url')),
      abstract: first(fields, 'abstract'),
      keywords: (first(fields, 'keywords') ?? '')
        .split(/[,;]/)
        .map((word) => word.trim())
        .filter(Boolean),
    })
  }
  return references
}

/** The fields of one entry, from behind its key to its closing brace. */
function readFields(text: string, start: number): Map<string, string[]> {
  const fields = new Map<string, string[]>()
  const name = /\s*,?\s*([\w-]+)\s*=\s*/y
  for (let at = start; ; ) {
    name.lastIndex = at
    const found = name.exec(text)
    if (!found) return fields
    const value = readValue(text, name.lastIndex)
    fields.set((found[1] ?? '').toLowerCase(), [plainTex(value.text)])
    at = value.end
  }
}

/** `{…}` with braces in it, `"…"`, or a bare word or number. */
function readValue(text: string, start: number): { text: string; end: number } {
  const opening = text[start]
  if (opening === '{' || opening === '"') {
    let depth = 0
    for (let at = start; at < text.length; at++) {
      const letter = text[at]
      if (letter === '\\') at++
      else if (letter === '{') depth++
      else if (letter === '}') depth--
      const closes = opening === '{' ? depth === 0 && letter === '}' : depth === 0 && letter === '"' && at > start
      if (closes) return { text: text.slice(start + 1, at), end: at + 1 }
    }
    return { text: text.slice(start + 1), end: text.length }
  }
  const bare = /[^\s,}]*/y
  bare.lastIndex = start
  return { text: bare.exec(text)?.[0] ?? '', end: bare.lastIndex }
}

const ACCENTS: Record<string, string> = {
  '"': '\u0308',
  "'": '\u0301',
  '`': '\u0300',
  '^': '\u0302',
  '~': '\u0303',
  c: '\u0327',
  v: '\u030c',
}
const LETTERS: Record<string, string> = { ss: 'ß', o: 'ø', O: 'Ø', ae: 'æ', AE: 'Æ', aa: 'å', AA: 'Å', l: 'ł', L: 'Ł' }

/** TeX as text: accents become letters, commands and braces go. */
function plainTex(tex: string): string {
  return tex
    .replaceAll(
      /\\(["'`^~cv])\s*\{?\\?([A-Za-z])\}?/g,
      (_, accent: string, letter: string) => letter + (ACCENTS[accent] ?? ''),
    )
    .replaceAll(/\\(ss|ae|AE|aa|AA|o|O|l|L)(?![A-Za-z])\s*/g, (_, name: string) => LETTERS[name] ?? '')
    .replaceAll(/\\([&%$#_{}])/g, '$1')
    .replaceAll(/\\[A-Za-z]+\s*/g, '')
    .replaceAll('---', '—')
    .replaceAll('--', '–')
    .replaceAll(/[{}]/g, '')
    .replaceAll('~', ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .normalize('NFC')
}

/** "Curie, Marie" as "Marie Curie". */
const turnName = (name: string): string => {
  const [family = '', given] = name.split(',').map((part) => part.trim())
  return given ? `${given} ${family}` : family
}

const webAddress = (text: string | undefined): string | undefined =>
  text && /^https?:\/\//i.test(text) ? text : undefined

/** A reference as the text of a note. */
export function referenceToNote({ title, authors, year, venue, doi, url, abstract }: Reference): string {
  const source = [authors.join(', '), year, venue ? `*${escapeMarkdown(venue)}*` : ''].filter(Boolean).join('. ')
  const links = [doi ? `[doi:${doi}](https://doi.org/${encodeURI(doi)})` : '', url ? `<${url}>` : ''].filter(Boolean)
  return [`# ${escapeMarkdown(title)}`, source, links.join(' · '), abstract ? escapeMarkdown(abstract) : '']
    .filter(Boolean)
    .join('\n\n')
}

const escapeMarkdown = (text: string): string => text.replaceAll(/([\\`*_[\]<>#])/g, '\\$1')
