import { getSmoothStepPath, Position as Side } from '@xyflow/react'
import { BOX_WIDTH, COLUMN_HEIGHT, type Group, HEADER_HEIGHT, heightOf, type Position, tableId } from './layout.ts'
import type { Diagram, DiagramColumn } from './queries.ts'

type Drawing = {
  readonly diagram: Pick<Diagram, 'tables' | 'keys'>
  /** The drawn columns by table id. */
  readonly columns: ReadonlyMap<string, readonly DiagramColumn[]>
  readonly places: ReadonlyMap<string, Position>
  readonly groups: readonly Group[]
}

const MARGIN = 24
const FONT = 'font-family="Inter, system-ui, sans-serif"'
/** Characters that fit in one line of a box: a name, or a column with its type. */
const NAME = 30
const COLUMN = 19
const TYPE = 15

/** Returns the diagram as an SVG on white, for a page or a document. Text stays text. */
export function diagramSvg({ diagram: { tables, keys }, columns, places, groups }: Drawing): string {
  const placeOf = (id: string): Position => places.get(id) ?? { x: 0, y: 0 }
  const heightAt = (id: string, column: string): number => {
    const index = columns.get(id)?.findIndex(({ name }) => name === column) ?? -1
    return index === -1 ? HEADER_HEIGHT / 2 : HEADER_HEIGHT + (index + 0.5) * COLUMN_HEIGHT
  }
  const frames = groups.map(
    ({ x, y, width, height, title }) =>
      `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="8" fill="#f6f7f7" stroke="#dfe3e2"/>${text(x + 14, y + 26, title, 'font-size="16" fill="#5b6664"')}`,
  )
  const lines = keys.map(({ from, fromColumn, to, toColumn }) => {
    const [path] = getSmoothStepPath({
      sourceX: placeOf(from).x + BOX_WIDTH,
      sourceY: placeOf(from).y + heightAt(from, fromColumn),
      sourcePosition: Side.Right,
      targetX: placeOf(to).x,
      targetY: placeOf(to).y + heightAt(to, toColumn),
      targetPosition: Side.Left,
    })
    return `<path d="${path}" fill="none" stroke="#8a9693"/>`
  })
  const boxes = tables.map((table) => {
    const id = tableId(table)
    const { x, y } = placeOf(id)
    const shown = columns.get(id) ?? []
    const rows = shown.map(({ name, type, isKey, isNullable }, index) => {
      const at = y + HEADER_HEIGHT + index * COLUMN_HEIGHT + 16
      const kind = `${cut(type, TYPE)}${isNullable ? '?' : ''}`
      return (
        text(x + 10, at, cut(name, COLUMN), `font-size="12"${isKey ? ' font-weight="700"' : ''}`) +
        text(x + BOX_WIDTH - 10, at, kind, 'font-size="12" fill="#7b8784" text-anchor="end"')
      )
    })
    return [
      `<rect x="${x}" y="${y}" width="${BOX_WIDTH}" height="${heightOf(shown.length)}" rx="6" fill="#fff" stroke="#c9d0ce"/>`,
      text(x + 10, y + 23, cut(table.name, NAME), 'font-size="13" font-weight="600"'),
      ...(shown.length > 0 ? [`<path d="M${x} ${y + HEADER_HEIGHT}h${BOX_WIDTH}" stroke="#c9d0ce"/>`] : []),
      ...rows,
    ].join('')
  })
  const right = Math.max(...groups.map(({ x, width }) => x + width))
  const bottom = Math.max(...groups.map(({ y, height }) => y + height))
  const [left, top] = [Math.min(...groups.map(({ x }) => x)), Math.min(...groups.map(({ y }) => y))]
  const [width, height] = [right - left + 2 * MARGIN, bottom - top + 2 * MARGIN]
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${left - MARGIN} ${top - MARGIN} ${width} ${height}" ${FONT} fill="#1c2422">`,
    `<rect x="${left - MARGIN}" y="${top - MARGIN}" width="${width}" height="${height}" fill="#fff"/>`,
    ...frames,
    ...lines,
    ...boxes,
    '</svg>\n',
  ].join('\n')
}

const cut = (name: string, most: number): string => (name.length > most ? `${name.slice(0, most - 1)}…` : name)

const ESCAPES: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;' }

const text = (x: number, y: number, content: string, look: string): string =>
  `<text x="${x}" y="${y}" ${look}>${content.replace(/[<>&"]/g, (one) => ESCAPES[one] ?? '')}</text>`
