import '@xyflow/react/dist/style.css'
import './diagram.css'
import { Link } from '@tanstack/react-router'
import {
  Background,
  ControlButton,
  Controls,
  type Edge,
  Handle,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  useReactFlow,
} from '@xyflow/react'
import clsx from 'clsx'
import { ChevronDown, ChevronRight, Download, KeyRound } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { saveFile } from '../../lib/browser.ts'
import { diagramSvg } from './diagram-svg.ts'
import {
  BOX_WIDTH,
  COLUMN_HEIGHT,
  type Detail,
  type Group,
  HEADER_HEIGHT,
  heightOf,
  placeTables,
  shownColumns,
  TITLE_HEIGHT,
  tableId,
} from './layout.ts'
import type { Diagram, DiagramColumn, DiagramTable } from './queries.ts'

/** @property columns The drawn ones. */
type TableNode = Node<
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
function TableBox({ data: { table, columns, isFound, isDimmed, onFold } }: NodeProps<TableNode>) {
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
            // Without columns there's room for a name that's readable when zoomed out.
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

/** The ends of foreign keys' lines: at a column or, if it's collapsed, at the table's name. */
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

const NODE_TYPES = { table: TableBox, frame: GroupFrame }

/** The zoom below which columns are unreadable. They aren't drawn then, because 500 tables take most of a frame. */
const READABLE = 0.35

/** Leaves little empty space around the diagram. */
const WHOLE = { padding: 0.03 }

type SchemaDiagramProps = {
  diagram: Diagram
  detail: Detail
  /** The ids of found tables, marked and moved into view; null without a search. */
  found: ReadonlySet<string> | null
}

/** Tables as boxes in groups, connected by their foreign keys. */
export function SchemaDiagram({ diagram: { tables, keys }, detail, found }: SchemaDiagramProps) {
  /** Tables drawn with more or less detail than the others. */
  const [own, setOwn] = useState<ReadonlyMap<string, Detail>>(new Map())
  const columns = useMemo(() => {
    const tied = Map.groupBy(
      keys.flatMap(({ from, fromColumn, to, toColumn }) => [
        { id: from, column: fromColumn },
        { id: to, column: toColumn },
      ]),
      ({ id }) => id,
    )
    return new Map(
      tables.map((table) => {
        const id = tableId(table)
        const ends = new Set(tied.get(id)?.map(({ column }) => column))
        return [id, shownColumns(table, own.get(id) ?? detail, ends)]
      }),
    )
  }, [tables, keys, own, detail])
  const { places, groups } = useMemo(
    () => placeTables({ tables, keys }, new Map([...columns].map(([id, shown]) => [id, heightOf(shown.length)]))),
    [tables, keys, columns],
  )
  const nodes = useMemo(() => {
    const fold = (ids: readonly string[], next: Detail) =>
      setOwn((before) => new Map([...before, ...ids.map((id): [string, Detail] => [id, next])]))
    const frames = groups.map((group): GroupNode => {
      const { id, x, y, width, height, title } = group
      const isFolded = group.tables.every((one) => (own.get(one) ?? detail) === 'names')
      return {
        id: `group ${id}`,
        type: 'frame',
        position: { x, y },
        width,
        height,
        zIndex: -1,
        draggable: false,
        selectable: false,
        ariaLabel: `Tables ${title}`,
        data: {
          group,
          isFolded,
          onFold: () => fold(group.tables, isFolded ? (detail === 'names' ? 'keys' : detail) : 'names'),
        },
      }
    })
    const boxes = tables.map((table): TableNode => {
      const id = tableId(table)
      const shown = columns.get(id) ?? []
      return {
        id,
        type: 'table',
        position: places.get(id) ?? { x: 0, y: 0 },
        height: heightOf(shown.length),
        ariaLabel: `Table ${table.name}`,
        data: {
          table,
          columns: shown,
          isFound: found?.has(id) ?? false,
          isDimmed: found !== null && !found.has(id),
          onFold: () => fold([id], shown.length === table.columns.length ? 'names' : 'columns'),
        },
      }
    })
    return [...frames, ...boxes]
  }, [tables, columns, groups, places, found, own, detail])
  const edges = useMemo(() => {
    const end = (id: string, column: string) => (columns.get(id)?.some(({ name }) => name === column) ? column : '')
    return keys.map(
      ({ name, from, fromColumn, to, toColumn }): Edge => ({
        id: `${from}.${name}`,
        source: from,
        sourceHandle: `from ${end(from, fromColumn)}`,
        target: to,
        targetHandle: `to ${end(to, toColumn)}`,
        ariaLabel: `${from}.${fromColumn} refers to ${to}.${toColumn}`,
      }),
    )
  }, [keys, columns])
  const show = useRef<(ids: readonly string[]) => void>(null)
  const [isFar, setIsFar] = useState(false)
  const save = () =>
    saveFile('schema.svg', 'image/svg+xml', diagramSvg({ diagram: { tables, keys }, columns, places, groups }))
  return (
    <ReactFlow
      className={isFar ? 'is-far' : ''}
      onMove={(_, { zoom }) => setIsFar(zoom < READABLE)}
      onInit={({ fitView }) => {
        show.current = (ids) => void fitView({ nodes: ids.map((id) => ({ id })), maxZoom: 1, duration: 200 })
      }}
      // A line links to its two tables.
      onEdgeClick={(_, { source, target }) => show.current?.([source, target])}
      nodes={nodes}
      edges={edges}
      nodeTypes={NODE_TYPES}
      fitView
      fitViewOptions={WHOLE}
      minZoom={0.05}
      maxZoom={1.5}
      onlyRenderVisibleElements
      nodesConnectable={false}
      nodesFocusable={false}
      edgesFocusable={false}
    >
      <Background />
      <Controls showInteractive={false}>
        <ControlButton title="Save as SVG" aria-label="Save as SVG" onClick={save}>
          <Download aria-hidden className="fill-none!" />
        </ControlButton>
      </Controls>
      <ShowAll detail={detail} />
      <ShowFound found={found} />
    </ReactFlow>
  )
}

/** Fits the diagram to the screen when its size changes. */
function ShowAll({ detail }: { detail: Detail }) {
  const { fitView } = useReactFlow()
  // biome-ignore lint/correctness/useExhaustiveDependencies: another detail has another size
  useEffect(() => {
    void fitView(WHOLE)
  }, [detail, fitView])
  return null
}

function ShowFound({ found }: { found: ReadonlySet<string> | null }) {
  const { fitView } = useReactFlow()
  useEffect(() => {
    if (found !== null && found.size > 0) void fitView({ nodes: [...found].map((id) => ({ id })), maxZoom: 1 })
  }, [found, fitView])
  return null
}

type GroupNode = Node<{ group: Group; isFolded: boolean; onFold: () => void }, 'frame'>

/** The frame around a group of tables; its title collapses them to their names. */
function GroupFrame({ data: { group, isFolded, onFold } }: NodeProps<GroupNode>) {
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
