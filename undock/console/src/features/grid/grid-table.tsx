import clsx from 'clsx'
import type { RefObject } from 'react'
import { toggled } from '../../lib/toggled.ts'
import { nextSort, rowId } from './cell-edits.ts'
import { cellId, GridHead, GridRow } from './grid-rows.tsx'
import { gridColumns, type Row, type RowRequest } from './row-source.ts'
import { useColumnWidths } from './use-column-widths.ts'
import { useGridCommands } from './use-grid-commands.ts'
import type { GridRows } from './use-grid-rows.ts'
import type { GridSelection } from './use-grid-selection.ts'
import { useRowChanges } from './use-row-changes.ts'

type GridTableProps = {
  request: RowRequest
  box: RefObject<HTMLDivElement | null>
  loaded: GridRows
  selection: GridSelection
  /** The ids of the marked rows. */
  marks: ReadonlySet<string>
  onMarks: (marks: ReadonlySet<string>) => void
  onSort: (sort: RowRequest['sort']) => void
  onPart: (part: 'end' | null) => void
}

/** The cells of a grid, with their keys, clipboard and edits. */
export function GridTable({ request, box, loaded, selection, marks, onMarks, onSort, onPart }: GridTableProps) {
  const { relation, sort, as, near } = request
  const { pages, rows, items, height, scrollToRow } = loaded
  const { hasNextPage, hasPreviousPage } = pages
  const columns = gridColumns(request)
  const grid = { relation, columns, rows }
  // The distance is the last column.
  const { widths, width, setWidth, scrollToColumn } = useColumnWidths(columns, box, near?.key.join('\u0000'))
  const { save } = useRowChanges(request)
  const toggle = (index: number) => {
    const row = rows[index]
    if (row) onMarks(toggled(marks, rowId(relation, row)))
  }
  const commands = useGridCommands({
    box,
    grid,
    selection,
    hasPrevious: hasPreviousPage,
    hasNext: hasNextPage,
    scrollTo(place) {
      scrollToRow(place.row)
      scrollToColumn(place.column)
    },
    onPart,
    onMark: toggle,
    onSave: save.mutate,
  })
  const isMarked = (row: Row) => marks.has(rowId(relation, row))
  return (
    <div
      ref={box}
      role="grid"
      aria-label={`Rows of ${relation.name}`}
      aria-rowcount={hasNextPage || hasPreviousPage ? -1 : rows.length + 1}
      aria-colcount={columns.length}
      aria-activedescendant={rows.length > 0 ? cellId(selection.end) : undefined}
      tabIndex={0}
      onKeyDown={commands.onKeyDown}
      onCopy={commands.onCopy}
      onPaste={commands.onPaste}
      className={clsx(
        'min-h-0 overflow-auto outline-none [overflow-anchor:none]',
        rows.length > 0 ? 'flex-1' : 'shrink-0',
      )}
    >
      <GridHead
        columns={columns}
        widths={widths}
        width={width}
        sort={sort}
        isAllMarked={rows.length > 0 && rows.every(isMarked)}
        onMarkAll={(isAll) => onMarks(new Set(isAll ? rows.map((row) => rowId(relation, row)) : []))}
        onSort={(column) => (near ? undefined : onSort(nextSort(sort, column)))}
        onWidth={setWidth}
      />
      <div
        // Without rows it is no group of them.
        role={items.length > 0 ? 'rowgroup' : 'presentation'}
        className="relative"
        style={{ height, width }}
      >
        {items.map(({ index, start }) => {
          const row = rows[index]
          return row ? (
            <GridRow
              key={row.place.join('\u0000') || index}
              grid={grid}
              as={as}
              row={row}
              index={index}
              number={hasPreviousPage ? undefined : index + 2}
              start={start}
              widths={widths}
              width={width}
              selection={selection}
              isMarked={isMarked(row)}
              typed={commands.typed}
              onMark={() => toggle(index)}
              onEdit={() => commands.beginEdit(null)}
              onCancel={commands.endEdit}
              onSave={commands.saveCell}
            />
          ) : null
        })}
      </div>
    </div>
  )
}
