import { Cite } from '@citation-js/core'
import '@citation-js/plugin-bibtex'
import '@citation-js/plugin-ris'
import { nameText, type Reference, referenceOf, storable, yearOf } from '../../domain/reference.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { documentOf, manifestOf, versionAt } from './foreign/manifest-of.ts'
import type { Export } from './manifest.ts'

export type ImportedReference = {
  title: string
  abstract: string | undefined
  keywords: string[]
  reference: Reference
}
type Item = InstanceType<typeof Cite>['data'][number]

/** Parses RIS or BibTeX into references and unreadable entries; undefined for other files. */
export function parseReferences(
  text: string,
): { references: ImportedReference[]; problems: Export['problems'] } | undefined {
  if (/^\s*TY {2}- /m.test(text)) return { references: read(text, '@ris/file').map(toReference), problems: [] }
  if (/^\s*@\w+\s*[{(]/m.test(text)) return parseBibtex(text)
  return undefined
}

/** Reads RIS or BibTeX: references become notes. @returns undefined for other text. */
export function fromReferences(text: string): Export | undefined {
  const parsed = parseReferences(text)
  if (!parsed) return undefined
  const files = new Map<string, Uint8Array>()
  const counts = new Map<string, number>()
  const documents = parsed.references.map((item) => {
    const { title, keywords: tags, reference } = item
    const { DOI: doi, author: [first] = [] } = reference
    const key = doi?.toLowerCase() ?? [title, first && nameText(first), yearOf(reference)].join(' ')
    counts.set(key, (counts.get(key) ?? 0) + 1)
    const id = `reference ${key} ${counts.get(key)}`
    files.set(id, new TextEncoder().encode(referenceToNote(item)))
    return documentOf({ id, kind: 'note', title, tags, reference, versions: [versionAt(id)] })
  })
  return { manifest: manifestOf({ collections: [], tags: [], documents }), files, problems: parsed.problems }
}

/** The type is forced: otherwise the library tries other formats, and fetches anything that looks like a URL. */
const read = (text: string, forceType: string): Item[] =>
  new Cite(text, { forceType, generateGraph: false, strict: true, maxChainLength: 10, target: '@csl/list+object' }).data

/** One invalid entry fails the whole file; then entries are parsed one by one. */
function parseBibtex(text: string): ReturnType<typeof parseReferences> {
  try {
    return { references: read(text, '@biblatex/text').map(toReference), problems: [] }
  } catch {
    const entries = text.split(/^\s*(?=@\w+\s*[{(])/m)
    const strings = entries.filter((entry) => /^@string\b/i.test(entry)).join('\n')
    const references: ImportedReference[] = []
    const problems: Export['problems'] = []
    for (const entry of entries.filter((one) => /^@(?!string\b|comment\b|preamble\b)/i.test(one))) {
      try {
        references.push(...read(`${strings}\n${entry}`, '@biblatex/text').map(toReference))
      } catch {
        problems.push({ title: entry.slice(0, 60).trim(), reason: t('Not valid BibTeX.') })
      }
    }
    return { references, problems }
  }
}

const GENRES: Readonly<Record<string, string | undefined>> = {
  phdthesis: 'PhD thesis',
  mathesis: 'Master’s thesis',
  mastersthesis: 'Master’s thesis',
  techreport: undefined,
}

function toReference(item: Item): ImportedReference {
  const { genre, URL: url, ...known } = referenceOf(item) ?? {}
  const title = (item.title ?? '').replaceAll(/<\/?(?:i|b|sup|sub|sc|span)\b[^>]*>/g, '').trim()
  return {
    title: title || t('Untitled'),
    abstract: item.abstract,
    keywords: (item.keyword ?? '')
      .split(/[,;]/)
      .map((word) => word.trim())
      .filter(Boolean),
    reference: storable({
      ...known,
      genre: genre && Object.hasOwn(GENRES, genre) ? GENRES[genre] : genre,
      URL: url && /^https?:\/\//i.test(url) ? url : undefined,
    }),
  }
}

export function referenceToNote({ title, abstract, reference }: ImportedReference): string {
  const { author = [], DOI: doi, URL: url } = reference
  const venue = reference['container-title'] ?? reference.publisher
  const source = [
    escapeMarkdown(author.map(nameText).join('; ')),
    yearOf(reference),
    venue ? `*${escapeMarkdown(venue)}*` : '',
  ]
    .filter(Boolean)
    .join('. ')
  const links = [doi ? `[doi:${doi}](https://doi.org/${encodeURI(doi)})` : '', url ? `<${url}>` : ''].filter(Boolean)
  return [`# ${escapeMarkdown(title)}`, source, links.join(' · '), abstract ? escapeMarkdown(abstract) : '']
    .filter(Boolean)
    .join('\n\n')
}

const escapeMarkdown = (text: string): string => text.replaceAll(/([\\`*_[\]<>#])/g, '\\$1')
