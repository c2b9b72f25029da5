import type { Line } from './lines.ts'

/** The word that is continued on the next line, and its continuation; either may have hyphens of its own. */
const HEAD = /[\p{L}\p{M}]+(?:-[\p{L}\p{M}]+)*(?=-$)/u
const TAIL = /^[\p{L}\p{M}]+(?:-[\p{L}\p{M}]+)*/u
const WORDS = /[\p{L}\p{M}]+(?:-[\p{L}\p{M}]+)*-?/gu
/** Before these, a word that ends in a hyphen is short for a compound: Ein- und Ausgang. The Dutch "en" is also a German
 *  syllable (bau-en). */
const CONJUNCTION = /^(?:und|oder|bzw|sowie|and|or|och|og|en)$/
/** No other words are divided at line ends. */
const CASED_END = /[\p{Lu}\p{Ll}]\p{M}*-$/u
const [UPPER_END, UPPER_START] = [/\p{Lu}-$/u, /^\p{Lu}/u]
/** The least share of a hyphenated document's lines that end inside a word. Compounds alone end fewer. */
const HYPHENATED = 0.015
/** Shorter documents count as hyphenated. */
const ENOUGH_LINES = 40

/** Joins a text that ends in a hyphen with the next line. */
export type Join = (text: string, next: string) => string | undefined

/** Learns from a document's lines which hyphens at their ends belong to the words.
 *  @returns joins two lines; undefined if the first one doesn't end inside a word. */
export function hyphensOf(lines: readonly Line[]): Join {
  const words = new Set<string>()
  let ends = 0
  let isContinued = false
  for (const { text } of lines) {
    const found = text.toLowerCase().match(WORDS) ?? []
    for (const word of isContinued ? found.slice(1) : found) if (!word.endsWith('-')) words.add(word)
    isContinued = HEAD.test(text)
    if (isContinued) ends += 1
  }
  const isHyphenated = lines.length < ENOUGH_LINES || ends > lines.length * HYPHENATED
  return (text, next) => {
    const [head, tail] = [HEAD.exec(text)?.[0].toLowerCase(), TAIL.exec(next)?.[0].toLowerCase()]
    if (head === undefined || tail === undefined) return undefined
    const whole = text.slice(0, -1) + next
    if (words.has(head + tail)) return whole
    if (CONJUNCTION.test(tail) && (tail !== 'en' || words.has('en'))) return `${text} ${next}`
    const isCompound =
      words.has(`${head}-${tail}`) ||
      (head.includes('-') && words.has(tail)) ||
      // Rhein-Main, NASA-based.
      UPPER_END.test(text) !== UPPER_START.test(next) ||
      !CASED_END.test(text)
    return isHyphenated && !isCompound ? whole : text + next
  }
}
