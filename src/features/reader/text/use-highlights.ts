import { type RefObject, useEffect } from 'react'
import type { Anchor } from '../anchors.ts'
import { mark, rangeOf, reveal } from './highlight.ts'

/** Marks the open passage and the commented places in an element.
 *  @param drawn Changes with the element's content; null while there is none. */
export function useHighlights(
  root: RefObject<HTMLElement | null>,
  { anchor, remarks, drawn }: { anchor: Anchor | undefined; remarks: readonly Anchor[]; drawn: unknown },
): void {
  const quotes = remarks.map(({ quote }) => quote).join('\n')
  useEffect(() => {
    if (!root.current || drawn === null) return
    const within = root.current
    return mark(
      'comments',
      quotes.split('\n').flatMap((quote) => (quote ? (rangeOf(within, quote) ?? []) : [])),
    )
  }, [root, quotes, drawn])
  const quote = anchor?.quote
  useEffect(() => {
    if (!root.current || drawn === null || !quote) return
    const range = rangeOf(root.current, quote)
    if (!range) return
    reveal(range)
    return mark('passage', [range])
  }, [root, quote, drawn])
}
