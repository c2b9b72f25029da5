import { parse } from 'postgres-array'

/** A quoted name. */
export const ident = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** A quoted name with its schema. */
export const qualified = (schema: string, name: string): string => `${ident(schema)}.${ident(name)}`

/** A quoted string. */
export const literal = (text: string): string => {
  const quoted = `'${text.replaceAll("'", "''")}'`
  return text.includes('\\') ? ` E${quoted.replaceAll('\\', '\\\\')}` : quoted
}

/** An item of a Postgres array: Postgres' text, null, or an array. */
export type ArrayItem = string | null | readonly ArrayItem[]

/** Parses an array as Postgres writes it, such as `{a,"b c",NULL}`; null if it isn't one. */
export function readArray(text: string): readonly ArrayItem[] | null {
  try {
    return parse(text) as ArrayItem[]
  } catch {
    return null
  }
}

/** Formats an array for Postgres. */
export const arrayLiteral = (items: readonly ArrayItem[]): string =>
  `{${items.map((item) => (item === null ? 'NULL' : typeof item === 'string' ? quoted(item) : arrayLiteral(item))).join(',')}}`

const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`

/** A Postgres range. An empty bound means unbounded. */
export type PgRange = {
  readonly lower: string
  readonly upper: string
  readonly hasLower: boolean
  readonly hasUpper: boolean
}

const BOUND = '("(?:[^"\\\\]|\\\\.|"")*"|[^,"]*)'
const RANGE = new RegExp(`^\\s*([[(])${BOUND},${BOUND}([\\])])\\s*$`)

/** Parses a range as Postgres writes it, such as `[1,5)`. @returns `empty` for an empty range; null if it isn't a range. */
export function readRange(text: string): PgRange | 'empty' | null {
  if (text.trim().toLowerCase() === 'empty') return 'empty'
  const [, open, lower = '', upper = '', close] = RANGE.exec(text) ?? []
  if (open === undefined) return null
  return { lower: unquoted(lower), upper: unquoted(upper), hasLower: open === '[', hasUpper: close === ']' }
}

const unquoted = (bound: string): string =>
  bound.startsWith('"') ? bound.slice(1, -1).replaceAll(/\\(.)|"(")/g, '$1$2') : bound

/** Formats a range for Postgres. */
export const rangeLiteral = ({ lower, upper, hasLower, hasUpper }: PgRange): string =>
  `${hasLower ? '[' : '('}${lower && quoted(lower)},${upper && quoted(upper)}${hasUpper ? ']' : ')'}`
