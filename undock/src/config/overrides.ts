import { z } from 'zod'
import { type Env, isTable, type RawTable } from './env.ts'
import type { Path } from './position.ts'
import { unwrap } from './unwrap.ts'

/** A value that the environment gives instead of the file. */
export type Override = { readonly path: Path; readonly variable: string; readonly value: string }

/** Finds the variables that stand for keys: `SUPABASE_AUTH_SITE_URL` is `auth.site_url`
 *  where `SUPABASE` is the prefix.
 *  Tables that change meaning by being there (`auth.captcha`) and tables of the project's own naming
 *  (`functions`) count only when the file has them; a variable alone creates none. */
export function findOverrides(schema: z.ZodType, prefix: string, raw: RawTable, env: Env): Override[] {
  return [...keysOf(schema, raw, [])].flatMap((path) => {
    const variable = `${prefix}_${path.join('_').toUpperCase()}`
    const value = env[variable]
    return value ? [{ path, variable, value }] : []
  })
}

/** A copy of the file's tables with the overrides in their places. */
export function applyOverrides(raw: RawTable, overrides: readonly Override[]): RawTable {
  return overrides.reduce((tables, { path, value }) => withValue(tables, path, value), raw)
}

function* keysOf(schema: z.ZodType, raw: unknown, path: Path): Generator<Path> {
  const { inner, optional } = unwrap(schema)
  const isThere = isTable(raw)
  if (inner instanceof z.ZodObject) {
    if (optional && !isThere) return
    for (const [key, child] of Object.entries(inner.shape))
      yield* keysOf(child, isThere ? raw[key] : undefined, [...path, key])
  } else if (inner instanceof z.ZodRecord) {
    if (!isThere) return
    for (const [key, value] of Object.entries(raw))
      yield* keysOf(inner.def.valueType as z.ZodType, value, [...path, key])
  } else if (path.length > 0 && !(inner instanceof z.ZodArray)) yield path
}

function withValue(table: RawTable, [key, ...rest]: Path, value: string): RawTable {
  const name = String(key)
  const child = table[name]
  return { ...table, [name]: rest.length === 0 ? value : withValue(isTable(child) ? child : {}, rest, value) }
}
