import type { Cell } from '../../lib/api.ts'
import type { Column, RelationDetail } from '../catalog.ts'
import { type CellChange, keyOf } from './changes.ts'
import { fromClipboard, toClipboard } from './clipboard.ts'
import type { Row, RowRequest } from './row-source.ts'
import type { CellPosition, Range } from './use-grid-selection.ts'

/** A change of a visible cell. @property row Its row in the grid. @property index Its column. */
export type Edit = CellChange & { readonly row: number; readonly index: number; readonly before: Cell }

/** A grid's columns and rows. */
export type Grid = {
  readonly relation: RelationDetail
  readonly columns: readonly Column[]
  readonly rows: readonly Row[]
}

/** Returns the change of one cell, if the cell exists, is editable and has another value. */
export function editOf({ relation, columns, rows }: Grid, { row, column }: CellPosition, value: Cell): Edit[] {
  const [at, of] = [rows[row], columns[column]]
  if (!at || !of || of.isGenerated) return []
  const before = at.cells[column] ?? null
  return before === value ? [] : [{ row, index: column, before, key: keyOf(relation, at.cells), column: of, value }]
}

/** Sets the nullable cells of a range to null. */
export const clearRange = (grid: Grid, { rows: [top, bottom], columns: [left, right] }: Range): Edit[] =>
  Array.from({ length: bottom - top + 1 }, (_, down) =>
    Array.from({ length: right - left + 1 }, (_, across) => ({ row: top + down, column: left + across })),
  )
    .flat()
    .flatMap((place) => (grid.columns[place.column]?.isNullable ? editOf(grid, place, null) : []))

/** Pastes the clipboard's cells from a place on. An empty one becomes null if the column is nullable. */
export const paste = (grid: Grid, { row, column }: CellPosition, text: string): Edit[] =>
  fromClipboard(text).flatMap((cells, down) =>
    cells.flatMap((value, across) => {
      const isNull = value === '' && grid.columns[column + across]?.isNullable === true
      return editOf(grid, { row: row + down, column: column + across }, isNull ? null : value)
    }),
  )

export const copy = ({ rows }: Grid, { rows: [top, bottom], columns: [left, right] }: Range): string =>
  toClipboard(rows.slice(top, bottom + 1).map(({ cells }) => cells.slice(left, right + 1)))

/** Returns a row's id. Marks stay with their rows when the order or filter changes. */
export const rowId = (relation: RelationDetail, { cells, place }: Row): string =>
  (relation.key.length > 0 ? keyOf(relation, cells) : place).join('\u0000')

/** Ascending, then descending, then unsorted. */
export function nextSort(sort: RowRequest['sort'], column: string): RowRequest['sort'] {
  if (sort?.column !== column) return { column, descending: false }
  return sort.descending ? null : { column, descending: true }
}
