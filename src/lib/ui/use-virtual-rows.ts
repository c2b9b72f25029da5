import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useEffect, useLayoutEffect, useState } from 'react'

type Rows = { count: number; estimate: number; gap?: number; hasMore: boolean; onMore: () => void }

/** Rows that are rendered above and below the window. */
const AHEAD = 6

/** Renders only the rows of a long list that are in the window, and loads more before its end is reached.
 *  @param list The element that contains the rows; it may begin anywhere on the page. */
export function useVirtualRows(
  list: RefObject<HTMLElement | null>,
  { count, estimate, gap = 0, hasMore, onMore }: Rows,
) {
  const [top, setTop] = useState(0)
  useLayoutEffect(() => {
    const element = list.current
    if (element) setTop(element.getBoundingClientRect().top + scrollY)
  }, [list])
  const virtualizer = useWindowVirtualizer({
    count,
    estimateSize: () => estimate,
    gap,
    overscan: AHEAD,
    scrollMargin: top,
  })
  const rows = virtualizer.getVirtualItems()
  const last = rows.at(-1)?.index ?? 0
  useEffect(() => {
    if (hasMore && last >= count - AHEAD) onMore()
  }, [hasMore, last, count, onMore])
  return { virtualizer, rows, top, height: virtualizer.getTotalSize() }
}
