import type { Sentence, Source } from './answer.ts'
import { coverage, stemsOf } from './words.ts'

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
    const found: Sentence[] = []
    for (;;) {
      const [text] = SENTENCE.exec(rest) ?? (ended && rest.trim() ? [rest] : [])
      if (text === undefined) return found
      rest = rest.slice(text.length)
      const sentence = read(text, sources)
      if (!/[\p{L}\p{N}]/u.test(sentence.text)) continue
      if (isSupported(sentence, sources)) found.push(sentence)
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
