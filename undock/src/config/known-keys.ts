import { z } from 'zod'
import type { Path } from './position.ts'
import { isTable, type RawTable, valueAt, withKey, withoutKey } from './values.ts'

type Alias = { readonly written: Path; readonly known: Path }

/** Keys that version 3 of the CLI renamed. Projects may use either name. */
const ALIASES: readonly Alias[] = [
  { written: ['inbucket'], known: ['local_smtp'] },
  { written: ['experimental', 'orioledb_version'], known: ['db', 'orioledb_version'] },
  { written: ['auth', 'email', 'enabled'], known: ['auth', 'email', 'enable_signup'] },
  { written: ['auth', 'sms', 'enabled'], known: ['auth', 'sms', 'enable_signup'] },
]

/** Copies the tables with current key names. If a key exists under both names, the current one wins. */
export function withKnownNames(raw: RawTable): RawTable {
  return ALIASES.reduce((tables, { written, known }) => {
    const value = valueAt(tables, written)
    if (value === undefined) return tables
    const without = withoutKey(tables, written)
    return valueAt(without, known) === undefined ? withKey(without, known, value) : without
  }, raw)
}

/** Returns the path under its old name, if any. */
export function oldName(path: Path): Path | undefined {
  const alias = ALIASES.find(({ known }) => known.every((part, index) => part === path[index]))
  return alias && [...alias.written, ...path.slice(alias.known.length)]
}

/** Copies the tables with the schema's spelling of keys: `[API] Port` becomes `[api] port`. Names chosen by a project
 *  stay unchanged; keys in both spellings are left for the schema to refuse.
 *  @see supabase/cli pkg/config/config.go, whose reader ignores case. */
export const withKnownCase = (schema: z.ZodType, raw: RawTable): RawTable => spellKeys(schema, raw) as RawTable

function spellKeys(schema: z.ZodType, raw: unknown): unknown {
  const { inner } = unwrap(schema)
  if (inner instanceof z.ZodArray && Array.isArray(raw))
    return raw.map((one) => spellKeys(inner.element as z.ZodType, one))
  if (!isTable(raw)) return raw
  if (inner instanceof z.ZodRecord)
    return Object.fromEntries(
      Object.entries(raw).map(([name, value]) => [name, spellKeys(inner.def.valueType as z.ZodType, value)]),
    )
  if (!(inner instanceof z.ZodObject)) return raw
  const shape: Readonly<Record<string, z.ZodType>> = inner.shape
  return Object.fromEntries(
    Object.entries(raw).map(([written, value]) => {
      const known = written.toLowerCase()
      const name = !Object.hasOwn(shape, written) && Object.hasOwn(shape, known) && !(known in raw) ? known : written
      const child = Object.hasOwn(shape, name) ? shape[name] : undefined
      return [name, child ? spellKeys(child, value) : value]
    }),
  )
}

/** Returns the schema inside `optional` and `default`. */
export function unwrap(schema: z.ZodType): { inner: z.ZodType; optional: boolean } {
  if (schema instanceof z.ZodOptional) return { inner: unwrap(schema.unwrap() as z.ZodType).inner, optional: true }
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) return unwrap(schema.unwrap() as z.ZodType)
  return { inner: schema, optional: false }
}
