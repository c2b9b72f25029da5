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

/** A word of the question with what finding it counts for. */
type Asked = QuestionWord & { readonly gain: number }
/** The neighbouring sentences that may share the words of a question. */
const WINDOW = 2
/** What a word is worth that does not stand in the sentences, but in the title or a heading, or elsewhere in the passage. */
const ABOVE = 0.7
const NEARBY = 0.4
/** What a word is worth that the library does not have, and that was taken for a typing error: it may as well be another
 *  word, about which the library says nothing. */
const CORRECTED = 0.5
/** What a place is worth that lacks the value asked for: a number, a date. */
const WITHOUT_VALUE = 0.75

// What else decides between places, beside their share of the question. Measured by tests/bench/asking.ts.
/** Each further sentence costs: the closer the words stand together, the better. */
const SPREAD = 0.04
/** Commands, rows and fragments answer less often than sentences. */
const NO_SENTENCE = 0.25
/** A title or heading that has the words of the question and no others says what the text below it is about. */
const HEADING = 0.3
/** What the search puts first. */
const SEARCH = 0.5

/** The best place of each source, the best source first. */
export function evidenceOf(question: string, words: readonly QuestionWord[], sources: readonly Source[]): Evidence[] {
  const { wanted, subject } = readQuestion(question)
  const asked = askedWords(question, subject, words)
  const whole = asked.reduce((sum, { weight }) => sum + weight, 0)
  const best = Math.max(...sources.map(({ score }) => score))
  const shareOf = (worthOf: (word: Asked) => number): number =>
    whole === 0 ? 0 : asked.reduce((sum, word) => sum + worthOf(word), 0) / whole

  const places = sources.map((source) => {
    const headings = headingsOf(source)
    const units = unitsOf(source.content)
    const found = units.map((unit) => new Set(wordsIn(unit, source, asked)))
    const windows = windowsOf(units.length).map(([first, last]) => {
      const window = units.slice(first, last)
      const text = window.map((unit) => unit.text).join(' ')
      const share = shareOf((word) => {
        if (found.slice(first, last).some((here) => here.has(word))) return word.gain
        if (headings.some((heading) => has(heading, word))) return word.gain * ABOVE
        return found.some((here) => here.has(word)) ? word.gain * NEARBY : 0
      })
      const coverage = share * (hasValue(wanted, text) ? 1 : WITHOUT_VALUE)
      const worth = coverage - (window.length - 1) * SPREAD - (isSentence(text) ? 0 : NO_SENTENCE)
      return { units: window, coverage, worth }
    })
    const [place = { units: [], coverage: 0, worth: 0 }] = windows.toSorted((a, b) => b.worth - a.worth)
    const named = headings.map((heading) => {
      const share = heading.filter((token) => asked.some((word) => has([token], word))).length / heading.length
      return share * shareOf((word) => (has(heading, word) ? word.weight : 0))
    })
    const rank = best > 0 ? source.score / best : 0
    return { source, ...place, worth: place.worth + HEADING * Math.max(0, ...named) + SEARCH * rank }
  })
  return places.toSorted((a, b) => b.worth - a.worth)
}

/** The words that say what the question is about. */
function askedWords(question: string, subject: string, words: readonly QuestionWord[]): Asked[] {
  const said = question.toLowerCase()
  return words.flatMap(({ word, weight }) => {
    const isCorrected = !said.includes(word.toLowerCase())
    if (!isCorrected && !subject.toLowerCase().includes(word.toLowerCase())) return []
    return [{ word, weight, gain: isCorrected ? weight * CORRECTED : weight }]
  })
}

/** All ranges of neighbouring sentences, the end excluded. */
const windowsOf = (count: number): [number, number][] =>
  Array.from({ length: count }, (_, first) =>
    Array.from({ length: Math.min(WINDOW, count - first) }, (_, more): [number, number] => [first, first + more + 1]),
  ).flat()

/** The question's words that are highlighted in a sentence. A highlight belongs to the word with which it has most letters
 *  in common: what counts as a form of a word is the search's to say. */
function wordsIn({ start, end }: Unit, { content, highlights }: Source, asked: readonly Asked[]): Asked[] {
  return highlights.flatMap(([from, to]) => {
    if (from < start || to > end) return []
    const text = plain(content.slice(from, to))
    const [nearest] = asked
      .map((word) => ({ word, shared: commonPrefix(plain(word.word), text) }))
      .toSorted((a, b) => b.shared - a.shared)
    return nearest && nearest.shared >= Math.min(3, text.length) ? [nearest.word] : []
  })
}

const SMALL = /^(?:\d+|an?|the|of|for|to|in|on|and|or|how|what|der|die|das|ein|eine|und|oder|von|für|zu|im?)$/

/** The words of a text in their order, without articles and numbers. */
const tokensOf = (text: string): string[] =>
  (plain(text).match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !SMALL.test(word))

/** The words of the title and of each heading above a passage. */
const headingsOf = ({ title, heading }: Source): string[][] =>
  [...title.replace(/\.\w{2,4}$/, '').split(/ [—–|-] /), ...(heading ?? '').split(' › ')]
    .map(tokensOf)
    .filter(({ length }) => length > 0)

/** Whether a text ends as sentences do and is mostly words, or is a list with its sentence. */
function isSentence(text: string): boolean {
  if (text.includes('\n')) return true
  const letters = text.match(/[\p{L}\p{N}]/gu)?.length ?? 0
  return /[.!?…。！？۔][\p{Pe}\p{Pf}"']*$/u.test(text) && letters > 0.8 * text.replace(/\s/g, '').length
}

/** Whether a word or a form of it, which differs in its end only, is among these. */
const has = (tokens: readonly string[], { word }: QuestionWord): boolean =>
  tokens.some((token) => {
    const shared = commonPrefix(token, plain(word))
    const shorter = Math.min(token.length, word.length)
    return shared >= shorter - (shorter > 4 ? 1 : 0) && Math.max(token.length, word.length) - shared <= 3
  })

const plain = (text: string): string => text.toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '')

function commonPrefix(a: string, b: string): number {
  let length = 0
  while (length < a.length && a[length] === b[length]) length++
  return length
}
