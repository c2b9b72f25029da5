import type { Sentence, Source } from './answer.ts'
import { coverage, stemsOf } from './words.ts'

/** The word that a model writes when the passages do not contain the answer. */
export const NOT_FOUND = 'NOT_IN_LIBRARY'

const CITATION = /\s*\[(\d{1,2}(?:\s*,\s*\d{1,2})*)\]/g
/** A sentence with the citations after its full stop. */
const SENTENCE = /^[\s\S]*?[.!?…]["”’)]*(?:\s*\[\d{1,2}(?:\s*,\s*\d{1,2})*\])*(?=\s+[^\s[])/
/** The share of a sentence's meaningful words that must occur in the sources it cites. */
const LEAST_SUPPORT = 0.4

/** Splits a model's answer into sentences while it is still arriving, each with its citations. */
export function sentenceReader(sources: readonly Source[]) {
  let rest = ''
  const take = (ended: boolean): Sentence[] => {
    const found: Sentence[] = []
    for (;;) {
      const [text] = SENTENCE.exec(rest) ?? (ended && rest.trim() ? [rest] : [])
      if (text === undefined) return found
      rest = rest.slice(text.length)
      const sentence = check(text, sources)
      if (sentence) found.push(sentence)
    }
  }
  return {
    push(delta: string): Sentence[] {
      rest += delta
      return take(false)
    },
    end: (): Sentence[] => take(true),
  }
}

/** A sentence is supported when it cites something, cites only existing sources, and shares enough words with them. */
function check(text: string, sources: readonly Source[]): Sentence | undefined {
  const cited = new Set([...text.matchAll(CITATION)].flatMap(([, numbers = '']) => numbers.split(',').map(Number)))
  const words = text.replace(CITATION, '').replace(/\s+/g, ' ').trim()
  if (!/[\p{L}\p{N}]/u.test(words)) return undefined
  const known = sources.filter(({ n }) => cited.has(n))
  const spoken = stemsOf(known.map(({ title, heading, content }) => `${title} ${heading ?? ''} ${content}`).join(' '))
  const supported = known.length > 0 && coverage(stemsOf(words), spoken) >= LEAST_SUPPORT
  return { text: words, cites: known.map(({ n }) => n), supported }
}
