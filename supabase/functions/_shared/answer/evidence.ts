import type { Source } from './answer.ts'
import { hasValue, readQuestion } from './question.ts'
import { type Unit, unitsOf } from './sentences.ts'

/** A word of the question and what it is worth: the rarer it is in the library, the more. */
export type QuestionWord = { readonly word: string; readonly weight: number }

/** Where a source speaks of the question: sentences that stand together, and how much of the question they have. */
export type Evidence = {
  readonly source: Source
  readonly units: readonly Unit[]
  /** The share of the question's weight, 0 to 1. */
  readonly coverage: number
}

/** The number of neighbouring sentences that may share the words of a question. */
const WINDOW = 3
/** What a word is worth that stands in the heading or the title, and not in the sentences. */
const ABOVE = 0.7
/** What a word is worth that the library does not have, and that was taken for a typing error: it may as well be another
 *  word, about which the library says nothing. */
const CORRECTED = 0.5
/** What a place is worth that lacks the value asked for: a number, a date. */
const WITHOUT_VALUE = 0.6
/** What each further sentence costs: the closer the words stand together, the better. */
const SPREAD = 0.05

/** The best place of each source, the best source first. Sources that share no word with the question are left out. */
export function evidenceOf(question: string, words: readonly QuestionWord[], sources: readonly Source[]): Evidence[] {
  const { wanted, subject } = readQuestion(question)
  const said = question.toLowerCase()
  const asked = words.flatMap(({ word, weight }) => {
    const isCorrected = !said.includes(word.toLowerCase())
    if (!isCorrected && !subject.toLowerCase().includes(word.toLowerCase())) return []
    return [{ word, weight, gain: isCorrected ? weight * CORRECTED : weight }]
  })
  const whole = asked.reduce((sum, { weight }) => sum + weight, 0)
  if (whole === 0) return []

  const places = sources.flatMap((source, rank) => {
    const above = new Set(source.matched.map((word) => word.toLowerCase()))
    const units = unitsOf(source.content)
    const found = units.map((one) => wordsIn(one, source, asked))
    return windowsOf(units.length).flatMap(([first, last]) => {
      const here = new Set(found.slice(first, last).flat())
      if (here.size === 0) return []
      const window = units.slice(first, last)
      const gained = asked.reduce((sum, { word, gain }) => {
        if (here.has(word)) return sum + gain
        return above.has(word.toLowerCase()) ? sum + gain * ABOVE : sum
      }, 0)
      const value = window.some(({ text }) => hasValue(wanted, text)) ? 1 : WITHOUT_VALUE
      const coverage = (gained / whole) * value
      // The search has considered more than words, so its order decides between places that are about equal.
      return [{ source, units: window, coverage, worth: coverage - (last - first - 1) * SPREAD - rank / 100 }]
    })
  })
  const inOrder = places.toSorted((a, b) => b.worth - a.worth)
  const seen = new Set<number>()
  return inOrder.filter(({ source: { n } }) => !seen.has(n) && seen.add(n))
}

/** All ranges of neighbouring sentences, the end excluded. */
const windowsOf = (count: number): [number, number][] =>
  Array.from({ length: count }, (_, first) =>
    Array.from({ length: Math.min(WINDOW, count - first) }, (_, more): [number, number] => [first, first + more + 1]),
  ).flat()

/** The question's words that are highlighted in a sentence. A highlight belongs to the word with which it has most letters
 *  in common: what counts as a form of a word is the search's to say. */
function wordsIn({ start, end }: Unit, { content, highlights }: Source, asked: readonly QuestionWord[]): string[] {
  return highlights.flatMap(([from, to]) => {
    if (from < start || to > end) return []
    const text = plain(content.slice(from, to))
    const [nearest] = asked
      .map(({ word }) => ({ word, shared: commonPrefix(plain(word), text) }))
      .toSorted((a, b) => b.shared - a.shared)
    return nearest && nearest.shared >= Math.min(3, text.length) ? [nearest.word] : []
  })
}

const plain = (text: string): string => text.toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '')

function commonPrefix(a: string, b: string): number {
  let length = 0
  while (length < a.length && a[length] === b[length]) length++
  return length
}
