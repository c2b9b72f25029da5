/** A point's coordinates: x, y and any others. */
export type Position = readonly number[]

/** Lines of positions: a point is one line with one position; a polygon has a line for each ring. */
export type Shape = {
  readonly type: string
  readonly lines: readonly (readonly Position[])[]
  readonly parts: readonly Shape[]
  /** Of a circle. */
  readonly radius?: number
}

/** A value of PostgreSQL's own geometric types, or of PostGIS with its reference system and the letters of its other coordinates. */
export type Geometry = {
  readonly shape: Shape
  readonly postgis: { readonly srid: number | null; readonly ordinates: string } | null
}

const NUMBER = /[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/gi

/** Parses a value as Postgres writes it: `(1,2)`, `<(0,0),3>`, or the hexadecimal form of PostGIS.
 *  @returns null for anything else, including an infinite line, which can't be drawn. */
export function readGeometry(type: string, text: string): Geometry | null {
  if (/(?:^|\.)geo(?:metry|graphy)$/.test(type)) return /^(?:[0-9a-f]{2})+$/i.test(text) ? readEwkb(text) : null
  const numbers = (text.match(NUMBER) ?? []).map(Number)
  const isCircle = type === 'circle'
  const positions: Position[] = []
  for (let at = 0; at + 1 < numbers.length; at += 2) positions.push(numbers.slice(at, at + 2))
  if (positions.length === 0 || type === 'line' || numbers.length % 2 !== (isCircle ? 1 : 0)) return null
  const kind = type === 'path' && text.trim().startsWith('[') ? 'open path' : type
  const shape = { type: kind, lines: [positions], parts: [], ...(isCircle && { radius: numbers.at(-1) ?? 0 }) }
  return { shape, postgis: null }
}

/** Returns the text for Postgres (EWKT for PostGIS): the reverse of `readGeometry`. */
export function geometryText({ shape, postgis }: Geometry): string {
  if (postgis) return `${postgis.srid === null ? '' : `SRID=${postgis.srid};`}${wkt(shape, postgis.ordinates)}`
  const positions = shape.lines.flat().map((one) => `(${one.join(',')})`)
  const list = positions.join(',')
  switch (shape.type) {
    case 'point':
    case 'box':
      return list
    case 'circle':
      return `<${list},${shape.radius ?? 0}>`
    case 'lseg':
    case 'open path':
      return `[${list}]`
    default:
      return `(${list})`
  }
}

const TYPES = [
  '',
  'POINT',
  'LINESTRING',
  'POLYGON',
  'MULTIPOINT',
  'MULTILINESTRING',
  'MULTIPOLYGON',
  'GEOMETRYCOLLECTION',
]

function wkt({ type, lines, parts }: Shape, ordinates: string): string {
  const head = ordinates === '' ? type : `${type} ${ordinates}`
  if (parts.length > 0) {
    const texts = parts.map((part) => wkt(part, ordinates))
    return `${head}(${texts.map((text) => (type === 'GEOMETRYCOLLECTION' ? text : text.slice(text.indexOf('(')))).join(',')})`
  }
  if (lines.length === 0) return `${head} EMPTY`
  const list = (line: readonly Position[]) => `(${line.map((one) => one.join(' ')).join(',')})`
  return `${head}${type === 'POLYGON' ? `(${lines.map(list).join(',')})` : list(lines[0] ?? [])}`
}

/** The maximum nesting of parts. */
const MAX_DEPTH = 20

/** Parses the extended well-known binary of PostGIS.
 *  @see https://postgis.net/docs/using_postgis_dbmanagement.html#EWKB_EWKT */
function readEwkb(hex: string): Geometry | null {
  const bytes = new DataView(Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16)).buffer)
  let at = 0
  let srid: number | null = null
  let ordinates = ''
  const readShape = (depth: number): Shape => {
    const isLittle = bytes.getUint8(at) === 1
    const uint = (): number => {
      at += 4
      return bytes.getUint32(at - 4, isLittle)
    }
    at += 1
    const flags = uint()
    if (flags & 0x2000_0000) srid = uint()
    ordinates = `${flags & 0x8000_0000 ? 'Z' : ''}${flags & 0x4000_0000 ? 'M' : ''}`
    const type = TYPES[flags & 0xff]
    if (!type || depth > MAX_DEPTH) throw new RangeError('This type cannot be drawn')
    const position = (): Position =>
      Array.from({ length: 2 + ordinates.length }, () => {
        at += 8
        return bytes.getFloat64(at - 8, isLittle)
      })
    // A count is checked against the remaining bytes before anything is allocated.
    const many = <T>(each: () => T, least: number): T[] => {
      const count = uint()
      if (count * least > bytes.byteLength - at) throw new RangeError('Too short')
      return Array.from({ length: count }, each)
    }
    if (type === 'POINT') {
      const one = position()
      return { type, lines: one.some(Number.isNaN) ? [] : [[one]], parts: [] }
    }
    if (type === 'LINESTRING') {
      const line = many(position, 16)
      return { type, lines: line.length === 0 ? [] : [line], parts: [] }
    }
    if (type === 'POLYGON') return { type, lines: many(() => many(position, 16), 4), parts: [] }
    return { type, lines: [], parts: many(() => readShape(depth + 1), 5) }
  }
  try {
    const shape = readShape(0)
    return { shape, postgis: { srid, ordinates } }
  } catch (error) {
    // The text is truncated, or has a type that isn't drawn, such as a curve.
    if (error instanceof RangeError) return null
    throw error
  }
}

/** Returns all shapes that have lines. */
export const simpleShapes = (shape: Shape): Shape[] =>
  shape.parts.length > 0 ? shape.parts.flatMap(simpleShapes) : [shape]

/** Returns the bounding box; null for an empty geometry. */
export function boundsOf(shape: Shape): { x: number; y: number; width: number; height: number } | null {
  const simple = simpleShapes(shape)
  const positions = simple.flatMap(({ lines }) => lines.flat())
  if (positions.length === 0) return null
  const radius = shape.radius ?? 0
  const range = (axis: 0 | 1): [number, number] =>
    positions.reduce<[number, number]>(
      ([least, most], position) => {
        const value = position[axis] ?? 0
        return [Math.min(least, value - radius), Math.max(most, value + radius)]
      },
      [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
    )
  const [[left, right], [bottom, top]] = [range(0), range(1)]
  return { x: left, y: bottom, width: right - left, height: top - bottom }
}

/** Returns a copy with one position moved. @param index Of the position, in the order of `simpleShapes`. */
export function movePosition(geometry: Geometry, index: number, x: number, y: number): Geometry {
  let at = -1
  const moved = (shape: Shape): Shape => ({
    ...shape,
    lines: shape.lines.map((line) =>
      line.map((position) => {
        at += 1
        return at === index ? [x, y, ...position.slice(2)] : position
      }),
    ),
    parts: shape.parts.map(moved),
  })
  return { ...geometry, shape: moved(geometry.shape) }
}
