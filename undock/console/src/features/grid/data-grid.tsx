import { useQueryClient } from '@tanstack/react-query'
import { Rows3 } from 'lucide-react'
import { useRef, useState } from 'react'
import { Empty, Failure, Loading } from '../../components/states.tsx'
import { counted, duration } from '../../lib/format.ts'
import { rowId } from './cell-edits.ts'
import { GridTable } from './grid-table.tsx'
import { GridToolbar } from './grid-toolbar.tsx'
import { NearBar } from './near-bar.tsx'
import { RowDialogs, type RowTask } from './row-dialogs.tsx'
import { type Filter, gridColumns, type Near, type Part, type RowRequest, tieBreakers } from './row-source.ts'
import { ROW_HEIGHT, useGridRows } from './use-grid-rows.ts'
import { useGridSelection } from './use-grid-selection.ts'
import { usePlaceInView } from './use-place-in-view.ts'

type DataGridProps = RowRequest & {
  onSort: (sort: RowRequest['sort']) => void
  onFilter: (filters: readonly Filter[]) => void
  onNear: (near: Near | null) => void
  onPart: (part: Part | null) => void
  onOpen: (dialog: 'import' | 'export' | 'plan' | 'values') => void
}

/** The rows of a table, to be read, filtered and edited in place. */
export function DataGrid(props: DataGridProps) {
  const { relation, sort, filters, as, near, part, onSort, onFilter, onNear, onPart, onOpen } = props
  const queryClient = useQueryClient()
  const request = { relation, sort, filters, as, near, part }
  const box = useRef<HTMLDivElement>(null)
  const loaded = useGridRows(request, box)
  const { pages, rows, scrollToRow } = loaded
  const { hasNextPage, hasPreviousPage } = pages
  const isPart = hasNextPage || hasPreviousPage
  const [marks, setMarks] = useState<ReadonlySet<string>>(new Set())
  const chosen = rows.filter((row) => marks.has(rowId(relation, row)))
  const [task, setTask] = useState<RowTask | null>(null)
  const selection = useGridSelection({ rows: rows.length, columns: gridColumns(request).length })
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
      <GridTable
        request={request}
        box={box}
        loaded={loaded}
        selection={selection}
        marks={marks}
        onMarks={setMarks}
        onSort={onSort}
        onPart={onPart}
      />
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
