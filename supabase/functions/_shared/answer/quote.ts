import type { Sentence } from './answer.ts'
import type { Evidence } from './evidence.ts'

/** The share of a question's weight that a place must have to answer it. Of 30 questions that the demo library answers, 29
 *  have more at the right place; of 30 that it does not answer, 27 have less (tests/acceptance/answers.test.ts). */
const ENOUGH = 0.52
/** Another place is quoted as well when it has this share of what the best one has. */
const AS_GOOD = 0.9
const MOST_SENTENCES = 4

/** The places that answer the question, the best first; none when the library has no answer. */
export const answering = (evidence: readonly Evidence[]): Evidence[] =>
  evidence.filter(({ coverage }) => coverage >= ENOUGH)

/** An answer of the library's own sentences, whole and with their lists: the best place first, then others that have about
 *  as much of the question. A sentence that two passages share is said once. */
export function quote(evidence: readonly Evidence[]): Sentence[] {
  const least = (evidence[0]?.coverage ?? 0) * AS_GOOD
  const said = new Set<string>()
  const sentences = evidence
    .filter(({ coverage }) => coverage >= least)
    .flatMap(({ source, units }) => units.map(({ text }) => ({ text, cites: [source.n], supported: true })))
  return sentences.filter(({ text }) => !said.has(text) && said.add(text)).slice(0, MOST_SENTENCES)
}
