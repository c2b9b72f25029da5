import '@xyflow/react/dist/style.css'
import './diagram.css'
import { Background, Controls, type Edge, ReactFlow, useReactFlow } from '@xyflow/react'
import { useEffect, useMemo } from 'react'
import { heightOf, placeTables } from './layout.ts'
import type { Diagram } from './queries.ts'
import { TableBox, type TableNode } from './table-box.tsx'

const NODE_TYPES = { table: TableBox }

type SchemaDiagramProps = { schema: string; diagram: Diagram; search: string }

/** The tables of a schema as boxes, joined by their foreign keys. Tables that fit the search are marked and moved into view. */
export function SchemaDiagram({ schema, diagram, search }: SchemaDiagramProps) {
  const { tables, keys } = diagram
  const places = useMemo(() => placeTables({ tables, keys }), [tables, keys])
  const found = useMemo(() => {
    const text = search.trim().toLowerCase()
    if (text === '') return null
    const fits = (name: string) => name.toLowerCase().includes(text)
    return new Set(
      tables.filter(({ name, columns }) => fits(name) || columns.some((one) => fits(one.name))).map(({ name }) => name),
    )
  }, [tables, search])
  const nodes = useMemo(
    (): TableNode[] =>
      tables.map((table) => ({
        id: table.name,
        type: 'table',
        position: places.get(table.name) ?? { x: 0, y: 0 },
        height: heightOf(table),
        ariaLabel: `Table ${table.name}`,
        data: {
          schema,
          table,
          isFound: found?.has(table.name) ?? false,
          isDimmed: found !== null && !found.has(table.name),
        },
      })),
    [tables, places, found, schema],
  )
  const edges = useMemo(
    (): Edge[] =>
      keys.map(({ name, from, fromColumn, to, toColumn }) => ({
        id: `${from}.${name}`,
        source: from,
        sourceHandle: `from ${fromColumn}`,
        target: to,
        targetHandle: `to ${toColumn}`,
        ariaLabel: `${from}.${fromColumn} refers to ${to}.${toColumn}`,
      })),
    [keys],
  )
  return (
    <ReactFlow
      nodes={nodes}
      edges={edges}
      nodeTypes={NODE_TYPES}
      fitView
      minZoom={0.05}
      maxZoom={1.5}
      onlyRenderVisibleElements
      nodesConnectable={false}
      nodesFocusable={false}
      edgesFocusable={false}
    >
      <Background />
      <Controls showInteractive={false} />
      <ShowFound found={found} />
    </ReactFlow>
  )
}

function ShowFound({ found }: { found: ReadonlySet<string> | null }) {
  const { fitView } = useReactFlow()
  useEffect(() => {
    if (found !== null && found.size > 0) void fitView({ nodes: [...found].map((id) => ({ id })), maxZoom: 1 })
  }, [found, fitView])
  return null
}
