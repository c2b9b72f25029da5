import * as z from 'zod/mini'
import { formattingLocale, t } from '../../lib/i18n/i18n.ts'

const Ranges = z.array(z.tuple([z.int(), z.int()]))

export type Piece = { start: number; text: string; marked: boolean }

/** Splits a text at its highlights, tolerating overlapping or malformed ranges.
 *  @param ranges `[[start, end], …]` in UTF-16 units, end exclusive. */
export function splitAtHighlights(text: string, ranges: unknown): Piece[] {
  const parsed = Ranges.safeParse(ranges)
  const pieces: Piece[] = []
  let reached = 0
  const take = (end: number, marked: boolean) => {
    if (end > reached) pieces.push({ start: reached, text: text.slice(reached, end), marked })
    reached = Math.max(reached, end)
  }
  const inOrder = parsed.success ? parsed.data.toSorted(([a], [b]) => a - b) : []
  for (const [start, end] of inOrder) {
    take(Math.min(start, text.length), false)
    take(Math.min(end, text.length), true)
  }
  take(text.length, false)
  return pieces
}

/** Characters: the size of the window with the most highlights. */
const WINDOW = 300

/** Returns a passage's pieces from shortly before its densest highlights.
 *  @param leadIn Characters to keep before them. */
export function excerpt(content: string, ranges: unknown, leadIn = 120): Piece[] {
  const pieces = splitAtHighlights(content, ranges)
  const marks = pieces.filter(({ marked }) => marked)
  const wordsFrom = (start: number) =>
    new Set(
      marks
        .filter((mark) => mark.start >= start && mark.start < start + WINDOW)
        .map(({ text }) => text.toLowerCase().slice(0, 5)),
    ).size
  const most = Math.max(...marks.map(({ start }) => wordsFrom(start)))
  const from = marks.find(({ start }) => wordsFrom(start) === most)?.start ?? 0
  if (from <= leadIn * 1.5) return pieces
  const cut = content.indexOf(' ', from - leadIn)
  const begin = cut === -1 || cut >= from ? from - leadIn : cut
  return pieces.flatMap((piece) => {
    const text = piece.text.slice(Math.max(0, begin - piece.start))
    return text === '' ? [] : [{ ...piece, text: piece.start <= begin ? `…${text}` : text }]
  })
}

/** Returns the sentence with the first highlight for a citation, limited in length and without line breaks. */
export function citedSentence(content: string, ranges: unknown, most = 300): string {
  const position = splitAtHighlights(content, ranges).find(({ marked }) => marked)?.start ?? 0
  const sentence = new Intl.Segmenter(formattingLocale(), { granularity: 'sentence' })
    .segment(content)
    .containing(position)
  const words = (sentence?.segment ?? content).replaceAll(/\s+/g, ' ').trim()
  if (words.length <= most) return words
  const end = words.lastIndexOf(' ', most)
  return words.slice(0, end > 0 ? end : most)
}

type Hit = { document_id: string }

/** Groups hits by document, in order of each document's best hit. */
export function groupByDocument<Passage extends Hit>(hits: readonly Passage[]): Passage[][] {
  return [...Map.groupBy(hits, ({ document_id }) => document_id).values()]
}

/** Counts the found passages, including collapsed ones. @param most The search's limit. */
export function countPassages(
  hits: readonly { readonly document_id: string; readonly more_in_document: number }[],
  most: number,
): string {
  const folded = new Map(hits.map((hit) => [hit.document_id, hit.more_in_document]))
  const counts = {
    passages: hits.length + [...folded.values()].reduce((sum, more) => sum + more, 0),
    documents: folded.size,
  }
  return hits.length < most
    ? t(
        '{passages, plural, one {# passage} other {# passages}} in {documents, plural, one {# document} other {# documents}}',
        counts,
      )
    : t('The best passages of {documents} documents', counts)
}
