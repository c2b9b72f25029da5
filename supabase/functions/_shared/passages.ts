import type { Section } from './extraction/extraction.ts'

export type Passage = {
  readonly page: number | null
  readonly heading: string | null
  /** The range in the text of the version, or of the page where there is one, in UTF-16 units. */
  readonly start: number
  readonly end: number
  readonly content: string
}

type Range = { readonly start: number; readonly end: number; readonly words: number }

const WORDS = 200
/** A shorter remainder does not become a passage of its own. */
const FEWEST_WORDS = 40
/** The last sentence is repeated at the start of the next passage unless it is longer than this. */
const OVERLAP_WORDS = 30
/** Limits text without spaces or full stops: tables, code, scripts written without spaces. The database accepts
 *  8,000. */
const LONGEST = 1600

/** Splits sections into passages of about 200 words at the ends of sentences; no passage spans two headings or pages.
 *  @param readable Makes the content from its source (for Markdown: without the marks); the range still refers to the
 *  source. */
export function cutPassages(
  sections: readonly Section[],
  readable: (source: string) => string = (source) => source,
): Passage[] {
  const passages: Passage[] = []
  for (const { page, heading, text, start } of sections) {
    for (const range of rangesOf(text)) {
      const content = readable(text.slice(range.start, range.end)).replace(/\0/g, '').trim()
      if (/[\p{L}\p{N}]/u.test(content))
        passages.push({ page, heading, start: start + range.start, end: start + range.end, content })
    }
  }
  return passages
}

function rangesOf(text: string): Range[] {
  const ranges: Range[] = []
  let open: Range[] = []
  for (const sentence of sentencesOf(text)) {
    const words = wordsIn(open)
    const tooLong = open[0] !== undefined && sentence.end - open[0].start > LONGEST
    if (open.length > 0 && (words + sentence.words > WORDS || tooLong)) {
      ranges.push(merged(open))
      const last = open.at(-1)
      const repeats =
        open.length > 1 && last !== undefined && last.words <= OVERLAP_WORDS && sentence.end - last.start <= LONGEST
      open = repeats ? [last] : []
    }
    open.push(sentence)
  }
  if (open.length > 0) ranges.push(merged(open))
  return withoutStub(ranges, text)
}

/** Merges a short last passage into the one before it, unless the result would be too long. */
function withoutStub(ranges: Range[], text: string): Range[] {
  const [before, last] = ranges.slice(-2)
  if (!before || !last || last.words >= FEWEST_WORDS || last.end - before.start > LONGEST) return ranges
  return [...ranges.slice(0, -2), trimmed(text, before.start, last.end)]
}

function sentencesOf(text: string): Range[] {
  const sentences: Range[] = []
  for (const { segment, index } of new Intl.Segmenter('en', { granularity: 'sentence' }).segment(text)) {
    for (const [start, end] of slices(text, index, index + segment.length)) {
      const sentence = trimmed(text, start, end)
      if (sentence.end > sentence.start) sentences.push(sentence)
    }
  }
  return sentences
}

/** Splits a very long "sentence" at spaces, or, if there are none, anywhere except inside a character. */
function* slices(text: string, start: number, end: number): Generator<[number, number]> {
  while (end - start > LONGEST) {
    const space = text.lastIndexOf(' ', start + LONGEST)
    let cut = space > start ? space : start + LONGEST
    if (/[\udc00-\udfff]/.test(text[cut] ?? '')) cut -= 1
    yield [start, cut]
    start = cut
  }
  yield [start, end]
}

function trimmed(text: string, start: number, end: number): Range {
  const slice = text.slice(start, end)
  const from = start + slice.length - slice.trimStart().length
  const to = Math.max(from, start + slice.trimEnd().length)
  return { start: from, end: to, words: countWords(text.slice(from, to)) }
}

/** Counts words by spaces; in scripts written without spaces, two characters count as a word. */
function countWords(text: string): number {
  const unspaced = text.match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/gu)?.length ?? 0
  return (text.match(/\S+/g)?.length ?? 0) + Math.floor(unspaced / 2)
}

const wordsIn = (ranges: readonly Range[]): number => ranges.reduce((sum, range) => sum + range.words, 0)

const merged = (ranges: readonly Range[]): Range => ({
  start: ranges[0]?.start ?? 0,
  end: ranges.at(-1)?.end ?? 0,
  words: wordsIn(ranges),
})
