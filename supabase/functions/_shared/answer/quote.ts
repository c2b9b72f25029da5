import type { Sentence, Source } from './answer.ts'
import { coverage, sentencesOf, stemsOf } from './words.ts'

/** The maximum number of sentences in a quoted answer, and of the best passages they are taken from. */
const MOST_SENTENCES = 4
const MOST_SOURCES = 6
/** A passage with a smaller share of the question's words is about something else. */
const LEAST_COVERAGE = 0.5
/** A sentence with less than this share of the best one's score adds nothing. */
const WORTH_SAYING = 0.6

/** The sources that can be about the question at all; an empty list means that the library has no answer. */
export function relevant(question: string, sources: readonly Source[]): Source[] {
  const wanted = stemsOf(question)
  return sources.filter(({ content, heading, title, related }) => {
    if (related) return true
    return wanted.size > 0 && coverage(wanted, stemsOf(`${title} ${heading ?? ''} ${content}`)) >= LEAST_COVERAGE
  })
}

/** An answer made of the library's own sentences: those with most of the question's words, where rare words count
 *  more. */
export function quote(question: string, sources: readonly Source[]): Sentence[] {
  const wanted = stemsOf(question)
  const best = sources.slice(0, MOST_SOURCES)
  const contents = best.map(({ content }) => stemsOf(content))
  const rarity = (stem: string) => 1 / (1 + contents.filter((stems) => stems.has(stem)).length)
  const candidates = best.flatMap((source, rank) =>
    sentencesOf(source.content).map((text, place) => ({
      text,
      n: source.n,
      place: rank * 1000 + place,
      // The order of the search decides between equal scores: it considers more than words.
      worth: coverage(wanted, stemsOf(text), rarity) - rank / 100,
    })),
  )
  const ranked = candidates.toSorted((a, b) => b.worth - a.worth)
  const least = Math.max(0.05, (ranked[0]?.worth ?? 0) * WORTH_SAYING)
  const chosen = ranked.filter(({ worth }) => worth >= least).slice(0, MOST_SENTENCES)
  // When no single sentence contains the words, the beginning of the best passage is quoted.
  const said = chosen.length > 0 ? chosen : candidates.slice(0, 2)
  return said.toSorted((a, b) => a.place - b.place).map(({ text, n }) => ({ text, cites: [n], supported: true }))
}
