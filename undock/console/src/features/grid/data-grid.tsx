import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import clsx from 'clsx'
import { Rows3 } from 'lucide-react'
import { type ClipboardEvent, type KeyboardEvent, useEffect, useEffectEvent, useRef, useState } from 'react'
import { Empty, Failure, Loading } from '../../components/states.tsx'
import { tellFailure } from '../../components/toast.tsx'
import type { Cell } from '../../lib/api.ts'
import { counted, duration } from '../../lib/format.ts'
import { BulkEdit } from './bulk-edit.tsx'
import { CellEditor } from './cell-editor.tsx'
import { keyOf, whyReadOnly } from './changes.ts'
import { fromClipboard, toClipboard } from './clipboard.ts'
import { initialWidth } from './columns.ts'
import { ConfirmDelete } from './confirm-delete.tsx'
import { Header, Nearest, Reference, Value } from './grid-cells.tsx'
import { GridToolbar } from './grid-toolbar.tsx'
import { NearBar } from './near-bar.tsx'
import { RowForm } from './row-form.tsx'
import {
  type Filter,
  gridColumns,
  type Near,
  type Part,
  type Row,
  type RowRequest,
  rowsQuery,
  tieBreakers,
} from './row-source.ts'
import { type Place, useGridSelection } from './use-grid-selection.ts'
import { usePlaceInView } from './use-place-in-view.ts'
import { type Edit, useRowChanges } from './use-row-changes.ts'

const ROW_HEIGHT = 32
const MARK_WIDTH = 40
const PAGE_ROWS = 15

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
  const query = rowsQuery(request)
  const pages = useInfiniteQuery(query)
  const rows = pages.data?.pages.flatMap((page) => page.rows) ?? []
  const columns = gridColumns(request)
  const readOnly = whyReadOnly(relation)
  const [given, setGiven] = useState<readonly number[]>([])
  const widths = columns.map((column, n) => given[n] ?? initialWidth(column))
  const [editing, setEditing] = useState<{ typed: string | null } | null>(null)
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set())
  const [dialog, setDialog] = useState<'insert' | 'edit' | 'delete' | null>(null)
  const selection = useGridSelection({ rows: rows.length, columns: columns.length })
  const box = useRef<HTMLDivElement>(null)
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
  usePlaceInView({
    box,
    rows: pages.data && rows,
    rowHeight: ROW_HEIGHT,
    part,
    order: JSON.stringify([sort, filters, as, near]),
    moveTo: selection.moveTo,
    shift: selection.shift,
  })
  const goTo = (place: Place) => {
    selection.moveTo(place)
    virtual.scrollToIndex(Math.max(0, Math.min(rows.length - 1, place.row)))
  }
  /** Goes to a part, which may be here already. */
  const goToPart = (next: Part | null) => {
    const { column } = selection.active
    if (next === 'end' && !hasNextPage) goTo({ row: rows.length - 1, column })
    else if (next === null && !hasPreviousPage) goTo({ row: 0, column })
    else onPart(next)
  }

  const nearTo = near?.key.join('\u0000')
  const lastColumn = useEffectEvent(() => scrollToColumn(columns.length - 1))
  useEffect(() => {
    // The distance stands in the last column.
    if (nearTo !== undefined) lastColumn()
  }, [nearTo])

  const { save, setColumn, remove } = useRowChanges(request)
  const editOf = (row: number, column: number, value: Cell): Edit | null => {
    const [at, of] = [rows[row], columns[column]]
    if (!at || !of || of.isGenerated) return null
    const before = at.cells[column] ?? null
    return before === value ? null : { row, index: column, before, key: keyOf(relation, at.cells), column: of, value }
  }
  const saveAll = (edits: readonly (Edit | null)[]) => {
    const changes = edits.filter((one) => one !== null)
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

  function onKeyDown(event: KeyboardEvent) {
    if (editing || event.target !== box.current) return
    const { row, column } = event.shiftKey ? selection.end : selection.active
    const far = event.metaKey || event.ctrlKey
    const isUp = event.key === 'ArrowUp' || event.key === 'Home'
    const isDown = event.key === 'ArrowDown' || event.key === 'End'
    if (far && !event.shiftKey && ((isUp && hasPreviousPage) || (isDown && hasNextPage))) {
      event.preventDefault()
      return onPart(isDown ? 'end' : null)
    }
    const targets: Record<string, readonly [number, number]> = {
      ArrowUp: [far ? 0 : row - 1, column],
      ArrowDown: [far ? rows.length - 1 : row + 1, column],
      ArrowLeft: [row, far ? 0 : column - 1],
      ArrowRight: [row, far ? columns.length - 1 : column + 1],
      PageUp: [row - PAGE_ROWS, column],
      PageDown: [row + PAGE_ROWS, column],
      Home: [far ? 0 : row, 0],
      End: [far ? rows.length - 1 : row, columns.length - 1],
      Tab: [row, column + (event.shiftKey ? -1 : 1)],
    }
    const target = targets[event.key]
    if (target && !(event.key === 'Tab' && (target[1] < 0 || target[1] >= columns.length))) {
      const place = { row: target[0], column: target[1] }
      if (event.shiftKey && event.key !== 'Tab') selection.extendTo(place)
      else selection.moveTo(place)
      virtual.scrollToIndex(Math.max(0, Math.min(rows.length - 1, place.row)))
      scrollToColumn(place.column)
    } else if (event.key === 'Enter' || event.key === 'F2') beginEdit(null)
    else if (event.key === ' ') toggle(selection.active.row)
    else if (event.key === 'Delete' || event.key === 'Backspace') clearRange()
    else if (event.key.length === 1 && !far && !event.altKey) beginEdit(event.key)
    else return
    event.preventDefault()
  }

  function clearRange() {
    if (readOnly) return tellFailure(new Error(readOnly))
    saveAll(
      placesOf(selection.range).map(({ row, column }) =>
        columns[column]?.isNullable ? editOf(row, column, null) : null,
      ),
    )
  }

  function scrollToColumn(column: number) {
    const element = box.current
    if (!element) return
    const left = widths.slice(0, column).reduce((sum, width) => sum + width, 0)
    const width = widths[column] ?? 0
    if (left < element.scrollLeft) element.scrollLeft = left
    else if (left + width + MARK_WIDTH > element.scrollLeft + element.clientWidth)
      element.scrollLeft = left + width + MARK_WIDTH - element.clientWidth
  }

  function onCopy(event: ClipboardEvent) {
    if (isInControl(event.target)) return
    const {
      rows: [top, bottom],
      columns: [left, right],
    } = selection.range
    event.clipboardData.setData(
      'text/plain',
      toClipboard(rows.slice(top, bottom + 1).map((row) => row.cells.slice(left, right + 1))),
    )
    event.preventDefault()
  }

  function onPaste(event: ClipboardEvent) {
    if (isInControl(event.target)) return
    event.preventDefault()
    if (readOnly) return tellFailure(new Error(readOnly))
    const { row, column } = selection.active
    saveAll(
      fromClipboard(event.clipboardData.getData('text/plain')).flatMap((cells, down) =>
        cells.map((value, across) => {
          const isNull = value === '' && columns[column + across]?.isNullable === true
          return editOf(row + down, column + across, isNull ? null : value)
        }),
      ),
    )
  }

  // Marks belong to rows, wherever another order or filter puts them.
  const idOf = ({ cells, place }: Row) => (relation.key.length > 0 ? keyOf(relation, cells) : place).join('\u0000')
  const isMarked = (row: Row) => marked.has(idOf(row))
  const chosen = marked.size > 0 ? rows.filter(isMarked) : []
  const toggle = (index: number) => {
    const row = rows[index]
    if (!row) return
    const next = new Set(marked)
    if (!next.delete(idOf(row))) next.add(idOf(row))
    setMarked(next)
  }
  const endMarks = () => {
    setMarked(new Set())
    setDialog(null)
  }
  const width = widths.reduce((sum, one) => sum + one, MARK_WIDTH)

  return (
    <div className="flex h-full flex-col">
      <GridToolbar
        request={request}
        state={
          pages.data
            ? `${counted(rows.length, 'row')}${hasNextPage || hasPreviousPage ? ' so far' : ''} · ${duration(pages.data.pages.at(-1)?.duration ?? 0)}`
            : null
        }
        marked={chosen.length}
        hasParts={tieBreakers(request).length > 0 && (hasNextPage || hasPreviousPage)}
        onPart={goToPart}
        onFilter={onFilter}
        onOpen={onOpen}
        onReload={() => void queryClient.invalidateQueries({ queryKey: ['rows', relation.schema, relation.name] })}
        onChange={setDialog}
      />
      {near ? <NearBar relation={relation} near={near} onNear={onNear} /> : null}
      {pages.error ? <Failure error={pages.error} onRetry={() => void pages.refetch()} /> : null}
      {pages.isPending ? <Loading label="Loading the rows" /> : null}
      <div
        ref={box}
        role="grid"
        aria-label={`Rows of ${relation.name}`}
        aria-rowcount={hasNextPage || hasPreviousPage ? -1 : rows.length + 1}
        aria-colcount={columns.length}
        aria-activedescendant={rows.length > 0 ? cellId(selection.end.row, selection.end.column) : undefined}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onCopy={onCopy}
        onPaste={onPaste}
        className={clsx(
          'min-h-0 overflow-auto outline-none [overflow-anchor:none]',
          rows.length > 0 ? 'flex-1' : 'shrink-0',
        )}
      >
        <div role="rowgroup" className="sticky top-0 z-2" style={{ width }}>
          <div role="row" className="flex border-b bg-panel">
            <div role="columnheader" className="grid shrink-0 place-items-center" style={{ width: MARK_WIDTH }}>
              <input
                type="checkbox"
                tabIndex={-1}
                aria-label="Mark all loaded rows"
                checked={rows.length > 0 && chosen.length === rows.length}
                onChange={({ target }) => setMarked(new Set(target.checked ? rows.map(idOf) : []))}
                className="accent-(--accent)"
              />
            </div>
            {columns.map((column, index) => (
              <Header
                key={column.name}
                column={column}
                width={widths[index] ?? 0}
                sort={sort?.column === column.name ? (sort.descending ? 'descending' : 'ascending') : 'none'}
                onSort={() => (near ? undefined : onSort(nextSort(sort, column.name)))}
                onWidth={(next) => setGiven(widths.with(index, next))}
              />
            ))}
          </div>
        </div>
        <div
          // Without rows it is no group of them.
          role={items.length > 0 ? 'rowgroup' : 'presentation'}
          className="relative"
          style={{ height: virtual.getTotalSize(), width }}
        >
          {items.map(({ index, start }) => {
            const row = rows[index]
            if (!row) return null
            return (
              <div
                key={row.place.join('\u0000') || index}
                role="row"
                aria-rowindex={hasPreviousPage ? undefined : index + 2}
                aria-selected={isMarked(row)}
                className={clsx(
                  'absolute top-0 left-0 flex h-8 border-b text-[13px]',
                  isMarked(row) ? 'bg-accent-soft' : 'bg-page',
                )}
                style={{ transform: `translateY(${start}px)`, width }}
              >
                <div role="gridcell" className="grid shrink-0 place-items-center" style={{ width: MARK_WIDTH }}>
                  <input
                    type="checkbox"
                    tabIndex={-1}
                    aria-label={`Mark row ${index + 1}`}
                    checked={isMarked(row)}
                    onChange={() => toggle(index)}
                    className="accent-(--accent)"
                  />
                </div>
                {columns.map((column, at) => {
                  const place = { row: index, column: at }
                  const isActive = selection.active.row === index && selection.active.column === at
                  return (
                    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid around it handles the keys
                    <div
                      key={column.name}
                      id={cellId(index, at)}
                      role="gridcell"
                      aria-colindex={at + 1}
                      className={clsx(
                        'relative flex shrink-0 items-center gap-1 overflow-hidden border-line/60 border-r px-2',
                        selection.has(place) && 'bg-accent-soft',
                        isActive && 'outline-2 outline-accent -outline-offset-2',
                      )}
                      style={{ width: widths[at] }}
                      onClick={(event) => (event.shiftKey ? selection.extendTo(place) : selection.moveTo(place))}
                      onDoubleClick={() => beginEdit(null)}
                    >
                      <Value value={row.cells[at] ?? null} column={column} />
                      <Reference relation={relation} column={column} value={row.cells[at] ?? null} as={as} />
                      <Nearest relation={relation} column={column} cells={row.cells} />
                      {isActive && editing ? (
                        <CellEditor
                          relation={relation}
                          as={as}
                          column={column}
                          value={row.cells[at] ?? null}
                          typed={editing.typed}
                          onCancel={endEdit}
                          onSave={(value) => {
                            endEdit()
                            saveAll([editOf(index, at, value)])
                          }}
                        />
                      ) : null}
                    </div>
                  )
                })}
              </div>
            )
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
      {dialog === 'insert' ? <RowForm relation={relation} as={as} onClose={() => setDialog(null)} /> : null}
      {dialog === 'edit' ? (
        <BulkEdit
          relation={relation}
          count={chosen.length}
          as={as}
          error={setColumn.error}
          isPending={setColumn.isPending}
          onSave={(column, value) => {
            const index = relation.columns.indexOf(column)
            const changed = chosen.map(({ cells }) => ({
              key: keyOf(relation, cells),
              before: cells[index] ?? null,
              value,
            }))
            setColumn.mutate({ column, rows: changed }, { onSuccess: () => setDialog(null) })
          }}
          onClose={() => {
            setColumn.reset()
            setDialog(null)
          }}
        />
      ) : null}
      {dialog === 'delete' ? (
        <ConfirmDelete
          relation={relation}
          count={chosen.length}
          error={remove.error}
          isPending={remove.isPending}
          onConfirm={() => remove.mutate(chosen, { onSuccess: endMarks })}
          onClose={() => {
            remove.reset()
            setDialog(null)
          }}
        />
      ) : null}
    </div>
  )
}

/** A copy or paste in an editor or a dialog is that control's own. */
const isInControl = (target: EventTarget): boolean =>
  target instanceof Element && target.closest('input, textarea, select, dialog') !== null

const cellId = (row: number, column: number): string => `cell-${row}-${column}`

function placesOf({ rows: [top, bottom], columns: [left, right] }: ReturnType<typeof useGridSelection>['range']) {
  return Array.from({ length: bottom - top + 1 }, (_, down) =>
    Array.from({ length: right - left + 1 }, (_, across) => ({ row: top + down, column: left + across })),
  ).flat()
}

/** Ascending, then descending, then unsorted. */
function nextSort(sort: RowRequest['sort'], column: string): RowRequest['sort'] {
  if (sort?.column !== column) return { column, descending: false }
  return sort.descending ? null : { column, descending: true }
}
