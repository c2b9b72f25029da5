import { Link } from '@tanstack/react-router'
import { Handle, type Node, type NodeProps, Position } from '@xyflow/react'
import clsx from 'clsx'
import { KeyRound } from 'lucide-react'
import { BOX_WIDTH, COLUMN_HEIGHT, HEADER_HEIGHT } from './layout.ts'
import type { DiagramTable } from './queries.ts'

export type TableNode = Node<{ schema: string; table: DiagramTable; isFound: boolean; isDimmed: boolean }, 'table'>

/** A table as a box; its name leads to its rows. */
export function TableBox({ data: { schema, table, isFound, isDimmed } }: NodeProps<TableNode>) {
  return (
    <div
      style={{ width: BOX_WIDTH }}
      className={clsx(
        'overflow-hidden rounded-md border bg-raised shadow-xs',
        isFound && 'outline-2 outline-accent',
        isDimmed && 'opacity-30',
      )}
    >
      <Link
        to="/tables/$schema/$name"
        params={{ schema, name: table.name }}
        preload={false}
        className="nodrag flex items-center truncate border-b bg-panel px-2.5 font-semibold text-[13px] hover:text-accent hover:underline"
        style={{ height: HEADER_HEIGHT }}
      >
        {table.name}
      </Link>
      <ul>
        {table.columns.map(({ name, type, isKey, isNullable }) => (
          <li
            key={name}
            className="relative flex items-center gap-1.5 px-2.5 text-xs"
            style={{ height: COLUMN_HEIGHT }}
          >
            <Handle
              id={`to ${name}`}
              type="target"
              position={Position.Left}
              isConnectable={false}
              className="opacity-0!"
            />
            {isKey ? <KeyRound aria-label="Primary key" className="size-3 shrink-0 text-accent" /> : null}
            <span className="truncate">{name}</span>
            <span className="ml-auto max-w-28 truncate pl-2 text-ink-faint">
              {type}
              {isNullable ? '?' : ''}
            </span>
            <Handle
              id={`from ${name}`}
              type="source"
              position={Position.Right}
              isConnectable={false}
              className="opacity-0!"
            />
          </li>
        ))}
      </ul>
    </div>
  )
}
