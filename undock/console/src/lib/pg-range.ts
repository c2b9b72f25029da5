/** A Postgres range. An empty bound means unbounded. */
export type PgRange = {
  readonly lower: string
  readonly upper: string
  readonly hasLower: boolean
  readonly hasUpper: boolean
}

const BOUND = '("(?:[^"\\\\]|\\\\.|"")*"|[^,"]*)'
const RANGE = new RegExp(`^\\s*([[(])${BOUND},${BOUND}([\\])])\\s*$`)

/** Reads a range as Postgres writes it, such as `[1,5)`. @returns `empty` for the range without values, null for another text. */
export function readRange(text: string): PgRange | 'empty' | null {
  if (text.trim().toLowerCase() === 'empty') return 'empty'
  const [, open, lower = '', upper = '', close] = RANGE.exec(text) ?? []
  if (open === undefined) return null
  return { lower: unquoted(lower), upper: unquoted(upper), hasLower: open === '[', hasUpper: close === ']' }
}

const unquoted = (bound: string): string =>
  bound.startsWith('"') ? bound.slice(1, -1).replaceAll(/\\(.)|"(")/g, '$1$2') : bound

/** A range as Postgres reads it. */
export const rangeLiteral = ({ lower, upper, hasLower, hasUpper }: PgRange): string =>
  `${hasLower ? '[' : '('}${quoted(lower)},${quoted(upper)}${hasUpper ? ']' : ')'}`

const quoted = (bound: string): string => (bound === '' ? '' : `"${bound.replaceAll(/["\\]/g, '\\$&')}"`)
