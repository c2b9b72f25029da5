import { Link } from '@tanstack/react-router'
import clsx from 'clsx'
import { ArrowDown, ArrowUp, KeyRound, Link2, Radar } from 'lucide-react'
import type { PointerEvent } from 'react'
import type { Cell } from '../../lib/api.ts'
import type { Column, RelationDetail } from '../catalog.ts'
import { CellEditor } from './cell-editor.tsx'
import type { Grid } from './cell-edits.ts'
import { keyOf } from './changes.ts'
import { isVector, referenceOf, shownValue } from './columns.ts'
import type { Row, RowRequest } from './row-source.ts'
import { readVector, Sparkline } from './sparkline.tsx'
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

/** The column headers, which stay visible while scrolling. */
export function GridHead({ columns, widths, width, sort, isAllMarked, onMarkAll, onSort, onWidth }: GridHeadProps) {
  return (
    <div role="rowgroup" className="sticky top-0 z-2" style={{ width }}>
      <div role="row" className="flex border-b bg-panel">
        <div role="columnheader" className="grid shrink-0 place-items-center" style={{ width: MARK_WIDTH }}>
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label="Select all loaded rows"
            checked={isAllMarked}
            onChange={({ target }) => onMarkAll(target.checked)}
            className="accent-accent"
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
          aria-label={`Select row ${index + 1}`}
          checked={isMarked}
          onChange={props.onMark}
          className="accent-accent"
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

type HeaderProps = {
  column: Column
  width: number
  sort: 'ascending' | 'descending' | 'none'
  onSort: () => void
  onWidth: (width: number) => void
}

/** A column header: a click sorts, and dragging its edge changes the width. */
function Header({ column, width, sort, onSort, onWidth }: HeaderProps) {
  const drag = (event: PointerEvent<HTMLDivElement>) => {
    const from = event.clientX
    const handle = event.currentTarget
    handle.setPointerCapture(event.pointerId)
    handle.onpointermove = ({ clientX }) => onWidth(Math.max(60, width + clientX - from))
    handle.onpointerup = () => {
      handle.onpointermove = null
    }
  }
  return (
    <div role="columnheader" aria-sort={sort} className="relative shrink-0 border-line/60 border-r" style={{ width }}>
      <button
        type="button"
        tabIndex={-1}
        onClick={onSort}
        title={`${column.name} ${column.type}${column.comment ? `: ${column.comment}` : ''}`}
        className="flex h-9 w-full items-center gap-1.5 px-2 text-left text-[13px]"
      >
        {column.isKey ? <KeyRound aria-label="Primary key" className="size-3.5 shrink-0 text-accent" /> : null}
        <span className="truncate font-medium">{column.name}</span>
        <span className="min-w-0 flex-1 truncate text-ink-faint text-xs">{column.type}</span>
        {sort === 'ascending' ? <ArrowUp aria-hidden className="size-3.5 shrink-0" /> : null}
        {sort === 'descending' ? <ArrowDown aria-hidden className="size-3.5 shrink-0" /> : null}
      </button>
      <div aria-hidden onPointerDown={drag} className="absolute inset-y-0 right-0 w-1.5 cursor-col-resize" />
    </div>
  )
}

/** A value in its cell. */
function Value({ value, column }: { value: Cell; column: Column }) {
  if (value === null) return <span className="text-ink-faint italic">null</span>
  if (value === '') return <span className="text-ink-faint italic">empty</span>
  if (isVector(column.baseType)) return <VectorValue value={value} />
  const isMono = /^(uuid|jsonb?|bytea|inet|cidr)/.test(column.baseType)
  return (
    <span
      className={clsx(
        'min-w-0 flex-1 truncate',
        column.category === 'N' && 'text-right tabular-nums',
        isMono && 'font-mono text-xs',
      )}
    >
      {shownValue(value, column)}
    </span>
  )
}

type ReferenceProps = { relation: RelationDetail; column: Column; value: Cell; as: string | undefined }

/** A link to the row that a foreign key refers to. */
function Reference({ relation, column, value, as }: ReferenceProps) {
  const reference = referenceOf(relation, column)
  if (!reference || value === null) return null
  const { key, target } = reference
  return (
    <Link
      to="/tables/$schema/$name"
      params={{ schema: key.schema, name: key.table }}
      search={{ filters: [[target, '=', value]], as }}
      title={`Open the row of ${key.table}`}
      tabIndex={-1}
      className="shrink-0 text-ink-faint hover:text-accent"
    >
      <Link2 aria-hidden className="size-3.5" />
      <span className="sr-only">Open the row of {key.table}</span>
    </Link>
  )
}

function VectorValue({ value }: { value: string }) {
  const numbers = readVector(value)
  return (
    <span className="flex min-w-0 flex-1 items-center gap-2" title={value.slice(0, 300)}>
      <Sparkline numbers={numbers} points={48} className="h-5 min-w-0 flex-1" />
      <span className="text-ink-faint text-xs tabular-nums">{numbers.length}</span>
      <span className="sr-only">dimensions</span>
    </span>
  )
}

type NearestProps = { relation: RelationDetail; column: Column; cells: readonly Cell[] }

/** A link to the rows whose vectors are nearest to this row's. */
function Nearest({ relation, column, cells }: NearestProps) {
  const vector = cells[relation.columns.indexOf(column)] ?? null
  if (!isVector(column.baseType) || relation.key.length === 0 || vector === null) return null
  return (
    <Link
      from="/tables/$schema/$name"
      search={(before) => ({ ...before, sort: undefined, near: [column.name, '<=>', ...keyOf(relation, cells)] })}
      title="Show the nearest neighbours"
      tabIndex={-1}
      className="shrink-0 text-ink-faint hover:text-accent"
    >
      <Radar aria-hidden className="size-3.5" />
      <span className="sr-only">Show the nearest neighbours</span>
    </Link>
  )
}
