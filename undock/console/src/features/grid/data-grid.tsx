import { useQueryClient } from '@tanstack/react-query'
import clsx from 'clsx'
import { Rows3 } from 'lucide-react'
import { type ClipboardEvent, type KeyboardEvent, useEffect, useEffectEvent, useRef, useState } from 'react'
import { Empty, Failure, Loading } from '../../components/states.tsx'
import { tellFailure } from '../../components/toast.tsx'
import { counted, duration } from '../../lib/format.ts'
import { clearRange, copy, type Edit, editOf, nextSort, paste, rowId, toggled } from './cell-edits.ts'
import { whyReadOnly } from './changes.ts'
import { initialWidth } from './columns.ts'
import { gridAction } from './grid-keys.ts'
import { cellId, GridHead, GridRow, MARK_WIDTH } from './grid-rows.tsx'
import { GridToolbar } from './grid-toolbar.tsx'
import { NearBar } from './near-bar.tsx'
import { RowDialogs, type RowTask } from './row-dialogs.tsx'
import { type Filter, gridColumns, type Near, type Part, type RowRequest, tieBreakers } from './row-source.ts'
import { ROW_HEIGHT, useGridRows } from './use-grid-rows.ts'
import { type CellPosition, useGridSelection } from './use-grid-selection.ts'
import { usePlaceInView } from './use-place-in-view.ts'
import { useRowChanges } from './use-row-changes.ts'

type DataGridProps = RowRequest & {
  onSort: (sort: RowRequest['sort']) => void
  onFilter: (filters: readonly Filter[]) => void
  onNear: (near: Near | null) => void
  onPart: (part: Part | null) => void
  onOpen: (dialog: 'import' | 'export' | 'plan') => void
}

/** The rows of a table, to be read, filtered and edited in place. */
export function DataGrid(props: DataGridProps) {
  const { relation, sort, filters, as, near, part, onSort, onFilter, onNear, onPart, onOpen } = props
  const queryClient = useQueryClient()
  const request = { relation, sort, filters, as, near, part }
  const box = useRef<HTMLDivElement>(null)
  const { pages, rows, items, height, scrollToRow } = useGridRows(request, box)
  const { hasNextPage, hasPreviousPage } = pages
  const isPart = hasNextPage || hasPreviousPage
  const columns = gridColumns(request)
  const grid = { relation, columns, rows }
  const [given, setGiven] = useState<readonly number[]>([])
  const widths = columns.map((column, n) => given[n] ?? initialWidth(column))
  const width = widths.reduce((sum, one) => sum + one, MARK_WIDTH)
  const [editing, setEditing] = useState<{ typed: string | null } | null>(null)
  const [marks, setMarks] = useState<ReadonlySet<string>>(new Set())
  const chosen = rows.filter((row) => marks.has(rowId(relation, row)))
  const [task, setTask] = useState<RowTask | null>(null)
  const selection = useGridSelection({ rows: rows.length, columns: columns.length })
  usePlaceInView({
    box,
    rows: pages.data && rows,
    rowHeight: ROW_HEIGHT,
    part,
    order: JSON.stringify([sort, filters, as, near]),
    moveTo: selection.moveTo,
    shift: selection.shift,
  })
  /** Goes to a part, which may be here already. */
  const goToPart = (next: Part | null) => {
    const isHere = (next === 'end' && !hasNextPage) || (next === null && !hasPreviousPage)
    if (!isHere) return onPart(next)
    const row = next === 'end' ? rows.length - 1 : 0
    selection.moveTo({ row, column: selection.active.column })
    scrollToRow(row)
  }
  function scrollToColumn(column: number) {
    const element = box.current
    if (!element) return
    const left = widths.slice(0, column).reduce((sum, one) => sum + one, 0)
    const right = left + (widths[column] ?? 0) + MARK_WIDTH
    if (left < element.scrollLeft) element.scrollLeft = left
    else if (right > element.scrollLeft + element.clientWidth) element.scrollLeft = right - element.clientWidth
  }
  const nearTo = near?.key.join('\u0000')
  const lastColumn = useEffectEvent(() => scrollToColumn(columns.length - 1))
  useEffect(() => {
    // The distance stands in the last column.
    if (nearTo !== undefined) lastColumn()
  }, [nearTo])

  const { save } = useRowChanges(request)
  const readOnly = whyReadOnly(relation)
  const change = (edits: () => readonly Edit[]) => {
    if (readOnly) return tellFailure(new Error(readOnly))
    const changes = edits()
    if (changes.length > 0) save.mutate(changes)
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
  const toggle = (index: number) => {
    const row = rows[index]
    if (row) setMarks(toggled(marks, rowId(relation, row)))
  }
  const move = (to: CellPosition, isRange: boolean) => {
    if (isRange) selection.extendTo(to)
    else selection.moveTo(to)
    scrollToRow(to.row)
    scrollToColumn(to.column)
  }

  function onKeyDown(event: KeyboardEvent) {
    if (editing || event.target !== box.current) return
    const { key, shiftKey, altKey } = event
    const action = gridAction(
      { key, shiftKey, altKey, isFar: event.metaKey || event.ctrlKey },
      {
        place: shiftKey ? selection.end : selection.active,
        rows: rows.length,
        columns: columns.length,
        hasPrevious: hasPreviousPage,
        hasNext: hasNextPage,
      },
    )
    if (!action) return
    event.preventDefault()
    switch (action.kind) {
      case 'move':
        return move(action.to, action.isRange)
      case 'part':
        return onPart(action.isEnd ? 'end' : null)
      case 'edit':
        return beginEdit(action.typed)
      case 'mark':
        return toggle(selection.active.row)
      case 'clear':
        return change(() => clearRange(grid, selection.range))
    }
  }
  function onCopy(event: ClipboardEvent) {
    if (isInControl(event.target)) return
    event.clipboardData.setData('text/plain', copy(grid, selection.range))
    event.preventDefault()
  }
  function onPaste(event: ClipboardEvent) {
    if (isInControl(event.target)) return
    event.preventDefault()
    change(() => paste(grid, selection.active, event.clipboardData.getData('text/plain')))
  }

  return (
    <div className="flex h-full flex-col">
      <GridToolbar
        request={request}
        state={
          pages.data
            ? `${counted(rows.length, 'row')}${isPart ? ' so far' : ''} · ${duration(pages.data.pages.at(-1)?.duration ?? 0)}`
            : null
        }
        marked={chosen.length}
        hasParts={tieBreakers(request).length > 0 && isPart}
        onPart={goToPart}
        onFilter={onFilter}
        onOpen={onOpen}
        onReload={() => void queryClient.invalidateQueries({ queryKey: ['rows', relation.schema, relation.name] })}
        onChange={setTask}
      />
      {near ? <NearBar relation={relation} near={near} onNear={onNear} /> : null}
      {pages.error ? <Failure error={pages.error} onRetry={() => void pages.refetch()} /> : null}
      {pages.isPending ? <Loading label="Loading the rows" /> : null}
      <div
        ref={box}
        role="grid"
        aria-label={`Rows of ${relation.name}`}
        aria-rowcount={isPart ? -1 : rows.length + 1}
        aria-colcount={columns.length}
        aria-activedescendant={rows.length > 0 ? cellId(selection.end) : undefined}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onCopy={onCopy}
        onPaste={onPaste}
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
          isAllMarked={rows.length > 0 && chosen.length === rows.length}
          onMarkAll={(isMarked) => setMarks(new Set(isMarked ? rows.map((row) => rowId(relation, row)) : []))}
          onSort={(column) => (near ? undefined : onSort(nextSort(sort, column)))}
          onWidth={(index, next) => setGiven(widths.with(index, next))}
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
                isMarked={marks.has(rowId(relation, row))}
                typed={editing?.typed}
                onMark={() => toggle(index)}
                onEdit={() => beginEdit(null)}
                onCancel={endEdit}
                onSave={(place, value) => {
                  endEdit()
                  change(() => editOf(grid, place, value))
                }}
              />
            ) : null
          })}
        </div>
      </div>
      {pages.data && rows.length === 0 ? (
        <div className="min-h-0 flex-1 overflow-auto">
          <Empty icon={Rows3} title={filters.length > 0 ? 'No row passes the filters' : 'There are no rows'}>
            {as === undefined ? null : `Or ${as} may see none: row security decides.`}
          </Empty>
        </div>
      ) : null}
      {task ? (
        <RowDialogs
          task={task}
          request={request}
          chosen={chosen}
          onClose={() => setTask(null)}
          onDeleted={() => {
            setMarks(new Set())
            setTask(null)
          }}
        />
      ) : null}
    </div>
  )
}

/** A copy or paste in an editor or a dialog is that control's own. */
const isInControl = (target: EventTarget): boolean =>
  target instanceof Element && target.closest('input, textarea, select, dialog') !== null
