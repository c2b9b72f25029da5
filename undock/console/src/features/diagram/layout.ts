import { Graph, layout } from '@dagrejs/dagre'
import { clustersOf } from './clusters.ts'
import type { Diagram, DiagramColumn, DiagramTable } from './queries.ts'

/** How much of a table is drawn: its name, its keys, or all of its columns. */
export const DETAILS = ['names', 'keys', 'columns'] as const
export type Detail = (typeof DETAILS)[number]

/** Returns a table's drawn columns. @param tied The columns of foreign keys. */
export const shownColumns = (
  { columns }: DiagramTable,
  detail: Detail,
  tied: ReadonlySet<string>,
): readonly DiagramColumn[] =>
  detail === 'names'
    ? []
    : detail === 'columns'
      ? columns
      : columns.filter(({ name, isKey }) => isKey || tied.has(name))

/** In pixels, also used to draw the boxes. */
export const BOX_WIDTH = 240
export const HEADER_HEIGHT = 36
export const COLUMN_HEIGHT = 24
/** The height of a group's name above its tables. */
export const TITLE_HEIGHT = 40
const GAP = 24
const PADDING = 16
/** The width-to-height ratio of most screens. */
const SHAPE = 1.4

export type Position = { readonly x: number; readonly y: number }
type Size = { readonly width: number; readonly height: number }

/** Tables that belong together, in a frame. */
export type Group = Position &
  Size & { readonly id: string; readonly title: string; readonly tables: readonly string[] }

export const tableId = ({ schema, name }: { readonly schema: string; readonly name: string }): string =>
  `${schema}.${name}`

export const heightOf = (columns: number): number => HEADER_HEIGHT + columns * COLUMN_HEIGHT

/** Positions tables and the frames of their groups: tables connected by foreign keys, from referring to referenced ones, and
 *  the unconnected tables of each schema. @param heights Pixels, by the id of the table. */
export function placeTables(
  { tables, keys }: Pick<Diagram, 'tables' | 'keys'>,
  heights: ReadonlyMap<string, number>,
): { places: Map<string, Position>; groups: Group[] } {
  const schemas = [...new Set(tables.map(({ schema }) => schema))].sort()
  const blocks = schemas.map((schema) => {
    const ids = tables.filter((table) => table.schema === schema).map(tableId)
    const clusters = clustersOf(ids, keys)
    const title = (text: string) => (schemas.length > 1 ? `${schema}: ${text}` : text)
    const alone = clusters.filter(({ length }) => length === 1).flat()
    const isTied = (id: string) => keys.some(({ from, to }) => from !== to && (from === id || to === id))
    const drawn = clusters
      .filter(({ length }) => length > 1)
      .map((cluster) => drawGroup(title(`around ${hubOf(cluster, keys)}`), cluster, placeTied(cluster, keys, heights)))
    for (const [text, ids] of [
      ['with keys to others', alone.filter(isTied)],
      ['without foreign keys', alone.filter((id) => !isTied(id))],
    ] as const)
      if (ids.length > 0) drawn.push(drawGroup(title(text), ids, pack(ids.map((id) => sized(id, heights)))))
    return drawn
  })
  const places = new Map<string, Position>()
  const groups: Group[] = []
  const packed = blocks.map((drawn) => pack(drawn.map(({ group }) => group)))
  const sizes = packed.map((block, n) => ({ id: schemas[n] ?? '', ...block }))
  for (const [id, at] of pack(sizes).places) {
    const block = schemas.indexOf(id)
    for (const { group, inside } of blocks[block] ?? []) {
      const within = packed[block]?.places.get(group.id) ?? { x: 0, y: 0 }
      const place = { x: at.x + within.x, y: at.y + within.y }
      groups.push({ ...group, ...place })
      for (const [table, { x, y }] of inside)
        places.set(table, { x: place.x + PADDING + x, y: place.y + TITLE_HEIGHT + y })
    }
  }
  return { places, groups }
}

type Packed = Size & { readonly places: ReadonlyMap<string, Position> }

function drawGroup(title: string, tables: readonly string[], { places, width, height }: Packed) {
  const size = { width: width + 2 * PADDING, height: height + TITLE_HEIGHT + PADDING }
  return { group: { id: tables[0] ?? '', title, tables, ...size }, inside: places }
}

const sized = (id: string, heights: ReadonlyMap<string, number>) => ({
  id,
  width: BOX_WIDTH,
  height: heights.get(id) ?? HEADER_HEIGHT,
})

/** The table of a cluster that most foreign keys refer to, without its schema. */
function hubOf(cluster: readonly string[], keys: Diagram['keys']): string {
  const references = (id: string) =>
    keys.filter(({ from, to }) => to === id && from !== id && cluster.includes(from)).length
  const hub = cluster.reduce((best, id) => (references(id) > references(best) ? id : best))
  return hub.slice(hub.indexOf('.') + 1)
}

function placeTied(cluster: readonly string[], keys: Diagram['keys'], heights: ReadonlyMap<string, number>): Packed {
  const graph = new Graph()
  graph.setGraph({ rankdir: 'LR', nodesep: GAP, ranksep: 2 * GAP })
  graph.setDefaultEdgeLabel(() => ({}))
  for (const id of cluster) graph.setNode(id, { width: BOX_WIDTH, height: heights.get(id) ?? HEADER_HEIGHT })
  for (const { from, to } of keys)
    if (from !== to && cluster.includes(from) && cluster.includes(to)) graph.setEdge(from, to)
  layout(graph)
  const { width = 0, height = 0 } = graph.graph() as Partial<Size>
  const places = cluster.map((id): [string, Position] => {
    const { x = 0, y = 0 } = graph.node(id) as Partial<Position>
    return [id, { x: x - BOX_WIDTH / 2, y: y - (heights.get(id) ?? HEADER_HEIGHT) / 2 }]
  })
  return { places: new Map(places), width, height }
}

type Box = Size & { readonly id: string }

/** The widths to try, as multiples of a full rectangle's. */
const WIDTHS = [1, 1.15, 1.3, 1.5, 1.75, 2]

/** Arranges boxes so that the whole can be shown as large as possible. */
function pack(boxes: readonly Box[]): Packed {
  const area = boxes.reduce((sum, { width, height }) => sum + (width + GAP) * (height + GAP), 0)
  const least = Math.max(0, ...boxes.map(({ width }) => width))
  const size = ({ width, height }: Size) => Math.max(width, height * SHAPE)
  return WIDTHS.map((times) => packWithin(boxes, Math.max(least, Math.sqrt(area * SHAPE) * times))).reduce(
    (best, one) => (size(one) < size(best) ? one : best),
  )
}

/** Places each box, tallest first, as high as possible. @param wanted The maximum width in pixels. */
function packWithin(boxes: readonly Box[], wanted: number): Packed {
  const places = new Map<string, Position>()
  /** The lower edge of the placed boxes, from left to right. */
  let edge = [{ x: 0, end: wanted + GAP, y: 0 }]
  for (const { id, width, height } of [...boxes].sort((a, b) => b.height - a.height)) {
    const spots = edge
      .filter(({ x }) => x + width <= wanted)
      .map(({ x }) => {
        const above = edge.filter((part) => part.x < x + width + GAP && part.end > x)
        return { x, y: Math.max(...above.map(({ y }) => y)) }
      })
    const spot = spots.reduce((best, one) => (one.y < best.y ? one : best))
    places.set(id, spot)
    const end = spot.x + width + GAP
    const kept = edge.flatMap((part) => [
      ...(part.x < spot.x ? [{ ...part, end: Math.min(part.end, spot.x) }] : []),
      ...(part.end > end ? [{ ...part, x: Math.max(part.x, end) }] : []),
    ])
    edge = [...kept, { x: spot.x, end, y: spot.y + height + GAP }].sort((a, b) => a.x - b.x)
  }
  const ends = boxes.map(({ id, width, height }) => {
    const { x, y } = places.get(id) ?? { x: 0, y: 0 }
    return { x: x + width, y: y + height }
  })
  return {
    places,
    width: Math.max(0, ...ends.map(({ x }) => x)),
    height: Math.max(0, ...ends.map(({ y }) => y)),
  }
}
