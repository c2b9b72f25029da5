import type { Source } from './answer.ts'
import { hasValue, isGeneral, languageOf, readQuestion, type Wanted } from './question.ts'
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
type WeighedWord = QuestionWord & { readonly gain: number }
/** The neighbouring sentences that may share the words of a question. */
const WINDOW = 2
/** What a word is worth that does not stand in the sentences, but in the title or a heading, or elsewhere in the passage. */
const ABOVE = 0.7
const NEARBY = 0.4
/** What a word is worth that the library does not have, and that was taken for a typing error: it may as well be another
 *  word, about which the library says nothing. */
const CORRECTED = 0.5
/** What a word of general use is worth. */
const GENERAL = 0.4
/** What a place is worth that lacks the value asked for: a number, a date. */
const WITHOUT_VALUE = 0.75
/** What a place is worth that lacks a name which the question has: "react" is not React. */
const WITHOUT_NAME = 0.8

/** What a place is worth in another language than the question's, where the search finds some in that. */
const FOREIGN = 0.6

// What else decides between places, beside their share of the question. Measured by tests/bench/asking.ts.
/** Each further sentence costs: the closer the words stand together, the better. */
const SPREAD = 0.08
/** Commands, rows and fragments answer less often than sentences. */
const NO_SENTENCE = 0.25
/** A title or heading that has the words of the question and no others says what the text below it is about. */
const HEADING = 0.5
/** Words that stand side by side in the question and here. */
const PHRASE = 0.25
/** A path where a question asks for a place, a command where it asks for a way. */
const VALUE = 0.2
/** A sentence that begins with what the question asks the meaning of; and one that continues as definitions do. */
const BEGINS = 0.12
const DEFINES = 0.18
/** What the search puts first. */
const SEARCH = 0.2

/** The best place of each source, the best source first. Of places with the same words there is one. */
export function evidenceOf(question: string, words: readonly QuestionWord[], sources: readonly Source[]): Evidence[] {
  const { wanted, subject } = readQuestion(question)
  const asked = askedWords(question, subject, words)
  const whole = asked.reduce((sum, { weight }) => sum + weight, 0)
  const names = namesIn(question)
  const pairs = pairsIn(question)
  const meaningOf = meaningReader(subject)
  const best = Math.max(...sources.map(({ score }) => score))
  const shareOf = (worthOf: (word: WeighedWord) => number): number =>
    whole === 0 ? 0 : asked.reduce((sum, word) => sum + worthOf(word), 0) / whole

  const language = languageOf(question)
  const isForeign = ({ language: its }: Source): boolean => its != null && its !== language
  const isMixed = sources.some((source) => source.language === language)

  const places = sources.map((source) => {
    const foreign = isMixed && isForeign(source) ? FOREIGN : 1
    const headings = headingsOf(source)
    const units = unitsOf(source.content)
    const lacksName = names.length > 0 && !isSubset(names, namesOf(source))
    const found = units.map((unit) => new Set(wordsIn(unit, source, asked)))
    const windows = windowsOf(units.length).map(([first, last]) => {
      const window = units.slice(first, last)
      const text = window.map((unit) => unit.text).join(' ')
      const share = shareOf((word) => {
        if (found.slice(first, last).some((here) => here.has(word))) return word.gain
        if (headings.some((heading) => has(heading, word))) return word.gain * ABOVE
        return found.some((here) => here.has(word)) ? word.gain * NEARBY : 0
      })
      const valued = share * (isMeasure(wanted) && !hasValue(wanted, text) ? WITHOUT_VALUE : 1)
      const worth =
        valued +
        PHRASE * phraseShare(text, pairs) +
        (wanted === 'meaning' ? meaningOf(text) : 0) +
        (isHint(wanted) && hasValue(wanted, text) ? VALUE : 0) -
        (window.length - 1) * SPREAD -
        (isSentence(text) || (wanted === 'meaning' && meaningOf(text) > DEFINES) ? 0 : NO_SENTENCE)
      const coverage = valued * (lacksName ? WITHOUT_NAME : 1) * foreign
      return { units: window, coverage, worth }
    })
    const [place = { units: [], coverage: 0, worth: 0 }] = windows.toSorted((a, b) => b.worth - a.worth)
    const named = headings.map((heading) => {
      const share = heading.filter((token) => asked.some((word) => has([token], word))).length / heading.length
      return share * shareOf((word) => (has(heading, word) ? word.weight : 0))
    })
    const rank = best > 0 ? source.score / best : 0
    return { source, ...place, worth: (place.worth + HEADING * Math.max(0, ...named) + SEARCH * rank) * foreign }
  })
  const said = new Set<string>()
  return places
    .toSorted((a, b) => b.worth - a.worth)
    .filter(({ units }) => {
      const text = tokensOf(units.map((unit) => unit.text).join(' ')).join(' ')
      return !said.has(text) && said.add(text)
    })
}

/** A place without such a value does not answer. */
const isMeasure = (wanted: Wanted): boolean => wanted === 'quantity' || wanted === 'time'

/** A place with such a value is more likely to answer. */
const isHint = (wanted: Wanted): boolean => wanted === 'place' || wanted === 'way'

/** The words that say what the question is about. */
function askedWords(question: string, subject: string, words: readonly QuestionWord[]): WeighedWord[] {
  const said = question.toLowerCase()
  return words.flatMap(({ word, weight }) => {
    const isCorrected = !said.includes(word.toLowerCase())
    if (!isCorrected && !subject.toLowerCase().includes(word.toLowerCase())) return []
    const worth = isGeneral(word) ? weight * GENERAL : weight
    return [{ word, weight: worth, gain: isCorrected ? worth * CORRECTED : worth }]
  })
}

/** All ranges of neighbouring sentences, the end excluded. */
const windowsOf = (count: number): [number, number][] =>
  Array.from({ length: count }, (_, first) =>
    Array.from({ length: Math.min(WINDOW, count - first) }, (_, more): [number, number] => [first, first + more + 1]),
  ).flat()

/** The question's words that are highlighted in a sentence. A highlight belongs to the word with which it has most letters
 *  in common: what counts as a form of a word is the search's to say. An identifier is highlighted as a whole. */
function wordsIn({ start, end }: Unit, { content, highlights }: Source, asked: readonly WeighedWord[]): WeighedWord[] {
  return highlights.flatMap(([from, to]) => {
    if (from < start || to > end) return []
    return content
      .slice(from, to)
      .split(/[_.-]/)
      .flatMap((part) => {
        const text = plain(part)
        const [nearest] = asked
          .map((word) => ({ word, shared: commonPrefix(plain(word.word), text) }))
          .toSorted((a, b) => b.shared - a.shared)
        return nearest && text !== '' && nearest.shared >= Math.min(3, text.length) ? [nearest.word] : []
      })
  })
}

const SMALL =
  /^(?:\d+|an?|the|of|for|to|in|on|and|or|how|what|der|die|das|ein|eine|und|oder|von|für|zu|im?|un[eao]?|l[aeo]s?|el|los|du|des?|del|en|et|y)$/

/** The words of a text in their order, without articles and numbers. */
const tokensOf = (text: string): string[] => wordsOf(plain(text)).filter((word) => !SMALL.test(word))

/** The words of the title and of each heading above a passage. */
const headingsOf = ({ title, heading }: Source): string[][] =>
  [...title.replace(/\.\w{2,4}$/, '').split(/ [—–|-] /), ...(heading ?? '').split(' › ')]
    .map(tokensOf)
    .filter(({ length }) => length > 0)

/** Whether a text ends as sentences do and is mostly words, or is a list with its sentence. */
export function isSentence(text: string): boolean {
  if (text.includes('\n')) return true
  const letters = text.match(/[\p{L}\p{N}]/gu)?.length ?? 0
  return /[.!?…。！？۔][\p{Pe}\p{Pf}"']*$/u.test(text) && letters > 0.8 * text.replace(/\s/g, '').length
}

/** The words with a capital in a question, but for its first. */
const namesIn = (question: string): string[] => (question.match(/(?<=\s)\p{Lu}\p{L}{3,}/gu) ?? []).map(plain)

/** The words with a capital in a source. */
const namesOf = ({ title, heading, content }: Source): Set<string> =>
  new Set((`${title} ${heading} ${content}`.match(/\p{Lu}[\p{L}\p{N}]*/gu) ?? []).map(plain))

const isSubset = (some: readonly string[], all: ReadonlySet<string>): boolean => some.every((one) => all.has(one))

const APART =
  /[,;?!]|\b(?:of|the|a|an|in|on|is|are|do|does|i|and|or|what|how|which|where|when|who|to|by|for|from|it|its|der|die|das|ein|eine|von|im|ist|wie|was|wo|wann|wer|un[eao]?|l[aeo]s?|el|los|du|des?|del|en|et|y|est|es|que|qui)\b/

/** The words of a question that stand side by side. */
const pairsIn = (question: string): [string, string][] =>
  plain(question)
    .split(APART)
    .flatMap((part) => {
      const words = wordsOf(part)
      return words.slice(1).map((word, index): [string, string] => [words[index] ?? '', word])
    })

/** The share of the pairs that a text has, 0 to 1. */
function phraseShare(text: string, pairs: readonly (readonly [string, string])[]): number {
  if (pairs.length === 0) return 0
  const words = wordsOf(plain(text))
  const has = ([first, second]: readonly [string, string]) =>
    words.some((word, index) => isForm(word, first) && isForm(words[index + 1] ?? '', second))
  return pairs.filter(has).length / pairs.length
}

/** Says what a text is worth as an answer to what the subject is. */
function meaningReader(subject: string): (text: string) => number {
  const wanted = tokensOf(subject)
  const defines = definitionReader(subject)
  return (text) => {
    if (wanted.length === 0) return 0
    const begin = tokensOf(text).slice(0, wanted.length + 3)
    const share = wanted.filter((word) => begin.some((token) => isForm(token, word))).length / wanted.length
    return BEGINS * share + (defines(text) ? DEFINES : 0)
  }
}

/** Finds a sentence that begins with the subject, with or without an article or quotation marks, and a verb of definitions
 *  after it; or an entry of a list or glossary: the subject before a colon, a dash, or a new sentence. */
function definitionReader(subject: string): (text: string) => boolean {
  const words = wordsOf(subject.trim().replace(new RegExp(`^(?:${ARTICLE})\\s+`, 'i'), ''))
  const term = words.map((word) => `${word.replace(/s$/i, '')}(?:e?s)?`).join('[\\s\\p{P}\\p{S}]{0,4}')
  const before = `(?:^|[.:;]\\s|[\\]>])[\\s\\p{P}\\p{S}]{0,20}(?:(?:${ARTICLE})\\s|l[’'])?[\\p{P}\\p{S}]{0,4}`
  const after = '(?:,[^.,]{1,30},|\\s?\\p{P}{0,4}\\s?(?:\\([^)]{0,60}\\))?)\\s{0,8}'
  const defined = new RegExp(
    `${before}${term}${after}(?:(?:${DEFINING}|${ARTICLE})(?![\\p{L}])|とは|は|是|[:=—–|]|-\\s)`,
    'iu',
  )
  const named = new RegExp(`${before}${term}${after}(\\p{L})`, 'giu')
  return (text) =>
    defined.test(text) || Array.from(text.matchAll(named)).some(([, letter = '']) => /\p{Lu}/u.test(letter))
}

const ARTICLE = 'an?|the|der|die|das|eine?|les?|la|une?|el|los|las|una|un[oa]?|il|lo|gli|o|os|as|uma?'
const DEFINING =
  'is|are|was|were|means?|refers?|denotes|stands|ist|sind|war|bedeutet|heißt|est|sont|désigne|sert|es|son|significa|sirve|è|sono|é|são|,? also|option|command|module'

const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{N}]+/gu) ?? []

/** Whether a word or a form of it is among these. */
const has = (tokens: readonly string[], { word }: QuestionWord): boolean =>
  tokens.some((token) => isForm(token, plain(word)))

/** Whether two words are the same but for their ends. */
function isForm(one: string, other: string): boolean {
  const shared = commonPrefix(one, other)
  const shorter = Math.min(one.length, other.length)
  return shared >= shorter - (shorter > 4 ? 1 : 0) && Math.max(one.length, other.length) - shared <= 3
}

const plain = (text: string): string => text.toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '')

function commonPrefix(a: string, b: string): number {
  let length = 0
  while (length < a.length && a[length] === b[length]) length++
  return length
}
