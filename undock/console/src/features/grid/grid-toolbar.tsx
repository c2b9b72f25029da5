import {
  ArrowDownToLine,
  ArrowUpToLine,
  ChartBarBig,
  Download,
  FileUp,
  Pencil,
  Plus,
  RefreshCw,
  Trash2,
} from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { counted } from '../../lib/format.ts'
import { whyReadOnly } from './changes.ts'
import { FilterBar } from './filter-bar.tsx'
import type { Filter, Part, RowRequest } from './row-source.ts'

type GridToolbarProps = {
  request: RowRequest
  /** How many rows are shown and how long they took; null before they are. */
  state: string | null
  marked: number
  /** Whether there are more rows than shown. */
  hasParts: boolean
  onPart: (part: Part | null) => void
  onFilter: (filters: readonly Filter[]) => void
  onOpen: (dialog: 'import' | 'export' | 'plan' | 'values') => void
  onReload: () => void
  onChange: (dialog: 'insert' | 'edit' | 'delete') => void
}

/** What can be done with the rows of a grid. */
export function GridToolbar(props: GridToolbarProps) {
  const { request, state, marked, hasParts, onPart, onFilter, onOpen, onReload, onChange } = props
  const { relation, filters } = request
  const isReadOnly = whyReadOnly(relation) !== null
  return (
    <div className="flex flex-wrap items-center justify-between gap-2 border-b px-3 py-1.5">
      <FilterBar columns={relation.columns} filters={filters} onFilter={onFilter} />
      <div className="flex flex-wrap items-center gap-1.5">
        {state ? (
          <button
            type="button"
            className="rounded-md px-1.5 py-1 text-ink-faint text-xs hover:bg-panel hover:text-ink"
            title="Show the statement and its plan"
            onClick={() => onOpen('plan')}
          >
            {state}
          </button>
        ) : null}
        {hasParts ? <PartBar part={request.part} onPart={onPart} /> : null}
        <IconButton label="Load the rows again" onClick={onReload}>
          <RefreshCw aria-hidden />
        </IconButton>
        {marked > 0 ? (
          <>
            <Button disabled={isReadOnly} onClick={() => onChange('edit')}>
              <Pencil aria-hidden />
              Edit {counted(marked, 'row')}
            </Button>
            <Button look="danger" disabled={isReadOnly} onClick={() => onChange('delete')}>
              <Trash2 aria-hidden />
              Delete {counted(marked, 'row')}
            </Button>
          </>
        ) : null}
        <Button look="quiet" disabled={relation.columns.length === 0} onClick={() => onOpen('values')}>
          <ChartBarBig aria-hidden />
          Count
        </Button>
        <Button look="quiet" onClick={() => onOpen('export')}>
          <Download aria-hidden />
          Export
        </Button>
        {relation.kind === 'v' || relation.kind === 'm' ? null : (
          <>
            <Button look="quiet" onClick={() => onOpen('import')}>
              <FileUp aria-hidden />
              Import
            </Button>
            <Button look="primary" onClick={() => onChange('insert')}>
              <Plus aria-hidden />
              Insert
            </Button>
          </>
        )}
      </div>
    </div>
  )
}

/** Goes to the first and the last rows of a large table, and to any part between them. */
function PartBar({ part, onPart }: { part: Part | null; onPart: (part: Part | null) => void }) {
  const shown = part === 'end' ? 100 : (part ?? 0)
  const [percent, setPercent] = useState(shown)
  useEffect(() => setPercent(shown), [shown])
  const go = () => {
    if (percent !== shown) onPart(percent === 0 ? null : percent === 100 ? 'end' : percent)
  }
  return (
    <fieldset aria-label="Part of the rows" className="flex items-center">
      <IconButton label="First rows" onClick={() => onPart(null)}>
        <ArrowUpToLine aria-hidden />
      </IconButton>
      <input
        type="range"
        aria-label="Part of the rows in percent"
        aria-valuetext={`about ${percent} %`}
        title={`About ${percent} % of the rows are before`}
        min={0}
        max={100}
        value={percent}
        onChange={({ target }) => setPercent(Number(target.value))}
        // While it is moved, no rows are read.
        onPointerUp={go}
        onKeyUp={go}
        className="w-24 accent-(--accent)"
      />
      <IconButton label="Last rows" onClick={() => onPart('end')}>
        <ArrowDownToLine aria-hidden />
      </IconButton>
    </fieldset>
  )
}
