import type { Section } from './extraction/extraction.ts'
import { type Range, sentenceGroups, trimmed } from './sentences.ts'

export type Passage = {
  readonly page: number | null
  readonly heading: string | null
  /** The range in the text of the version, or of the page where it starts, in UTF-16 units. */
  readonly start: number
  readonly end: number
  readonly content: string
}

/** Increase this when a change here, in sentences.ts or in extraction/ produces different passages: documents read by
 *  an older version are then read again in the background. */
export const INDEXER_VERSION = 9

const WORDS = 200
const MIN_WORDS = 40
/** The last sentence is repeated at the start of the next passage unless it's longer than this. */
const OVERLAP_WORDS = 30
/** Limits text without spaces or full stops: tables, code, unspaced scripts. The database accepts 8,000. */
const MAX_LENGTH = 1600

/** Splits sections into passages of about 200 words at sentence ends; no passage spans two headings, and a list stays
 *  with its introduction. Page numbers and single characters between texts are dropped unless there is nothing else.
 *  @param readable Makes the content from its source (for Markdown, without syntax); the range still refers to the
 *  source. */
export function cutPassages(
  sections: readonly Section[],
  readable: (source: string) => string = (source) => source,
): Passage[] {
  const passages: Passage[] = []
  const fragments = new Set<Passage>()
  for (const section of sections) {
    for (const range of rangesOf(section.text)) {
      const content = valid(readable(section.text.slice(range.start, range.end))).trim()
      if (!/[\p{L}\p{N}]/u.test(content)) continue
      const passage = { ...placeOf(section, range), heading: section.heading && valid(section.heading), content }
      passages.push(passage)
      if (isFragment(content) && (section.page !== null || section.heading === null)) fragments.add(passage)
    }
  }
  const headings = new Set([null, ...passages.map((passage) => (fragments.has(passage) ? null : passage.heading))])
  // A figure under a heading of its own is what the heading says.
  const kept = passages.filter((passage) => !fragments.has(passage) || !headings.has(passage.heading))
  return kept.length > 0 ? kept : passages
}

/** Removes what Postgres can't store, from texts with escapes or cut inside a character. */
const valid = (text: string): string => text.replaceAll('\0', '').toWellFormed()

function placeOf({ page, start, turns = [] }: Section, range: Range): Pick<Passage, 'page' | 'start' | 'end'> {
  const turn = turns.findLast(({ at }) => at <= range.start)
  const from = turn ? range.start - turn.at : start + range.start
  return { page: turn?.page ?? page, start: from, end: from + range.end - range.start }
}

/** Whether a text means nothing on its own: no word in any script, and fewer figures than a table has. */
const isFragment = (content: string): boolean =>
  !/\p{L}{3}|\p{Lo}{2}/u.test(content) && new Set(content.match(/\d[\d.,:/-]+\d/g)).size < 4

function rangesOf(text: string): Range[] {
  const ranges: Range[] = []
  let open: Range[] = []
  for (const group of sentenceGroups(text, MAX_LENGTH)) {
    const words = wordsIn(open)
    const tooLong = open[0] !== undefined && group.end - open[0].start > MAX_LENGTH
    if (open.length > 0 && (words + group.words > WORDS || tooLong)) {
      ranges.push(merged(open))
      const last = open.at(-1)
      const repeats =
        open.length > 1 && last !== undefined && last.words <= OVERLAP_WORDS && group.end - last.start <= MAX_LENGTH
      open = repeats ? [last] : []
    }
    open.push(group)
  }
  if (open.length > 0) ranges.push(merged(open))
  return withoutStub(ranges, text)
}

function withoutStub(ranges: Range[], text: string): Range[] {
  const [before, last] = ranges.slice(-2)
  if (!before || !last || last.words >= MIN_WORDS || last.end - before.start > MAX_LENGTH) return ranges
  return [...ranges.slice(0, -2), trimmed(text, before.start, last.end)]
}

const wordsIn = (ranges: readonly Range[]): number => ranges.reduce((sum, range) => sum + range.words, 0)

const merged = (ranges: readonly Range[]): Range => ({
  start: ranges[0]?.start ?? 0,
  end: ranges.at(-1)?.end ?? 0,
  words: wordsIn(ranges),
})
