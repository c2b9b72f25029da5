import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, useRef } from 'react'

type RowsOptions = {
  readonly count: number
  /** Pixels of each row. */
  readonly height: number
  /** Rows that are drawn before and after those in sight. */
  readonly overscan: number
  /** Keeps a row's element, and with it the focus, when others arrive before it. */
  readonly keyOf?: (index: number) => string
}

/** The rows of a long list that are in sight of its box. */
export function useRows<Box extends HTMLElement>({ count, height, overscan, keyOf }: RowsOptions) {
  const box = useRef<Box>(null)
  const rows = useVirtualizer({
    count,
    getScrollElement: () => box.current,
    estimateSize: () => height,
    overscan,
    ...(keyOf && { getItemKey: keyOf }),
  })
  /** The row that gets the focus once it is rendered. */
  const target = useRef<number | null>(null)
  /** Moves the focus by arrow keys between the elements whose `data-row` is the index of their row. */
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
