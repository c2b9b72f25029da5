import { type RefObject, useEffect, useEffectEvent } from 'react'
import type { Selected } from './anchors.ts'

/** The database's own limit on a quote. */
const LONGEST = 2000
/** Shorter than this is a slip of the hand. */
const SHORTEST = 3

/** Tells what is selected within an element, and when nothing is any more. */
export function useSelected(
  root: RefObject<HTMLElement | null>,
  onSelect: (selected: Selected | undefined) => void,
): void {
  const tell = useEffectEvent(onSelect)
  useEffect(() => {
    const listen = () => {
      const selection = getSelection()
      const range = selection && selection.rangeCount > 0 ? selection.getRangeAt(0) : undefined
      if (!range || !root.current?.contains(range.commonAncestorContainer)) return
      tell(selectedIn(range))
    }
    document.addEventListener('selectionchange', listen)
    return () => document.removeEventListener('selectionchange', listen)
  }, [root])
}

/** @param frame What the range's document is shown in, where it is a frame. */
export function selectedIn(range: Range, frame?: Element): Selected | undefined {
  const quote = range.toString().replaceAll(/\s+/g, ' ').trim().slice(0, LONGEST)
  if (quote.length < SHORTEST) return undefined
  const box = range.getBoundingClientRect()
  const offset = frame?.getBoundingClientRect()
  const start = range.startContainer.parentElement?.closest<HTMLElement>('[data-page]')
  return {
    quote,
    page: start?.dataset.page ? Number(start.dataset.page) : null,
    top: box.top + (offset?.top ?? 0),
    left: box.left + box.width / 2 + (offset?.left ?? 0),
  }
}
