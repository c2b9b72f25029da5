import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, useRef } from 'react'

type RowsOptions = {
  readonly count: number
  /** A row's height in pixels. */
  readonly height: number
  /** Rows rendered before and after the visible ones. */
  readonly overscan: number
  /** Keeps a row's element, and so the focus, when others arrive before it. */
  readonly keyOf?: (index: number) => string
}

/** The visible rows of a long list. */
export function useRows<Box extends HTMLElement>({ count, height, overscan, keyOf }: RowsOptions) {
  const box = useRef<Box>(null)
  const rows = useVirtualizer({
    count,
    getScrollElement: () => box.current,
    estimateSize: () => height,
    overscan,
    ...(keyOf && { getItemKey: keyOf }),
  })
  /** The row to focus once it's rendered. */
  const target = useRef<number | null>(null)
  /** Moves the focus with arrow keys between elements with `data-row`, the row's index. */
  const walk = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const at = (event.target as HTMLElement).dataset.row
    if (step === undefined || at === undefined) return
    event.preventDefault()
    // Keys arrive faster than rows are rendered, so each step starts from the last one's target.
    const next = Math.min(count - 1, Math.max(0, (target.current ?? Number(at)) + step))
    target.current = next
    rows.scrollToIndex(next)
    requestAnimationFrame(() => {
      if (target.current !== next) return
      target.current = null
      box.current?.querySelector<HTMLElement>(`[data-row="${next}"]`)?.focus({ preventScroll: true })
    })
  }
  return { box, items: rows.getVirtualItems(), total: rows.getTotalSize(), walk }
}
