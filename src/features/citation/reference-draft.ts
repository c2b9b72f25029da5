import { doiIn, nameFrom, namesIn, nameText, type Reference, referenceOf, yearOf } from '../../domain/reference.ts'
import { msg } from '../../lib/i18n/i18n.ts'

export const TYPES: readonly { value: string; label: string }[] = [
  { value: 'article-journal', label: msg('Article') },
  { value: 'book', label: msg('Book') },
  { value: 'chapter', label: msg('Chapter of a book') },
  { value: 'paper-conference', label: msg('Conference paper') },
  { value: 'report', label: msg('Report') },
  { value: 'thesis', label: msg('Thesis') },
  { value: 'webpage', label: msg('Web page') },
  { value: 'document', label: msg('Other document') },
]

export const TEXTS = [
  { field: 'container-title', label: msg('Journal or book') },
  { field: 'publisher', label: msg('Publisher') },
  { field: 'volume', label: msg('Volume') },
  { field: 'issue', label: msg('Issue') },
  { field: 'page', label: msg('Pages') },
] as const

export type ReferenceDraft = Record<(typeof TEXTS)[number]['field'], string> & {
  type: string
  /** One per line, “Family, Given”. */
  authors: string
  year: string
  doi: string
}

type Described = { reference: unknown; author: string | null; dated: string | null; kind: string }

export function draftOf({ author, dated, kind, ...document }: Described): ReferenceDraft {
  const reference = referenceOf(document.reference)
  const names = reference?.author ?? (author ? namesIn(author) : [])
  return {
    type: reference?.type ?? (kind === 'link' ? 'webpage' : 'document'),
    authors: names.map(nameText).join('\n'),
    year: String(yearOf(reference) ?? dated?.slice(0, 4) ?? ''),
    'container-title': reference?.['container-title'] ?? '',
    publisher: reference?.publisher ?? '',
    volume: reference?.volume ?? '',
    issue: reference?.issue ?? '',
    page: reference?.page ?? '',
    doi: reference?.DOI ?? '',
  }
}

const UNSAID = new Set(['document', 'webpage'])

/** Fills empty fields with what was found. @param before A previous lookup's result, which is replaced. */
export function withFound(draft: ReferenceDraft, found: Described, before?: Described): ReferenceDraft {
  const fields = draftOf(found)
  const last = before && draftOf(before)
  const filled = (field: keyof ReferenceDraft) =>
    draft[field].trim() === '' || draft[field] === last?.[field] ? fields[field] : draft[field]
  return {
    type: UNSAID.has(draft.type) ? fields.type : filled('type'),
    authors: filled('authors'),
    year: filled('year'),
    'container-title': filled('container-title'),
    publisher: filled('publisher'),
    volume: filled('volume'),
    issue: filled('issue'),
    page: filled('page'),
    doi: draft.doi,
  }
}

/** Returns the document with its reference completed by what was found. */
export function describedWith<Document extends Described>(document: Document, found: Reference): Document {
  const own = Object.entries(referenceOf(document.reference) ?? {}).filter(([, value]) => value !== undefined)
  return { ...document, reference: { ...found, ...Object.fromEntries(own) } }
}

/** Merges the form into the reference, keeping what it doesn't show, such as the day of an unchanged year. */
export function withDraft({ type, authors, year, doi, ...texts }: ReferenceDraft, described: Described): Reference {
  const before = draftOf(described)
  const reference = referenceOf(described.reference) ?? {}
  const filled = (text: string) => text.trim() || undefined
  const names = new Map((reference.author ?? []).map((name) => [nameText(name), name]))
  const lines = authors
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
  const day = described.dated?.split('-').map(Number)
  return {
    ...reference,
    ...Object.fromEntries(TEXTS.map(({ field }) => [field, filled(texts[field])])),
    type,
    author: lines.length > 0 ? lines.map((line) => names.get(line) ?? nameFrom(line)) : undefined,
    issued:
      year === before.year && reference.issued
        ? reference.issued
        : year
          ? { 'date-parts': [year === before.year && day ? day : [Number(year)]] }
          : undefined,
    DOI: doiIn(doi),
  }
}

/** Formats a reference: “Fresnel, Arago · 1819 · Annales de Chimie 11(2), 246–296”; empty if nothing is known. */
export function referenceLine(reference: Reference | null): string {
  if (!reference) return ''
  const { author = [], volume = '', issue, page, publisher } = reference
  const names = author.slice(0, 3).map(({ family, literal }) => literal ?? family ?? '')
  const place = [reference['container-title'], `${volume}${issue ? `(${issue})` : ''}`].filter(Boolean).join(' ')
  return [
    [...names.filter(Boolean), ...(author.length > 3 ? ['…'] : [])].join(', '),
    yearOf(reference),
    [place, page?.replaceAll(/(\d)-(?=\d)/g, '$1–')].filter(Boolean).join(', '),
    publisher,
  ]
    .filter(Boolean)
    .join(' · ')
}
