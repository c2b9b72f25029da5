import { formattingLocale } from '../../lib/i18n/i18n.ts'

/** A line of the comparison, and its place in the document. */
export type Line = { text: string; place: { passage: string } | { quote: string } | Record<string, never> }

type Passage = { id: string; heading: string | null; content: string }

/** Splits passages into one sentence per line: editions cut passages differently, but sentences still match. */
export function linesOfPassages(passages: readonly Passage[]): Line[] {
  const sentences = new Intl.Segmenter(formattingLocale(), { granularity: 'sentence' })
  let before: Passage | undefined
  return passages.flatMap((passage) => {
    const { id, heading, content } = passage
    const lines: string[] = heading && heading !== before?.heading ? [heading] : []
    const repeated = before ? repeatedAtStart(before.content, content) : 0
    before = passage
    // Lines on a page end anywhere; only a blank line separates.
    for (const paragraph of content.slice(repeated).split(/\n\s*\n/))
      for (const { segment } of sentences.segment(paragraph.replaceAll(/\s+/g, ' ').trim())) lines.push(segment.trim())
    return lines.map((text) => ({ text, place: { passage: id } }))
  })
}

/** A shorter overlap of two passages is coincidence. */
const MIN_REPEATED_LENGTH = 15

/** Returns the length of the overlap with the previous passage, which may be its last sentence. */
function repeatedAtStart(before: string, content: string): number {
  const first = Math.max(0, before.length - content.length)
  for (let at = first; at <= before.length - MIN_REPEATED_LENGTH; at += 1)
    if (content.startsWith(before.slice(at))) return before.length - at
  return 0
}

export const linesOfNote = (body: string): Line[] =>
  body
    .trimEnd()
    .split(/\r?\n/)
    .map((text) => ({ text, place: placeOf(text) }))

/** The longest words without Markdown syntax, which can be found in the rendered text. */
function placeOf(line: string): Line['place'] {
  const pieces = line.split(/[*_`~[\]()<>#|\\]+|^\s*(?:[-+>]|\d+[.)])\s/)
  const quote = pieces.reduce((longest, piece) => (piece.length > longest.length ? piece : longest), '').trim()
  return quote ? { quote } : {}
}

export const textOf = (lines: readonly Line[]): string => lines.map(({ text }) => text).join('\n')

/** Returns the place of the line at a position, or of the next non-empty line. */
export function placeAt(lines: readonly Line[], position: number): Line['place'] {
  let end = 0
  for (const { text, place } of lines) {
    end += text.length + 1
    if (end > position && Object.keys(place).length > 0) return place
  }
  return lines.findLast(({ place }) => Object.keys(place).length > 0)?.place ?? {}
}
