import { z } from 'zod'
import type { Env } from './env.ts'
import { unwrap } from './known-keys.ts'
import type { Path } from './position.ts'
import { isTable, type RawTable } from './references.ts'

/** A value from the environment that replaces a value of the file. */
export type Override = { readonly path: Path; readonly variable: string; readonly value: string }

/** Finds the variables that override keys: with the prefix `SUPABASE`, `SUPABASE_AUTH_SITE_URL` overrides `auth.site_url`. Tables whose
 *  presence has a meaning (`auth.captcha`), and tables whose names a project chooses (`functions`), are overridden only if
 *  the file has them; a variable does not create them. */
export function findOverrides(schema: z.ZodType, prefix: string, raw: RawTable, env: Env): Override[] {
  return [...keysOf(schema, raw, [])].flatMap((path) => {
    const variable = `${prefix}_${path.join('_').toUpperCase()}`
    const value = env[variable]
    return value ? [{ path, variable, value }] : []
  })
}

/** Copies the file's tables with the overrides applied. */
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
