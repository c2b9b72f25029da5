import { z } from 'zod'
import type { Env } from './env.ts'
import { oldName, unwrap } from './known-keys.ts'
import type { Path } from './position.ts'
import { isTable, type RawTable, withKey } from './values.ts'

/** An environment variable that replaces a value of the file. */
export type Override = { readonly path: Path; readonly variable: string; readonly value: string }

/** Finds variables that override keys: `SUPABASE_AUTH_SITE_URL` overrides `auth.site_url`. Tables whose presence has a
 *  meaning (`auth.captcha`) or whose names a project chooses (`functions`) are only overridden if the file has them.
 *  @param mayCreate Whether variables create these too, except for a project's own names (but entries of dictionaries). */
export function findOverrides(
  schema: z.ZodType,
  prefix: string,
  raw: RawTable,
  env: Env,
  mayCreate = false,
): Override[] {
  const names = mayCreate ? Object.keys(env) : []
  return [...keysOf(schema, raw, [], { prefix, names, mayCreate })].flatMap((path) => {
    const names = [path, oldName(path) ?? path].map((name) => variableOf(prefix, name))
    const variable = names.find((name) => env[name])
    return variable === undefined ? [] : [{ path, variable, value: env[variable] ?? '' }]
  })
}

const variableOf = (prefix: string, path: Path): string => `${prefix}_${path.join('_').toUpperCase()}`

/** Copies the file's tables with the overrides applied. */
export function applyOverrides(raw: RawTable, overrides: readonly Override[]): RawTable {
  return overrides.reduce((tables, { path, value }) => withKey(tables, path, value), raw)
}

type Search = { readonly prefix: string; readonly names: readonly string[]; readonly mayCreate: boolean }

function* keysOf(schema: z.ZodType, raw: unknown, path: Path, search: Search): Generator<Path> {
  const { inner, optional } = unwrap(schema)
  const isThere = isTable(raw)
  if (inner instanceof z.ZodObject) {
    if (optional && !isThere && !search.mayCreate) return
    for (const [key, child] of Object.entries(inner.shape))
      yield* keysOf(child, isThere ? raw[key] : undefined, [...path, key], search)
  } else if (inner instanceof z.ZodRecord) {
    const value = inner.def.valueType as z.ZodType
    const entries = isThere ? raw : {}
    for (const [key, child] of Object.entries(entries)) yield* keysOf(value, child, [...path, key], search)
    if (unwrap(value).inner instanceof z.ZodObject) return
    const known = Object.keys(entries).map((key) => key.toUpperCase())
    const start = variableOf(search.prefix, [...path, ''])
    for (const name of search.names)
      if (name.startsWith(start) && !known.includes(name.slice(start.length))) yield [...path, name.slice(start.length)]
  } else if (path.length > 0 && !(inner instanceof z.ZodArray)) yield path
}
