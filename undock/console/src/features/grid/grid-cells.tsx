import { Link } from '@tanstack/react-router'
import clsx from 'clsx'
import { ArrowDown, ArrowUp, KeyRound, Link2, Radar } from 'lucide-react'
import type { PointerEvent } from 'react'
import type { Cell } from '../../lib/api.ts'
import type { Column, RelationDetail } from '../catalog.ts'
import { keyOf } from './changes.ts'
import { isVector, referenceOf, shownValue } from './columns.ts'
import { readVector, Sparkline } from './sparkline.tsx'

type HeaderProps = {
  column: Column
  width: number
  sort: 'ascending' | 'descending' | 'none'
  onSort: () => void
  onWidth: (width: number) => void
}

/** The head of a column: a click sorts by it, and its edge changes its width. */
export function Header({ column, width, sort, onSort, onWidth }: HeaderProps) {
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
export function Value({ value, column }: { value: Cell; column: Column }) {
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

/** A link to the row that a foreign key names. */
export function Reference({ relation, column, value, as }: ReferenceProps) {
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
export function Nearest({ relation, column, cells }: NearestProps) {
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
