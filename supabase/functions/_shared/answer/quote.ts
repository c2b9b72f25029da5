import type { Sentence } from './answer.ts'
import { type Evidence, isSentence } from './evidence.ts'

/** The share of a question's weight that a place must have to answer it (measured by tests/bench/asking.ts and
 *  tests/acceptance/answers.test.ts). */
const ENOUGH = 0.58
/** A sentence of another place is marked as well when it has this share of what the best one has; headings, captions and feet of pages
 *  are not. */
const AS_GOOD = 0.6

/** The sentences among these places that answer the question, whole and with their lists; none when no place has enough of
 *  it. A sentence that two passages share is said once. */
export function quote(evidence: readonly Evidence[]): Sentence[] {
  const best = Math.max(0, ...evidence.map(({ coverage }) => coverage))
  const said = new Set<string>()
  return evidence
    .filter(({ coverage }) => coverage >= ENOUGH && coverage >= best * AS_GOOD)
    .flatMap(({ source, units }, place) =>
      units
        .filter(({ text }) => place === 0 || isSentence(text) || /[|:=]|^[-*•]| [-–—] /.test(text))
        .map(({ text }) => ({ text, cites: [source.n] })),
    )
    .filter(({ text }) => !said.has(text) && said.add(text))
}
