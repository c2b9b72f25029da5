import { Rows3, X } from 'lucide-react'
import { type RefObject, useEffectEvent, useLayoutEffect, useRef, useState } from 'react'
import { IconButton } from '../../components/button.tsx'
import { Select } from '../../components/field.tsx'
import { Empty, Failure, Loading } from '../../components/states.tsx'
import { refresh } from '../../lib/api.ts'
import { counted, duration } from '../../lib/format.ts'
import type { RelationDetail } from '../catalog.ts'
import { rowId } from './cell-edits.ts'
import { GridTable } from './grid-table.tsx'
import { GridToolbar } from './grid-toolbar.tsx'
import { RowDialogs, type RowTask } from './row-dialogs.tsx'
import {
  DISTANCES,
  type Distance,
  type Filter,
  gridColumns,
  type Near,
  type Part,
  type Row,
  type RowRequest,
  tieBreakers,
} from './row-source.ts'
import { ROW_HEIGHT, useGridRows } from './use-grid-rows.ts'
import { type CellPosition, useGridSelection } from './use-grid-selection.ts'

type DataGridProps = RowRequest & {
  onSort: (sort: RowRequest['sort']) => void
  onFilter: (filters: readonly Filter[]) => void
  onNear: (near: Near | null) => void
  onPart: (part: Part | null) => void
  onOpen: (dialog: 'import' | 'export' | 'plan' | 'values') => void
}

/** Shows, filters and edits a table's rows. */
export function DataGrid(props: DataGridProps) {
  const { relation, sort, filters, as, near, part, onSort, onFilter, onNear, onPart, onOpen } = props
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
  /** Goes to a part, which may be loaded already. */
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
        onReload={() => void refresh(['rows', relation.schema, relation.name])}
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
          <Empty icon={Rows3} title={filters.length > 0 ? 'No rows match the filters' : 'There are no rows'}>
            {as === undefined ? null : `Or ${as} may not see them: row security decides.`}
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

type NearBarProps = { relation: RelationDetail; near: Near; onNear: (near: Near | null) => void }

/** Shows which row's neighbors are listed, and by which distance. */
function NearBar({ relation, near, onNear }: NearBarProps) {
  return (
    <div className="flex flex-wrap items-center gap-2 border-b bg-accent-soft px-3 py-1 text-[13px]">
      <span>
        The 50 rows whose {near.column} is nearest to that of{' '}
        <span className="font-mono text-xs">
          {relation.key.map((name, n) => `${name} = ${near.key[n] ?? ''}`).join(', ')}
        </span>
      </span>
      <Select
        aria-label="Distance"
        className="w-64!"
        value={near.operator}
        onValue={(value) => onNear({ ...near, operator: value as Distance })}
        options={Object.entries(DISTANCES).map(([operator, name]) => [operator, `by ${name} (${operator})`])}
      />
      <IconButton icon={X} label="Show all rows again" onClick={() => onNear(null)} />
    </div>
  )
}

type View = {
  readonly box: RefObject<HTMLElement | null>
  /** Undefined until the first ones are loaded. */
  readonly rows: readonly Row[] | undefined
  readonly rowHeight: number
  readonly part: Part | null
  /** What determines the rows, apart from the part. */
  readonly order: string
  readonly moveTo: (place: CellPosition) => void
  /** The rows moved down by so many lines. */
  readonly shift: (lines: number) => void
}

/** Starts at the matching end of another part, and keeps visible rows in place when others arrive before them. */
function usePlaceInView({ box, rows, rowHeight, part, order, moveTo, shift }: View): void {
  const isThere = rows !== undefined
  const first = rows?.[0]?.place.join('\u0000') ?? ''
  const seen = useRef({ first, key: '' })
  const begin = useEffectEvent(() => {
    const isEnd = part === 'end'
    moveTo({ row: isEnd ? (rows?.length ?? 1) - 1 : 0, column: 0 })
    if (box.current) box.current.scrollTop = isEnd ? box.current.scrollHeight : 0
  })
  const follow = useEffectEvent((before: string) => {
    const lines = rows?.findIndex(({ place }) => place.join('\u0000') === before) ?? -1
    if (lines <= 0) return
    shift(lines)
    if (box.current) box.current.scrollTop += lines * rowHeight
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: each part of the rows begins at its own place
  useLayoutEffect(() => {
    if (isThere) begin()
  }, [part, isThere])
  useLayoutEffect(() => {
    if (!isThere) return
    const before = seen.current
    seen.current = { first, key: `${order} ${part}` }
    if (before.key === seen.current.key && before.first !== first) follow(before.first)
  }, [isThere, first, order, part])
}
