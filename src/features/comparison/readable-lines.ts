import { formattingLocale } from '../../lib/i18n/i18n.ts'

/** A line of a text that is compared, and the place that it is found by in its document. */
export type Line = { text: string; place: { passage: string } | { quote: string } | Record<string, never> }

type Passage = { id: string; heading: string | null; content: string }

/** The text of passages in their order, a sentence a line: passages of two editions end at different sentences, and the sentences
 *  still match. */
export function linesOfPassages(passages: readonly Passage[]): Line[] {
  const sentences = new Intl.Segmenter(formattingLocale(), { granularity: 'sentence' })
  let before: Passage | undefined
  return passages.flatMap((passage) => {
    const { id, heading, content } = passage
    const lines: string[] = heading && heading !== before?.heading ? [heading] : []
    const repeated = before ? repeatedAtStart(before.content, content) : 0
    before = passage
    // A line of a page ends anywhere; only a blank line says something.
    for (const paragraph of content.slice(repeated).split(/\n\s*\n/))
      for (const { segment } of sentences.segment(paragraph.replaceAll(/\s+/g, ' ').trim())) lines.push(segment.trim())
    return lines.map((text) => ({ text, place: { passage: id } }))
  })
}

/** Fewer letters at the end of one passage and the beginning of the next are the same by chance. */
const LEAST_REPEATED = 15

/** A passage may begin with the last sentence of the one before. @returns how many letters of it. */
function repeatedAtStart(before: string, content: string): number {
  const first = Math.max(0, before.length - content.length)
  for (let at = first; at <= before.length - LEAST_REPEATED; at += 1)
    if (content.startsWith(before.slice(at))) return before.length - at
  return 0
}

/** The lines of a note's Markdown. */
export const linesOfNote = (body: string): Line[] =>
  body
    .trimEnd()
    .split(/\r?\n/)
    .map((text) => ({ text, place: placeOf(text) }))

/** The longest words without a sign of Markdown between them find a line where it is read. */
function placeOf(line: string): Line['place'] {
  const pieces = line.split(/[*_`~[\]()<>#|\\]+|^\s*(?:[-+>]|\d+[.)])\s/)
  const quote = pieces.reduce((longest, piece) => (piece.length > longest.length ? piece : longest), '').trim()
  return quote ? { quote } : {}
}

export const textOf = (lines: readonly Line[]): string => lines.map(({ text }) => text).join('\n')

/** The place of the line at a position of the text; for an empty line, of the next that has one. */
export function placeAt(lines: readonly Line[], position: number): Line['place'] {
  let end = 0
  for (const { text, place } of lines) {
    end += text.length + 1
    if (end > position && Object.keys(place).length > 0) return place
  }
  return lines.findLast(({ place }) => Object.keys(place).length > 0)?.place ?? {}
}
