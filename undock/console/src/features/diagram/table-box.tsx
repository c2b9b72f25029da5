import { Link } from '@tanstack/react-router'
import { Handle, type Node, type NodeProps, Position } from '@xyflow/react'
import clsx from 'clsx'
import { ChevronDown, ChevronRight, KeyRound } from 'lucide-react'
import { BOX_WIDTH, COLUMN_HEIGHT, HEADER_HEIGHT } from './layout.ts'
import type { DiagramColumn, DiagramTable } from './queries.ts'

/** @property columns Those that are shown. */
export type TableNode = Node<
  {
    table: DiagramTable
    columns: readonly DiagramColumn[]
    isFound: boolean
    isDimmed: boolean
    onFold: () => void
  },
  'table'
>

/** A table as a box; its name links to its rows. */
export function TableBox({ data: { table, columns, isFound, isDimmed, onFold } }: NodeProps<TableNode>) {
  const { schema, name } = table
  const isWhole = columns.length === table.columns.length
  const Icon = isWhole ? ChevronDown : ChevronRight
  return (
    <div
      style={{ width: BOX_WIDTH }}
      className={clsx(
        'overflow-hidden rounded-md border bg-raised shadow-xs',
        isFound && 'outline-2 outline-accent',
        isDimmed && 'opacity-30',
      )}
    >
      <div className="relative flex items-center border-b bg-panel pr-2.5" style={{ height: HEADER_HEIGHT }}>
        <Ends column="" />
        <button
          type="button"
          aria-label={`Columns of ${name}`}
          aria-expanded={isWhole}
          onClick={onFold}
          className="nodrag grid h-full w-7 shrink-0 place-items-center text-ink-faint hover:text-accent"
        >
          <Icon aria-hidden className="size-4" />
        </button>
        <Link
          to="/tables/$schema/$name"
          params={{ schema, name }}
          preload={false}
          title={name}
          className={clsx(
            'nodrag truncate font-semibold hover:text-accent hover:underline',
            // Without columns there is room for a name that is read from afar.
            columns.length === 0 ? 'text-xl' : 'text-[13px]',
          )}
        >
          {name}
        </Link>
      </div>
      <ul>
        {columns.map(({ name: column, type, isKey, isNullable }) => (
          <li
            key={column}
            className="relative flex items-center gap-1.5 px-2.5 text-xs"
            style={{ height: COLUMN_HEIGHT }}
          >
            <Ends column={column} />
            {isKey ? <KeyRound aria-label="Primary key" className="size-3 shrink-0 text-accent" /> : null}
            <span className="truncate">{column}</span>
            <span className="ml-auto max-w-28 truncate pl-2 text-ink-faint">
              {type}
              {isNullable ? '?' : ''}
            </span>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Where the lines of foreign keys begin and end: at a column or, when it is folded away, at the name of the table. */
const Ends = ({ column }: { column: string }) => (
  <>
    <Handle id={`to ${column}`} type="target" position={Position.Left} isConnectable={false} className="opacity-0!" />
    <Handle
      id={`from ${column}`}
      type="source"
      position={Position.Right}
      isConnectable={false}
      className="opacity-0!"
    />
  </>
)
