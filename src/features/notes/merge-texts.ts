import { diff } from '@codemirror/merge'

type Replacement = { from: number; to: number; text: string }

const changesTo = (base: string, text: string): Replacement[] =>
  diff(base, text).map(({ fromA, toA, fromB, toB }) => ({ from: fromA, to: toA, text: text.slice(fromB, toB) }))

/** Merges two people's changes; undefined if they overlap. */
export function mergeTexts(base: string, mine: string, theirs: string): string | undefined {
  const [ours, others] = [changesTo(base, mine), changesTo(base, theirs)]
  // Touching counts as overlapping: two insertions at one place have no order.
  const clash = ours.some((a) => others.some((b) => a.from <= b.to && b.from <= a.to && !same(a, b)))
  if (clash) return undefined
  const all = [...ours, ...others.filter((b) => !ours.some((a) => same(a, b)))].toSorted((a, b) => a.from - b.from)
  let merged = ''
  let reached = 0
  for (const { from, to, text } of all) {
    merged += base.slice(reached, from) + text
    reached = to
  }
  return merged + base.slice(reached)
}

const same = (a: Replacement, b: Replacement): boolean => a.from === b.from && a.to === b.to && a.text === b.text
