/** A range of a text in UTF-16 units. */
export type Range = { readonly start: number; readonly end: number; readonly words: number }

type Sentence = Range & {
  readonly isItem: boolean
  readonly isSameLine: boolean
}

const MAX_LIST_WORDS = 320
const SENTENCES = new Intl.Segmenter('en', { granularity: 'sentence' })

const LIST_MARK = /^[ \t]*(?:[•◦▪‣·∙●○■□–—*+-]|\(?\d{1,3}[.)]|\(?[a-z][.)])[ \t]+\S/
const MARK_ALONE = /^(?:[^\p{L}\p{N}]*|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)])$/u
/** Full stops that don't end a sentence: abbreviations and initials. */
const ABBREVIATION =
  /(?:^|[\s(„“"'])(?:\p{Lu}|e\.g|i\.e|cf|vs|viz|al|resp|approx|ca|incl|esp|figs?|nos?|nr|vols?|secs?|chap|ch|pp?|eqs?|ed|eds|mr|mrs|ms|dr|prof|st|inc|ltd|z\. ?B|d\. ?h|u\. ?a|bzw|vgl|Abb|Tab|S|Bd|Kap|Hrsg)\.$/iu

/** Splits a text into sentences, keeping each list with its introductory sentence. A line break inside a paragraph
 *  doesn't end a sentence.
 *  @param longest The maximum length of a range in UTF-16 units. */
export function sentenceGroups(text: string, longest: number): Range[] {
  const groups: Range[] = []
  let isInList = false
  for (const sentence of sentencesOf(text, longest)) {
    const group = groups.at(-1)
    const isAnnounced = group !== undefined && /[:：]$/.test(text.slice(group.start, group.end))
    const continues: boolean = isAnnounced || (isInList && (sentence.isItem || sentence.isSameLine))
    isInList = sentence.isItem || (isInList && continues)
    if (group && continues && group.words + sentence.words <= MAX_LIST_WORDS && sentence.end - group.start <= longest) {
      groups[groups.length - 1] = { start: group.start, end: sentence.end, words: group.words + sentence.words }
    } else groups.push({ start: sentence.start, end: sentence.end, words: sentence.words })
  }
  return groups
}

function sentencesOf(text: string, longest: number): Sentence[] {
  const flowing = withoutWraps(text)
  const sentences: Sentence[] = []
  for (const [from, to] of segmentsOf(flowing, longest)) {
    for (const [start, end] of slices(text, from, to, longest)) {
      const range = trimmed(text, start, end)
      if (range.end === range.start) continue
      const lineStart = lineStartBefore(flowing, range.start)
      const isItem = lineStart !== null && LIST_MARK.test(flowing.slice(lineStart, range.end))
      const gap = flowing.slice(sentences.at(-1)?.end ?? 0, range.start)
      const isSameLine = !gap.includes('\n') || /^[ \t]*\r?\n[ \t]{2,}$/.test(gap)
      sentences.push({ ...range, isItem, isSameLine })
    }
  }
  return sentences
}

/** Returns the line's start if only spaces precede the position. Scans no more, because lines may be very long. */
function lineStartBefore(text: string, position: number): number | null {
  let start = position
  while (start > 0 && text[start - 1] !== '\n') {
    if (!/\s/.test(text[start - 1] ?? '')) return null
    start -= 1
  }
  return start
}

function* segmentsOf(flowing: string, longest: number): Generator<[start: number, end: number]> {
  let start = 0
  for (const { segment, index } of SENTENCES.segment(flowing)) {
    const end = index + segment.length
    if (end < flowing.length && end - start < longest && !endsSentence(flowing.slice(start, end))) continue
    yield [start, end]
    start = end
  }
}

function endsSentence(segment: string): boolean {
  if (/\n\s*\n$/.test(segment)) return true
  const isMark = MARK_ALONE.test(segment.trim())
  return segment.endsWith('\n') ? !isMark : !isMark && !ABBREVIATION.test(segment.trimEnd())
}

/** Replaces line breaks that only wrap a line with spaces. */
function withoutWraps(text: string): string {
  return text.replace(/([^\n])(\r?\n)(?=([^\n]*))/g, (all, before: string, feed: string, next: string) => {
    const isWrap =
      next.trim() !== '' && !/[.!?:;…。！？|]/.test(before) && !LIST_MARK.test(next) && !/^\s*(?:[#|>]|```)/.test(next)
    return isWrap ? before + ' '.repeat(feed.length) : all
  })
}

/** Splits an overlong "sentence" at line ends or spaces, or else anywhere between characters. */
function* slices(text: string, start: number, end: number, longest: number): Generator<[number, number]> {
  while (end - start > longest) {
    // Searches this piece only: a line may be as long as the text.
    const piece = text.slice(start, start + longest + 1)
    const feed = piece.lastIndexOf('\n')
    const space = feed > longest / 2 ? feed : piece.lastIndexOf(' ')
    let cut = start + (space > 0 ? space : longest)
    if (/[\udc00-\udfff]/.test(text[cut] ?? '')) cut -= 1
    yield [start, cut]
    start = cut
  }
  yield [start, end]
}

export function trimmed(text: string, start: number, end: number): Range {
  const slice = text.slice(start, end)
  const from = start + slice.length - slice.trimStart().length
  const to = Math.max(from, start + slice.trimEnd().length)
  return { start: from, end: to, words: countWords(text.slice(from, to)) }
}

function countWords(text: string): number {
  const unspaced = text.match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/gu)?.length ?? 0
  return (text.match(/\S+/g)?.length ?? 0) + Math.floor(unspaced / 2)
}
