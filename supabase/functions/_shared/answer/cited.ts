import type { Sentence, Source } from './answer.ts'
import { coverage, stemsOf } from './words.ts'

/** The word that a model writes when the passages do not contain the answer. */
export const NOT_FOUND = 'NOT_IN_LIBRARY'

const CITATION = /\s*\[(\d{1,2}(?:\s*,\s*\d{1,2})*)\]/g
/** A sentence with the citations after its full stop. */
const SENTENCE = /^[\s\S]*?[.!?…]["”’)]*(?:\s*\[\d{1,2}(?:\s*,\s*\d{1,2})*\])*(?=\s+[^\s[])/
/** The share of a sentence's meaningful words that must occur in the sources it cites. */
const LEAST_SUPPORT = 0.4

/** Splits a model's answer into sentences while it is still arriving, each with its citations. Sentences that the sources
 *  do not support are left out. */
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
    /** How many sentences have been left out. */
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

/** A sentence is supported when it cites something, and what it cites has enough of its words and all of its numbers. */
function isSupported({ text, cites }: Sentence, sources: readonly Source[]): boolean {
  const spoken = sources
    .filter(({ n }) => cites.includes(n))
    .map(({ title, heading, content }) => `${title} ${heading ?? ''} ${content}`)
    .join(' ')
  const numbers = new Set(numbersIn(spoken))
  return (
    cites.length > 0 &&
    numbersIn(text).every((number) => numbers.has(number)) &&
    coverage(stemsOf(text), stemsOf(spoken)) >= LEAST_SUPPORT
  )
}

const NUMBER = /\p{Nd}{1,3}(?:[.,’\u00a0\u202f]\p{Nd}{3})+(?!\p{Nd})|\p{Nd}+/gu

/** The numbers of a text, whatever digits they are written in and however their thousands are set apart. */
const numbersIn = (text: string): string[] =>
  (text.match(NUMBER) ?? []).map((number) =>
    number.replace(/\P{Nd}/gu, '').replace(/[٠-٩۰-۹]/g, (digit) => String((digit.codePointAt(0) ?? 0) & 15)),
  )
