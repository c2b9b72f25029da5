import { type RefObject, useEffect } from 'react'
import type { Anchor } from '../anchors.ts'
import { mark, rangeOf, reveal } from './highlight.ts'

type Remark = Pick<Anchor, 'quote' | 'start'>

/** Anchors as one value, which stays the same as long as they do. */
export const keyOf = (anchors: readonly Anchor[]): string =>
  JSON.stringify(anchors.map(({ quote, start }) => [quote, start ?? null]))
export const anchorsOf = (key: string): Remark[] =>
  (JSON.parse(key) as [string, number | null][]).map(([quote, start]) => ({ quote, start }))

/** Marks the open passage and the commented places in an element.
 *  @param drawn Changes with the element's content; null while there is none. */
export function useHighlights(
  root: RefObject<HTMLElement | null>,
  { anchor, remarks, drawn }: { anchor: Anchor | undefined; remarks: readonly Anchor[]; drawn: unknown },
): void {
  const marked = keyOf(remarks)
  useEffect(() => {
    if (!root.current || drawn === null) return
    const within = root.current
    return mark(
      'comments',
      anchorsOf(marked).flatMap((remark) => rangeOf(within, remark) ?? []),
    )
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
