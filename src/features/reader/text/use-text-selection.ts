import { type RefObject, useEffect, useEffectEvent } from 'react'
import { MAX_LENGTH } from '../../../../supabase/functions/_shared/facts.ts'
import type { Selected } from '../anchors.ts'
import { countLetters } from './locate.ts'

const MIN_QUOTE_LENGTH = 3

/** Reports the selected text within an element, and when it's cleared. */
export function useTextSelection(
  root: RefObject<HTMLElement | null>,
  onSelect: (selected: Selected | undefined) => void,
): void {
  const tell = useEffectEvent(onSelect)
  useEffect(() => {
    const listen = () => {
      const selection = getSelection()
      const range = selection && selection.rangeCount > 0 ? selection.getRangeAt(0) : undefined
      if (!range || !root.current?.contains(range.commonAncestorContainer)) return
      tell(textSelectionIn(range, root.current))
    }
    document.addEventListener('selectionchange', listen)
    return () => document.removeEventListener('selectionchange', listen)
  }, [root])
}

/** @param root The document's text. @param frame The frame that contains the range, if any. */
export function textSelectionIn(range: Range, root: Element, frame?: Element): Selected | undefined {
  const quote = range.toString().replaceAll(/\s+/g, ' ').trim().slice(0, MAX_LENGTH['comments.quote'])
  if (quote.length < MIN_QUOTE_LENGTH) return undefined
  const box = range.getBoundingClientRect()
  const offset = frame?.getBoundingClientRect()
  const start = range.startContainer.parentElement?.closest<HTMLElement>('[data-page]')
  return {
    quote,
    page: start?.dataset.page ? Number(start.dataset.page) : null,
    start: lettersBefore(range, start ?? root),
    top: box.top + (offset?.top ?? 0),
    left: box.left + box.width / 2 + (offset?.left ?? 0),
  }
}

function lettersBefore(range: Range, within: Element): number {
  const before = range.cloneRange()
  before.setStart(within, 0)
  before.setEnd(range.startContainer, range.startOffset)
  return countLetters(before.toString())
}
