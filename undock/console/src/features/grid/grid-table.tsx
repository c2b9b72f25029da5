import clsx from 'clsx'
import { type ClipboardEvent, type KeyboardEvent, type RefObject, useState } from 'react'
import { tellFailure } from '../../components/toast.tsx'
import type { Cell } from '../../lib/api.ts'
import { toggled } from '../../lib/state.ts'
import { clearRange, copy, type Edit, editOf, type Grid, nextSort, paste, rowId } from './cell-edits.ts'
import { whyReadOnly } from './changes.ts'
import { gridAction } from './grid-keys.ts'
import { cellId, GridHead, GridRow } from './grid-rows.tsx'
import { gridColumns, type Row, type RowRequest } from './row-source.ts'
import { useColumnWidths } from './use-column-widths.ts'
import type { GridRows } from './use-grid-rows.ts'
import type { CellPosition, GridSelection } from './use-grid-selection.ts'
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
        // An empty grid has no row group.
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

type GridCommands = {
  readonly box: RefObject<HTMLElement | null>
  readonly grid: Grid
  readonly selection: GridSelection
  /** Whether there are rows before and after the loaded ones. */
  readonly hasPrevious: boolean
  readonly hasNext: boolean
  readonly scrollTo: (place: CellPosition) => void
  readonly onPart: (part: 'end' | null) => void
  readonly onMark: (row: number) => void
  readonly onSave: (edits: readonly Edit[]) => void
}

/** Handles keys, the clipboard and the edit of the active cell. */
function useGridCommands(options: GridCommands) {
  const { box, grid, selection, hasPrevious, hasNext, scrollTo, onPart, onMark, onSave } = options
  const { relation, columns, rows } = grid
  const [editing, setEditing] = useState<{ typed: string | null } | null>(null)
  const readOnly = whyReadOnly(relation)
  const save = (edits: () => readonly Edit[]) => {
    if (readOnly) return tellFailure(new Error(readOnly))
    const changes = edits()
    if (changes.length > 0) onSave(changes)
  }
  const beginEdit = (typed: string | null) => {
    const column = columns[selection.active.column]
    if (readOnly) return tellFailure(new Error(readOnly))
    if (!column || rows.length === 0) return
    if (column.isGenerated) return tellFailure(new Error(`${column.name} is generated from other columns.`))
    setEditing({ typed })
  }
  const endEdit = () => {
    setEditing(null)
    box.current?.focus()
  }
  return {
    /** The text typed to start editing the active cell; null for its value, undefined if it's not edited. */
    typed: editing?.typed,
    beginEdit,
    endEdit,
    saveCell(place: CellPosition, value: Cell) {
      endEdit()
      save(() => editOf(grid, place, value))
    },
    onKeyDown(event: KeyboardEvent) {
      if (editing || event.target !== box.current) return
      const { key, shiftKey, altKey } = event
      const action = gridAction(
        { key, shiftKey, altKey, isFar: event.metaKey || event.ctrlKey },
        {
          place: shiftKey ? selection.end : selection.active,
          rows: rows.length,
          columns: columns.length,
          hasPrevious,
          hasNext,
        },
      )
      if (!action) return
      event.preventDefault()
      switch (action.kind) {
        case 'move':
          if (action.isRange) selection.extendTo(action.to)
          else selection.moveTo(action.to)
          return scrollTo(action.to)
        case 'part':
          return onPart(action.isEnd ? 'end' : null)
        case 'edit':
          return beginEdit(action.typed)
        case 'mark':
          return onMark(selection.active.row)
        case 'clear':
          return save(() => clearRange(grid, selection.range))
      }
    },
    onCopy(event: ClipboardEvent) {
      if (isInControl(event.target)) return
      event.clipboardData.setData('text/plain', copy(grid, selection.range))
      event.preventDefault()
    },
    onPaste(event: ClipboardEvent) {
      if (isInControl(event.target)) return
      event.preventDefault()
      save(() => paste(grid, selection.active, event.clipboardData.getData('text/plain')))
    },
  }
}

/** Editors and dialogs handle their own copy and paste. */
const isInControl = (target: EventTarget): boolean =>
  target instanceof Element && target.closest('input, textarea, select, dialog') !== null
