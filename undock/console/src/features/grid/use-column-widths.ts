import { type RefObject, useEffect, useEffectEvent, useState } from 'react'
import type { Column } from '../catalog.ts'
import { initialWidth } from './columns.ts'
import { MARK_WIDTH } from './grid-rows.tsx'

/** What of a box is seen, in pixels. */
type Seen = { readonly scrollLeft: number; readonly clientWidth: number }

/** Where a box is scrolled to, so that a column is seen in whole, with as little movement as that takes.
 *  @param widths In pixels; the marks before the first column stay where they are. */
export function scrollLeftFor(column: number, widths: readonly number[], { scrollLeft, clientWidth }: Seen): number {
  const left = widths.slice(0, column).reduce((sum, one) => sum + one, 0)
  const right = left + (widths[column] ?? 0) + MARK_WIDTH
  if (left < scrollLeft) return left
  return right > scrollLeft + clientWidth ? right - clientWidth : scrollLeft
}

/** The widths of a grid's columns, which a person changes.
 *  @param last What brings the last column into view when it changes. */
export function useColumnWidths(
  columns: readonly Column[],
  box: RefObject<HTMLElement | null>,
  last: string | undefined,
) {
  const [given, setGiven] = useState<readonly number[]>([])
  const widths = columns.map((column, n) => given[n] ?? initialWidth(column))
  const scrollToColumn = (column: number) => {
    if (box.current) box.current.scrollLeft = scrollLeftFor(column, widths, box.current)
  }
  const scrollToLast = useEffectEvent(() => scrollToColumn(columns.length - 1))
  useEffect(() => {
    if (last !== undefined) scrollToLast()
  }, [last])
  return {
    widths,
    /** Of all columns and the marks before them. */
    width: widths.reduce((sum, one) => sum + one, MARK_WIDTH),
    setWidth: (column: number, width: number) => setGiven(widths.with(column, width)),
    scrollToColumn,
  }
}
