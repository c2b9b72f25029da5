import type { Cell } from '../../lib/api.ts'
import type { Column, RelationDetail } from '../catalog.ts'
import { type CellChange, keyOf } from './changes.ts'
import { fromClipboard, toClipboard } from './clipboard.ts'
import type { Row, RowRequest } from './row-source.ts'
import type { CellPosition, Range } from './use-grid-selection.ts'

/** A change of a cell that is shown. @property row Its place in the grid. @property index That of its column. */
export type Edit = CellChange & { readonly row: number; readonly index: number; readonly before: Cell }

/** What a grid shows. */
export type Grid = {
  readonly relation: RelationDetail
  readonly columns: readonly Column[]
  readonly rows: readonly Row[]
}

/** The change of one cell, if it is one: there is such a cell, it can be changed, and has another value. */
export function editOf({ relation, columns, rows }: Grid, { row, column }: CellPosition, value: Cell): Edit[] {
  const [at, of] = [rows[row], columns[column]]
  if (!at || !of || of.isGenerated) return []
  const before = at.cells[column] ?? null
  return before === value ? [] : [{ row, index: column, before, key: keyOf(relation, at.cells), column: of, value }]
}

/** Makes the cells of a range null where they may be. */
export const clearRange = (grid: Grid, { rows: [top, bottom], columns: [left, right] }: Range): Edit[] =>
  Array.from({ length: bottom - top + 1 }, (_, down) =>
    Array.from({ length: right - left + 1 }, (_, across) => ({ row: top + down, column: left + across })),
  )
    .flat()
    .flatMap((place) => (grid.columns[place.column]?.isNullable ? editOf(grid, place, null) : []))

/** Puts the cells of the clipboard over those from a place on. An empty one is null where that may be. */
export const paste = (grid: Grid, { row, column }: CellPosition, text: string): Edit[] =>
  fromClipboard(text).flatMap((cells, down) =>
    cells.flatMap((value, across) => {
      const isNull = value === '' && grid.columns[column + across]?.isNullable === true
      return editOf(grid, { row: row + down, column: column + across }, isNull ? null : value)
    }),
  )

export const copy = ({ rows }: Grid, { rows: [top, bottom], columns: [left, right] }: Range): string =>
  toClipboard(rows.slice(top, bottom + 1).map(({ cells }) => cells.slice(left, right + 1)))

/** The name of a row. Marks belong to rows, wherever another order or filter puts them. */
export const rowId = (relation: RelationDetail, { cells, place }: Row): string =>
  (relation.key.length > 0 ? keyOf(relation, cells) : place).join('\u0000')

/** Ascending, then descending, then unsorted. */
export function nextSort(sort: RowRequest['sort'], column: string): RowRequest['sort'] {
  if (sort?.column !== column) return { column, descending: false }
  return sort.descending ? null : { column, descending: true }
}
