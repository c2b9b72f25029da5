import { type RefObject, useEffect } from 'react'
import type { Anchor, Remark } from '../anchors.ts'
import { mark, markRemarks, rangeOf, reveal } from './highlight.ts'

type HighlightedRange = Pick<Remark, 'quote' | 'start' | 'color'>

/** A stable key of the remarks. */
export const keyOf = (remarks: readonly HighlightedRange[]): string =>
  JSON.stringify(remarks.map(({ quote, start, color }) => ({ quote, start, color })))
export const remarksOf = (key: string): HighlightedRange[] => JSON.parse(key)

/** Marks the open passage and commented places in an element.
 *  @param drawn Changes with the element's content; null while there is none. */
export function useHighlights(
  root: RefObject<HTMLElement | null>,
  { anchor, remarks, drawn }: { anchor: Anchor | undefined; remarks: readonly Remark[]; drawn: unknown },
): void {
  const marked = keyOf(remarks)
  useEffect(() => {
    if (!root.current || drawn === null) return
    return markRemarks(root.current, remarksOf(marked))
  }, [root, marked, drawn])
  const { quote, start } = anchor ?? {}
  useEffect(() => {
    if (!root.current || drawn === null || !quote) return
    const range = rangeOf(root.current, { quote, start: start ?? null })
    if (!range) return
    reveal(range)
    return mark('passage', [range])
  }, [root, quote, start, drawn])
}
