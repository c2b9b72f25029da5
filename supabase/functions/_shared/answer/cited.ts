import type { Sentence, Source } from './answer.ts'

/** What a model replies when the passages don't contain the answer. */
export const NOT_FOUND = 'NOT_IN_LIBRARY'

const CITATION = /\s*\[(\d{1,2}(?:\s*,\s*\d{1,2})*)\]/g
const SENTENCE = /^[\s\S]*?[.!?…]["”’)]*(?:\s*\[\d{1,2}(?:\s*,\s*\d{1,2})*\])*(?=\s+[^\s[])/
/** The share of a sentence's meaningful words that must occur in the cited sources. */
const MIN_SUPPORT = 0.4

/** Splits a streaming answer into sentences with citations, and drops those that the sources don't support. */
export function sentenceReader(sources: readonly Source[]) {
  let rest = ''
  let leftOut = 0
  const take = (ended: boolean): Sentence[] => {
    const sentences: Sentence[] = []
    for (;;) {
      const [text] = SENTENCE.exec(rest) ?? (ended && rest.trim() ? [rest] : [])
      if (text === undefined) return sentences
      rest = rest.slice(text.length)
      const sentence = read(text, sources)
      if (!/[\p{L}\p{N}]/u.test(sentence.text)) continue
      if (isSupported(sentence, sources)) sentences.push(sentence)
      else leftOut += 1
    }
  }
  return {
    push(delta: string): Sentence[] {
      rest += delta
      return take(false)
    },
    end: (): Sentence[] => take(true),
    leftOut: (): number => leftOut,
  }
}

function read(text: string, sources: readonly Source[]): Sentence {
  const cited = new Set([...text.matchAll(CITATION)].flatMap(([, numbers = '']) => numbers.split(',').map(Number)))
  return {
    text: text.replace(CITATION, '').replace(/\s+/g, ' ').trim(),
    cites: sources.filter(({ n }) => cited.has(n)).map(({ n }) => n),
  }
}

/** A sentence is supported if its cited sources contain enough of its words and all of its numbers. */
function isSupported({ text, cites }: Sentence, sources: readonly Source[]): boolean {
  const spoken = sources
    .filter(({ n }) => cites.includes(n))
    .map(({ title, heading, content }) => `${title} ${heading ?? ''} ${content}`)
    .join(' ')
  const numbers = new Set(numbersIn(spoken))
  return (
    cites.length > 0 &&
    numbersIn(text).every((number) => numbers.has(number)) &&
    coverage(stemsOf(text), stemsOf(spoken)) >= MIN_SUPPORT
  )
}

const NUMBER = /\p{Nd}{1,3}(?:[.,’\u00a0\u202f]\p{Nd}{3})+(?!\p{Nd})|\p{Nd}+/gu

/** Returns the numbers in a text, normalized across digit scripts and thousands separators. */
const numbersIn = (text: string): string[] =>
  (text.match(NUMBER) ?? []).map((number) =>
    number.replace(/\P{Nd}/gu, '').replace(/[٠-٩۰-۹]/g, (digit) => String((digit.codePointAt(0) ?? 0) & 15)),
  )

/** Words that a sentence may add to what its sources say. */
const COMMON = new Set(
  'a about after all also an and any are as at be because been before but by can could did do does doing done for from get had has have how i if in into is it its just me more most much my no not of on one only or our out over say says shall she should so some such tell than that the their them then there these they this those through to too under up us very was we were what when where which while who whom whose why will with would you your please explain describe according'.split(
    ' ',
  ),
)
/** The number of letters that forms of a word usually share: "light", "lights" and "lighting" have one stem. */
const STEM = 5

function stemsOf(text: string): Set<string> {
  const words =
    text
      .toLowerCase()
      .normalize('NFKD')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  return new Set(words.filter((word) => word.length > 1 && !COMMON.has(word)).map((word) => word.slice(0, STEM)))
}

/** Returns the share of the stems found in a text, 0 to 1; 1 if there are no stems. */
const coverage = (wanted: ReadonlySet<string>, text: ReadonlySet<string>): number =>
  wanted.size === 0 ? 1 : wanted.intersection(text).size / wanted.size
