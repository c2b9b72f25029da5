import type { Virtualizer } from '@tanstack/virtual-core'
import { type RefObject, useEffect, useLayoutEffect, useReducer, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { latePart } from './late-part.ts'

type Rows = { count: number; estimate: number; gap?: number; hasMore: boolean; onMore: () => void }

/** CSS pixels from the top of the page. */
type Row = { index: number; start: number; end: number }

type VirtualRows = {
  rows: readonly Row[]
  /** The list's start, and the height of all rows. */
  top: number
  height: number
  /** Ref for row elements, which need `data-index`. */
  measure: (row: Element | null) => void
  reveal: (index: number) => void
}

const AHEAD = 6

/** The virtualizer, loaded only when someone scrolls. */
const core = latePart(() => import('@tanstack/virtual-core'))

/** Renders only the visible rows of a long list, and loads more before its end.
 *  @param list The element with the rows, anywhere on the page. */
export function useVirtualRows(
  list: RefObject<HTMLElement | null>,
  { count, estimate, gap = 0, hasMore, onMore }: Rows,
): VirtualRows {
  const [top, setTop] = useState(0)
  useLayoutEffect(() => {
    const element = list.current
    if (element) setTop(element.getBoundingClientRect().top + scrollY)
  }, [list])
  const [isMoved, setMoved] = useState(() => scrollY > 0)
  useEffect(() => {
    const listeners = new AbortController()
    for (const name of ['scroll', 'resize']) addEventListener(name, () => setMoved(true), { signal: listeners.signal })
    return () => listeners.abort()
  }, [])
  const virtualizer = useVirtualizer(isMoved, { count, estimate, gap, top })
  const [revealed, setRevealed] = useState<number>()
  useEffect(() => {
    if (!virtualizer || revealed === undefined) return
    virtualizer.scrollToIndex(revealed)
    setRevealed(undefined)
  }, [virtualizer, revealed])
  const rows = virtualizer?.getVirtualItems() ?? firstRows(count, estimate, gap, top)
  const last = rows.at(-1)?.index ?? 0
  useEffect(() => {
    if (hasMore && last >= count - AHEAD) onMore()
  }, [hasMore, last, count, onMore])
  return {
    rows,
    top,
    height: virtualizer?.getTotalSize() ?? Math.max(0, count * (estimate + gap) - gap),
    measure: virtualizer?.measureElement ?? unmeasured,
    reveal: (index) => {
      setMoved(true)
      setRevealed(index)
    },
  }
}

const unmeasured = (): void => {}

/** The rows that fill an unscrolled window, by estimated height. */
function firstRows(count: number, estimate: number, gap: number, top: number): Row[] {
  return Array.from({ length: Math.min(count, Math.ceil(innerHeight / (estimate + gap)) + AHEAD) }, (_, index) => {
    const start = top + index * (estimate + gap)
    return { index, start, end: start + estimate }
  })
}

type Sizes = { count: number; estimate: number; gap: number; top: number }

/** TanStack's window virtualizer, like its React adapter, but loaded late. */
function useVirtualizer(isWanted: boolean, { count, estimate, gap, top }: Sizes) {
  const parts = core.use(isWanted)
  const [, render] = useReducer((renders: number) => renders + 1, 0)
  const made = useRef<Virtualizer<Window, Element>>(undefined)
  const isMeasuring = useRef(false)
  if (parts) {
    const options = {
      count,
      gap,
      overscan: AHEAD,
      scrollMargin: top,
      estimateSize: () => estimate,
      getScrollElement: () => window,
      observeElementRect: parts.observeWindowRect,
      observeElementOffset: parts.observeWindowOffset,
      scrollToFn: parts.windowScroll,
      // Keeps existing rows when it takes over.
      initialOffset: () => scrollY,
      initialRect: { width: innerWidth, height: innerHeight },
      onChange: (_: unknown, isSync: boolean) => {
        // Not while React sets refs.
        if (isSync && !isMeasuring.current) flushSync(render)
        else render()
      },
    }
    if (made.current) made.current.setOptions(options)
    else {
      made.current = new parts.Virtualizer<Window, Element>(options)
      const { measureElement } = made.current
      made.current.measureElement = (row) => {
        isMeasuring.current = true
        measureElement(row)
        isMeasuring.current = false
      }
    }
  }
  const virtualizer = parts && made.current
  useLayoutEffect(() => virtualizer?._didMount(), [virtualizer])
  useLayoutEffect(() => virtualizer?._willUpdate())
  return virtualizer
}
