import type { Source } from './answer.ts'
import { type AnswerType, hasValue, isGeneral, preferredLanguage, readQuestion } from './question.ts'
import { type Unit, unitsOf } from './sentences.ts'

/** A word of the question. The rarer it is in the library, the higher its weight. */
export type QuestionWord = { readonly word: string; readonly weight: number }

/** Consecutive sentences of a source that cover part of the question. */
export type Evidence = {
  readonly source: Source
  readonly units: readonly Unit[]
  /** The share of the question's weight, 0 to 1. */
  readonly coverage: number
}

type WeighedWord = QuestionWord & { readonly gain: number }
/** The value of a word found only in the title or a heading, or elsewhere in the passage. */
const ABOVE = 0.7
const NEARBY = 0.4
/** The value of an unknown word treated as a typo: the library may say nothing about the word meant. */
const CORRECTED = 0.5
const GENERAL = 0.4
/** The factor for evidence without the requested kind of value, such as a number or a date. */
const WITHOUT_VALUE = 0.75
/** The factor for evidence without a name from the question: "react" is not React. */
const WITHOUT_NAME = 0.8

/** The factor for evidence in another language than the question, if the search found some in that language. */
const FOREIGN = 0.6

/** Cost of each further sentence: words close together count more. */
const SPREAD = 0.08
/** Commands, rows and fragments answer less often than sentences. */
const NO_SENTENCE = 0.25
const QUESTION = 0.5
/** A title or heading made up of the question's words alone says what the text below it is about. */
const HEADING = 0.5
const PHRASE = 0.25
/** A path for a "where" question, a command for a "how" question. */
const VALUE = 0.2
/** A sentence that begins with the term being defined, and one that continues like a definition. */
const BEGINS = 0.12
const DEFINES = 0.18
const SEARCH = 0.2

/** Returns the best evidence of each source, best first, keeping one of those with the same words. */
export function evidenceOf(question: string, words: readonly QuestionWord[], sources: readonly Source[]): Evidence[] {
  const { wanted, subject } = readQuestion(question)
  const asked = askedWords(question, subject, words)
  const whole = asked.reduce((sum, { weight }) => sum + weight, 0)
  const names = namesIn(question)
  const isNoName = ({ word }: QuestionWord): boolean => !names.includes(plain(word))
  const isDeed = wanted === 'person' && asked.some(isNoName)
  const pairs = pairsIn(question, asked)
  const meaningOf = meaningReader(subject)
  const identifiers = plain((question.match(IDENTIFIER) ?? []).join(' '))
  const options = question.match(OPTION) ?? []
  const best = Math.max(...sources.map(({ score }) => score))
  const shareOf = (worthOf: (word: WeighedWord) => number): number =>
    whole === 0 ? 0 : asked.reduce((sum, word) => sum + worthOf(word), 0) / whole

  const language = preferredLanguage(question, sources)
  const isForeign = ({ language: its }: Source): boolean => language !== null && its != null && its !== language

  const places = sources.map((source) => {
    const foreign = isForeign(source) ? FOREIGN : 1
    const headings = headingsOf(source)
    const units = unitsOf(source.content)
    const lacksName = !new Set(names).isSubsetOf(namesOf(source))
    const found = units.map((unit) => new Set(wordsIn(unit, source, asked)))
    // The first row of a table names its columns.
    let header = 0
    const columns = units.map(({ text }, index) => {
      if (!text.includes('|') || !units[index - 1]?.text.includes('|')) header = index
      return found[header]
    })
    const windows = windowsOf(units.length).map(([first, last]) => {
      const window = units.slice(first, last)
      const text = window.map((unit) => unit.text).join(' ')
      const isOption = options.length > 0 && options.every((option) => RegExp(`(?<!\\S)${option}(?![\\w-])`).test(text))
      const isNamed = !isDeed || found.slice(first, last).some((here) => Array.from(here).some(isNoName))
      const share = shareOf((word) => {
        if (found.slice(first, last).some((here) => here.has(word))) return word.gain
        if (headings.some((heading) => has(heading, word)) || columns[first]?.has(word)) return word.gain * ABOVE
        if (!found.some((here) => here.has(word))) return 0
        // An identifier says what the whole passage is about.
        if (identifiers.includes(plain(word.word))) return word.gain
        return word.gain * (isOption ? ABOVE : NEARBY)
      })
      const valued = share * ((isMeasure(wanted) && !hasValue(wanted, text)) || !isNamed ? WITHOUT_VALUE : 1)
      const worth =
        valued +
        PHRASE * phraseShare(text, pairs) +
        (wanted === 'meaning' ? meaningOf(text) : 0) +
        (isOption || (isHint(wanted) && hasValue(wanted, text)) ? VALUE : 0) -
        (window.length - 1) * SPREAD -
        (window.some(isQuestion) ? QUESTION : 0) -
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

/** An identifier, such as "INV-2024-0031": with at least two digits, unlike "RAID-1", which many passages mention in passing. */
const IDENTIFIER = /[\p{L}\p{N}]+(?:[-_.][\p{L}\p{N}]+)*[-_.]\p{N}{2}[\p{L}\p{N}]*(?:[-_.][\p{L}\p{N}]+)*/gu
/** An option of a command: "-x", "--dry-run". */
const OPTION = /(?<!\S)--?[\p{L}\p{N}][\p{L}\p{N}_-]*/gu

const isMeasure = (wanted: AnswerType): boolean => wanted === 'quantity' || wanted === 'time'

const isHint = (wanted: AnswerType): boolean => wanted === 'place' || wanted === 'way'

/** Returns the beginning and end of each unit, alone and with the next one. */
const windowsOf = (count: number): [first: number, last: number][] =>
  Array.from({ length: count }, (_, first) => [first + 1, first + 2].map((last): [number, number] => [first, last]))
    .flat()
    .filter(([, last]) => last <= count)

function askedWords(question: string, subject: string, words: readonly QuestionWord[]): WeighedWord[] {
  const said = question.toLowerCase()
  return words.flatMap(({ word, weight }) => {
    const isCorrected = !said.includes(word.toLowerCase())
    if (!isCorrected && !subject.toLowerCase().includes(word.toLowerCase())) return []
    const worth = isGeneral(word) ? weight * GENERAL : weight
    return [{ word, weight: worth, gain: isCorrected ? worth * CORRECTED : worth }]
  })
}

/** The minimum length of a word at the end of a compound. */
const MIN_TAIL_LENGTH = 4

/** Returns the question's words that are highlighted in a sentence. A highlight counts for the word with the longest
 *  common prefix, because the search decides what is a form of a word, and for one that it ends with, as compounds do.
 *  Identifiers are highlighted as a whole. */
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
        const last = asked.find(({ word }) => word.length >= MIN_TAIL_LENGTH && text.endsWith(plain(word)))
        const isForm = nearest && text !== '' && nearest.shared >= Math.min(3, text.length)
        return [...(isForm ? [nearest.word] : []), ...(last ? [last] : [])]
      })
  })
}

const SMALL =
  /^(?:\d+|an?|the|of|for|to|in|on|and|or|how|what|der|die|das|ein|eine|und|oder|von|für|zu|im?|un[eao]?|l[aeo]s?|el|los|du|des?|del|en|et|y)$/

const tokensOf = (text: string): string[] => wordsOf(plain(text)).filter((word) => !SMALL.test(word))

const headingsOf = ({ title, heading }: Source): string[][] =>
  [...title.replace(/\.\w{2,4}$/, '').split(/ [—–|-] /), ...(heading ?? '').split(' › ')]
    .map(tokensOf)
    .filter(({ length }) => length > 0)

/** Whether a text asks something itself, as in a table of contents. */
export const isQuestion = ({ text }: Pick<Unit, 'text'>): boolean => /[?？؟]$/.test(text)

/** Whether a text ends like a sentence and is mostly words, or is a list with its introduction. */
export function isSentence(text: string): boolean {
  if (text.includes('\n')) return true
  const letters = text.match(/[\p{L}\p{N}]/gu)?.length ?? 0
  return /[.!?…。！？۔][\p{Pe}\p{Pf}"']*$/u.test(text) && letters > 0.8 * text.replace(/\s/g, '').length
}

const namesIn = (question: string): string[] =>
  (question.match(/(?<=[\s\p{Ps}\p{Pi}"'])\p{Lu}\p{L}{3,}/gu) ?? []).map(plain)

const namesOf = ({ title, heading, content }: Source): Set<string> =>
  new Set((`${title} ${heading} ${content}`.match(/\p{Lu}[\p{L}\p{N}]*/gu) ?? []).map(plain))

/** Returns neighbouring words of the question that both say what it's about. */
function pairsIn(question: string, asked: readonly WeighedWord[]): [string, string][] {
  const about = new Set(asked.flatMap(({ word }) => wordsOf(plain(word))))
  const words = wordsOf(plain(question))
  const pairs = words.map((word, index): [string, string] => [word, words[index + 1] ?? ''])
  return pairs.filter((pair) => pair.every((word) => about.has(word)))
}

function phraseShare(text: string, pairs: readonly (readonly [string, string])[]): number {
  if (pairs.length === 0) return 0
  const words = wordsOf(plain(text))
  const has = ([first, second]: readonly [string, string]) =>
    words.some((word, index) => isForm(word, first) && isForm(words[index + 1] ?? '', second))
  return pairs.filter(has).length / Math.max(pairs.length, 2)
}

/** Returns a function that scores how well a text defines the subject. */
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

/** Matches a definition: a sentence that begins with the subject, optionally quoted or after an article, followed by a
 *  defining verb; or a list or glossary entry, where the subject precedes a colon, a dash or a new sentence. */
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

const has = (tokens: readonly string[], { word }: QuestionWord): boolean =>
  tokens.some((token) => isForm(token, plain(word)))

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
