import { Graph, layout } from '@dagrejs/dagre'
import type { Diagram, DiagramTable } from './queries.ts'

/** Pixels, which the boxes are drawn with. */
export const BOX_WIDTH = 240
export const HEADER_HEIGHT = 36
export const COLUMN_HEIGHT = 24
const GAP = 40
/** Tables side by side that no foreign key leads to or from. */
const LOOSE_PER_ROW = 6

export type Place = { readonly x: number; readonly y: number }

export const heightOf = ({ columns }: DiagramTable): number =>
  HEADER_HEIGHT + Math.max(1, columns.length) * COLUMN_HEIGHT

/** Where each table is drawn: from those that refer to others to those that are referred to; tables without foreign keys below. */
export function placeTables({ tables, keys }: Pick<Diagram, 'tables' | 'keys'>): Map<string, Place> {
  const tied = new Set(keys.filter(({ from, to }) => from !== to).flatMap(({ from, to }) => [from, to]))
  const graph = new Graph()
  graph.setGraph({ rankdir: 'LR', nodesep: GAP, ranksep: 3 * GAP })
  graph.setDefaultEdgeLabel(() => ({}))
  for (const table of tables)
    if (tied.has(table.name)) graph.setNode(table.name, { width: BOX_WIDTH, height: heightOf(table) })
  for (const { from, to } of keys) if (from !== to) graph.setEdge(from, to)
  layout(graph)
  const places = new Map<string, Place>()
  let bottom = -GAP
  for (const table of tables) {
    if (!tied.has(table.name)) continue
    const { x = 0, y = 0 } = graph.node(table.name) as Partial<Place>
    const height = heightOf(table)
    places.set(table.name, { x: x - BOX_WIDTH / 2, y: y - height / 2 })
    bottom = Math.max(bottom, y + height / 2)
  }
  const loose = tables.filter(({ name }) => !tied.has(name))
  for (let start = 0; start < loose.length; start += LOOSE_PER_ROW) {
    const row = loose.slice(start, start + LOOSE_PER_ROW)
    for (const [index, { name }] of row.entries()) places.set(name, { x: index * (BOX_WIDTH + GAP), y: bottom + GAP })
    bottom += GAP + Math.max(...row.map(heightOf))
  }
  return places
}
