import {
  ArrowDownToLine,
  ArrowUpToLine,
  ChartBarBig,
  Download,
  FileUp,
  ListFilter,
  Pencil,
  Plus,
  RefreshCw,
  Trash2,
  X,
} from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { Form, Input, SearchInput, Select } from '../../components/field.tsx'
import { counted } from '../../lib/format.ts'
import type { Column } from '../catalog.ts'
import { whyReadOnly } from './changes.ts'
import { ANY_TEXT, type Filter, OPERATORS, type Operator, type Part, type RowRequest } from './row-source.ts'

type GridToolbarProps = {
  request: RowRequest
  /** The number of shown rows and their query time; null while loading. */
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

/** Actions on a grid's rows. */
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
        <IconButton icon={RefreshCw} label="Reload the rows" onClick={onReload} />
        {marked > 0 ? (
          <>
            <Button icon={Pencil} disabled={isReadOnly} onClick={() => onChange('edit')}>
              Edit {counted(marked, 'row')}
            </Button>
            <Button icon={Trash2} look="danger" disabled={isReadOnly} onClick={() => onChange('delete')}>
              Delete {counted(marked, 'row')}
            </Button>
          </>
        ) : null}
        <Button
          icon={ChartBarBig}
          look="quiet"
          disabled={relation.columns.length === 0}
          onClick={() => onOpen('values')}
        >
          Count
        </Button>
        <Button icon={Download} look="quiet" onClick={() => onOpen('export')}>
          Export
        </Button>
        {relation.kind === 'v' || relation.kind === 'm' ? null : (
          <>
            <Button icon={FileUp} look="quiet" onClick={() => onOpen('import')}>
              Import
            </Button>
            <Button icon={Plus} look="primary" onClick={() => onChange('insert')}>
              Insert
            </Button>
          </>
        )}
      </div>
    </div>
  )
}

/** Jumps to the first or last rows of a large table, or to any part between. */
function PartBar({ part, onPart }: { part: Part | null; onPart: (part: Part | null) => void }) {
  const value = part === 'end' ? 100 : (part ?? 0)
  const [percent, setPercent] = useState(value)
  useEffect(() => setPercent(value), [value])
  const go = () => {
    if (percent !== value) onPart(percent === 0 ? null : percent === 100 ? 'end' : percent)
  }
  return (
    <fieldset aria-label="Part of the rows" className="flex items-center">
      <IconButton icon={ArrowUpToLine} label="First rows" onClick={() => onPart(null)} />
      <input
        type="range"
        aria-label="Part of the rows in percent"
        aria-valuetext={`about ${percent} %`}
        title={`About ${percent} % of the rows are before`}
        min={0}
        max={100}
        value={percent}
        onChange={({ target }) => setPercent(Number(target.value))}
        // No rows are read while it's being moved.
        onPointerUp={go}
        onKeyUp={go}
        className="w-24 accent-accent"
      />
      <IconButton icon={ArrowDownToLine} label="Last rows" onClick={() => onPart('end')} />
    </fieldset>
  )
}

type FilterBarProps = {
  columns: readonly Column[]
  filters: readonly Filter[]
  onFilter: (filters: readonly Filter[]) => void
}

/** A grid's conditions, combined with AND. */
function FilterBar({ columns, filters, onFilter }: FilterBarProps) {
  const [draft, setDraft] = useState<Filter | null>(null)
  const needsValue = draft !== null && !draft[1].startsWith('is ')
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      <FindInput onFind={(text) => onFilter([...filters, [ANY_TEXT, 'ilike', `%${escaped(text)}%`]])} />
      {filters.map(([column, operator, value], index) => (
        <span
          key={`${column} ${operator} ${value}`}
          className="inline-flex h-8 items-center rounded-md border bg-raised pl-2.5 font-mono text-xs"
        >
          {column === ANY_TEXT ? 'any text' : column} {operator} {operator.startsWith('is ') ? '' : value}
          <IconButton
            icon={X}
            label={`Remove the filter on ${column === ANY_TEXT ? 'any text' : column}`}
            onClick={() => onFilter(filters.filter((_, n) => n !== index))}
          />
        </span>
      ))}
      {draft ? (
        <Form
          className="flex items-center gap-1.5"
          onSubmit={() => {
            onFilter([...filters, draft])
            setDraft(null)
          }}
        >
          <Select
            aria-label="Column"
            className="w-40"
            value={draft[0]}
            onValue={(value) => setDraft([value, draft[1], draft[2]])}
            options={columns.map(({ name }) => name)}
          />
          <Select
            aria-label="Operator"
            className="w-28"
            value={draft[1]}
            onValue={(value) => setDraft([draft[0], value as Operator, draft[2]])}
            options={OPERATORS}
          />
          {needsValue ? (
            <Input
              autoFocus
              aria-label="Value"
              className="w-44"
              value={draft[2]}
              onValue={(value) => setDraft([draft[0], draft[1], value])}
            />
          ) : null}
          <Button type="submit" look="primary">
            Apply
          </Button>
          <IconButton icon={X} label="Cancel the filter" onClick={() => setDraft(null)} />
        </Form>
      ) : (
        <Button
          icon={ListFilter}
          look="quiet"
          disabled={columns.length === 0}
          onClick={() => setDraft([columns[0]?.name ?? '', '=', ''])}
        >
          Filter
        </Button>
      )}
    </div>
  )
}

/** Escapes a text for LIKE. */
const escaped = (text: string): string => text.replace(/[\\%_]/g, '\\$&')

function FindInput({ onFind }: { onFind: (text: string) => void }) {
  const [text, setText] = useState('')
  return (
    <Form
      onSubmit={() => {
        if (text !== '') onFind(text)
        setText('')
      }}
    >
      <SearchInput
        label="Find in all texts"
        placeholder="Find, then Enter"
        className="w-36"
        value={text}
        onValue={setText}
      />
    </Form>
  )
}
