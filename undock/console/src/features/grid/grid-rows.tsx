import clsx from 'clsx'
import type { Cell } from '../../lib/api.ts'
import { CellEditor } from './cell-editor.tsx'
import type { Grid } from './cell-edits.ts'
import { Header, Nearest, Reference, Value } from './grid-cells.tsx'
import type { Row, RowRequest } from './row-source.ts'
import type { CellPosition, GridSelection } from './use-grid-selection.ts'

export const MARK_WIDTH = 40

export const cellId = ({ row, column }: CellPosition): string => `cell-${row}-${column}`

type GridHeadProps = {
  columns: Grid['columns']
  widths: readonly number[]
  width: number
  sort: RowRequest['sort']
  isAllMarked: boolean
  onMarkAll: (isMarked: boolean) => void
  onSort: (column: string) => void
  onWidth: (index: number, width: number) => void
}

/** The heads of the columns, which stay when the rows are scrolled. */
export function GridHead({ columns, widths, width, sort, isAllMarked, onMarkAll, onSort, onWidth }: GridHeadProps) {
  return (
    <div role="rowgroup" className="sticky top-0 z-2" style={{ width }}>
      <div role="row" className="flex border-b bg-panel">
        <div role="columnheader" className="grid shrink-0 place-items-center" style={{ width: MARK_WIDTH }}>
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label="Mark all loaded rows"
            checked={isAllMarked}
            onChange={({ target }) => onMarkAll(target.checked)}
            className="accent-(--accent)"
          />
        </div>
        {columns.map((column, index) => (
          <Header
            key={column.name}
            column={column}
            width={widths[index] ?? 0}
            sort={sort?.column === column.name ? (sort.descending ? 'descending' : 'ascending') : 'none'}
            onSort={() => onSort(column.name)}
            onWidth={(next) => onWidth(index, next)}
          />
        ))}
      </div>
    </div>
  )
}

type GridRowProps = {
  grid: Grid
  as: string | undefined
  row: Row
  index: number
  /** Undefined if the number of rows before it is unknown. */
  number: number | undefined
  start: number
  widths: readonly number[]
  width: number
  selection: GridSelection
  isMarked: boolean
  /** The text typed to start editing the active cell; null for its value, undefined if it's not edited. */
  typed: string | null | undefined
  onMark: () => void
  onEdit: () => void
  onCancel: () => void
  onSave: (place: CellPosition, value: Cell) => void
}

export function GridRow(props: GridRowProps) {
  const { grid, as, row, index, number, start, widths, width, selection, isMarked, typed } = props
  const { relation, columns } = grid
  return (
    <div
      role="row"
      aria-rowindex={number}
      aria-selected={isMarked}
      className={clsx('absolute top-0 left-0 flex h-8 border-b text-[13px]', isMarked ? 'bg-accent-soft' : 'bg-page')}
      style={{ transform: `translateY(${start}px)`, width }}
    >
      <div role="gridcell" className="grid shrink-0 place-items-center" style={{ width: MARK_WIDTH }}>
        <input
          type="checkbox"
          tabIndex={-1}
          aria-label={`Mark row ${index + 1}`}
          checked={isMarked}
          onChange={props.onMark}
          className="accent-(--accent)"
        />
      </div>
      {columns.map((column, at) => {
        const place = { row: index, column: at }
        const value = row.cells[at] ?? null
        const isActive = selection.active.row === index && selection.active.column === at
        return (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the grid around it handles the keys
          <div
            key={column.name}
            id={cellId(place)}
            role="gridcell"
            aria-colindex={at + 1}
            className={clsx(
              'relative flex shrink-0 items-center gap-1 overflow-hidden border-line/60 border-r px-2',
              selection.has(place) && 'bg-accent-soft',
              isActive && 'outline-2 outline-accent -outline-offset-2',
            )}
            style={{ width: widths[at] }}
            onClick={(event) => (event.shiftKey ? selection.extendTo(place) : selection.moveTo(place))}
            onDoubleClick={props.onEdit}
          >
            <Value value={value} column={column} />
            <Reference relation={relation} column={column} value={value} as={as} />
            <Nearest relation={relation} column={column} cells={row.cells} />
            {isActive && typed !== undefined ? (
              <CellEditor
                relation={relation}
                as={as}
                column={column}
                value={value}
                typed={typed}
                onCancel={props.onCancel}
                onSave={(next) => props.onSave(place, next)}
              />
            ) : null}
          </div>
        )
      })}
    </div>
  )
}
