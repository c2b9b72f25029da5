import { useInfiniteQuery } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useEffect } from 'react'
import { type RowRequest, rowsQuery } from './row-source.ts'

export const ROW_HEIGHT = 32

export type GridRows = ReturnType<typeof useGridRows>

/** The loaded and the visible rows; loads more before the edge is reached. */
export function useGridRows(request: RowRequest, box: RefObject<HTMLElement | null>) {
  const pages = useInfiniteQuery(rowsQuery(request))
  const rows = pages.data?.pages.flatMap((page) => page.rows) ?? []
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
  })
  const items = virtual.getVirtualItems()
  const first = items[0]?.index ?? -1
  const last = items.at(-1)?.index ?? -1
  const { hasNextPage, fetchNextPage, hasPreviousPage, fetchPreviousPage, isFetching, isError } = pages
  useEffect(() => {
    // A second request would end the first.
    if (isFetching || isError || rows.length === 0) return
    if (last >= rows.length - 50 && hasNextPage) void fetchNextPage()
    else if (first <= 50 && hasPreviousPage) void fetchPreviousPage()
  }, [first, last, rows.length, hasNextPage, fetchNextPage, hasPreviousPage, fetchPreviousPage, isFetching, isError])
  return {
    pages,
    rows,
    items,
    height: virtual.getTotalSize(),
    scrollToRow: (row: number) => virtual.scrollToIndex(Math.max(0, Math.min(rows.length - 1, row))),
  }
}
