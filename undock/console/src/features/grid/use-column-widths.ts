import { type RefObject, useEffect, useEffectEvent, useState } from 'react'
import type { Column } from '../catalog.ts'
import { initialWidth } from './columns.ts'
import { MARK_WIDTH } from './grid-rows.tsx'

/** The visible part of a box in pixels. */
type Seen = { readonly scrollLeft: number; readonly clientWidth: number }

/** Returns the scroll position that shows a whole column with the least movement. @param widths In pixels; the check boxes before the first
 *  column don't scroll. */
export function scrollLeftFor(column: number, widths: readonly number[], { scrollLeft, clientWidth }: Seen): number {
  const left = widths.slice(0, column).reduce((sum, one) => sum + one, 0)
  const right = left + (widths[column] ?? 0) + MARK_WIDTH
  if (left < scrollLeft) return left
  return right > scrollLeft + clientWidth ? right - clientWidth : scrollLeft
}

/** The widths of a grid's columns, which the user can change. @param last Scrolls to the last column when it changes. */
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
    /** The total width, including the check boxes. */
    width: widths.reduce((sum, one) => sum + one, MARK_WIDTH),
    setWidth: (column: number, width: number) => setGiven(widths.with(column, width)),
    scrollToColumn,
  }
}
