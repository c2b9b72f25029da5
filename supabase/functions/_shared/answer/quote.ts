import type { Sentence } from './answer.ts'
import { type Evidence, isSentence } from './evidence.ts'

/** The share of a question's weight that evidence needs to count as an answer (measured by tests/bench/asking.ts and
 *  tests/acceptance/answers.test.ts). */
const ENOUGH = 0.58
/** A sentence from elsewhere is quoted as well if it reaches this share of the best one; headings, captions and page
 *  footers are not. */
const AS_GOOD = 0.6

/** Returns the sentences that answer the question, whole and with their lists, or none if no evidence covers enough of
 *  it. A sentence shared by two passages is returned once. */
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
