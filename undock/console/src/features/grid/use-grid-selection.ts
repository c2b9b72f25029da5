import { useState } from 'react'

export type CellPosition = { readonly row: number; readonly column: number }

/** The rectangle of cells from the first to the last row and column, both included. */
export type Range = { readonly rows: readonly [number, number]; readonly columns: readonly [number, number] }

export type GridSelection = ReturnType<typeof useGridSelection>

/** A grid's active cell and the range selected from it with Shift. */
export function useGridSelection(size: { readonly rows: number; readonly columns: number }) {
  const [active, setActive] = useState<CellPosition>({ row: 0, column: 0 })
  const [end, setEnd] = useState<CellPosition>({ row: 0, column: 0 })
  const limit = ({ row, column }: CellPosition): CellPosition => ({
    row: Math.max(0, Math.min(size.rows - 1, row)),
    column: Math.max(0, Math.min(size.columns - 1, column)),
  })
  const range: Range = {
    rows: [Math.min(active.row, end.row), Math.max(active.row, end.row)],
    columns: [Math.min(active.column, end.column), Math.max(active.column, end.column)],
  }
  return {
    active,
    /** The cell that moves when the range is extended. */
    end,
    range,
    moveTo(place: CellPosition) {
      setActive(limit(place))
      setEnd(limit(place))
    },
    /** The rows moved down by so many lines, and the selection with them. */
    shift(lines: number) {
      const down = ({ row, column }: CellPosition): CellPosition => ({ row: row + lines, column })
      setActive(down)
      setEnd(down)
    },
    extendTo: (place: CellPosition) => setEnd(limit(place)),
    has: ({ row, column }: CellPosition): boolean =>
      row >= range.rows[0] && row <= range.rows[1] && column >= range.columns[0] && column <= range.columns[1],
  }
}
