import { renderPath } from './fault.ts'
import type { Path } from './position.ts'

const REFERENCE = /^env\((.*)\)$/

/** Returns the name in an unresolved `env(NAME)`. */
export const unresolvedName = (text: string): string | undefined => REFERENCE.exec(text)?.[1]

/** Resolves `env(NAME)` strings. As in the CLI, references to unset or empty variables stay. */
export function resolveReferences(value: unknown, env: Readonly<Record<string, string | undefined>>): unknown {
  if (typeof value === 'string') {
    const name = unresolvedName(value)
    return (name !== undefined && env[name]) || value
  }
  if (Array.isArray(value)) return value.map((item) => resolveReferences(item, env))
  if (!isTable(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolveReferences(item, env)]))
}

export type RawTable = Record<string, unknown>

/** TOML dates are objects too, but not tables. */
export const isTable = (value: unknown): value is RawTable =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)

/** Returns a value in nested tables, or undefined. */
export const valueAt = (table: unknown, path: Path): unknown =>
  path.reduce((inner: unknown, part) => (isTable(inner) ? inner[String(part)] : undefined), table)

/** Returns a copy with a value in nested tables, which it creates. */
export function withKey(table: RawTable, [key, ...rest]: Path, value: unknown): RawTable {
  const name = String(key)
  const child = table[name]
  return { ...table, [name]: rest.length === 0 ? value : withKey(isTable(child) ? child : {}, rest, value) }
}

export function withoutKey(table: RawTable, [key, ...rest]: Path): RawTable {
  const { [String(key)]: child, ...others } = table
  return rest.length > 0 && isTable(child) ? { ...others, [String(key)]: withoutKey(child, rest) } : others
}

/** Returns a copy in which a table has some values, and lacks keys with null. */
export const withValues = (tables: RawTable, table: Path, values: Readonly<Record<string, unknown>>): RawTable =>
  Object.entries(values).reduce((all, [key, value]) => {
    const path = [...table, key]
    return value === null ? withoutKey(all, path) : withKey(all, path, value)
  }, tables)

/** Returns the keys whose values differ, such as `auth.site_url`. Lists differ as a whole. */
export function changedKeys(before: unknown, after: unknown, path: Path = []): string[] {
  if (isTable(before) && isTable(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)])
    return [...keys].flatMap((key) => changedKeys(before[key], after[key], [...path, key]))
  }
  return JSON.stringify(before) === JSON.stringify(after) ? [] : [renderPath(path)]
}
