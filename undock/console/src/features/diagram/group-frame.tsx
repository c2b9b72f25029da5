import type { Node, NodeProps } from '@xyflow/react'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { type Group, TITLE_HEIGHT } from './layout.ts'

export type GroupNode = Node<{ group: Group; isFolded: boolean; onFold: () => void }, 'frame'>

/** The frame of tables that belong together; its title folds them to their names. */
export function GroupFrame({ data: { group, isFolded, onFold } }: NodeProps<GroupNode>) {
  const { title, tables, width, height } = group
  const Icon = isFolded ? ChevronRight : ChevronDown
  return (
    <div style={{ width, height }} className="rounded-lg border border-line/70 bg-panel/60">
      <button
        type="button"
        aria-expanded={!isFolded}
        onClick={onFold}
        style={{ height: TITLE_HEIGHT }}
        className="nodrag pointer-events-auto flex max-w-full items-center gap-1 px-3 text-ink-soft text-xl hover:text-accent"
      >
        <Icon aria-hidden className="size-5 shrink-0" />
        <span className="truncate">
          {title} <span className="text-ink-faint">({tables.length})</span>
        </span>
      </button>
    </div>
  )
}
