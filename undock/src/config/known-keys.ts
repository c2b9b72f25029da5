import { z } from 'zod'
import type { Path } from './position.ts'
import { type RawTable, valueAt, withKey, withoutKey } from './values.ts'

/** @property refusedBy The first version of the CLI that refuses the old name. */
type Alias = { readonly written: Path; readonly known: Path; readonly refusedBy: number }

/** Keys that version 3 of the CLI renamed. Projects of older versions use the old names. */
const ALIASES: readonly Alias[] = [
  { written: ['inbucket'], known: ['local_smtp'], refusedBy: 3 },
  { written: ['experimental', 'orioledb_version'], known: ['db', 'orioledb_version'], refusedBy: 3 },
  { written: ['auth', 'email', 'enable_signup'], known: ['auth', 'email', 'enabled'], refusedBy: 4 },
  { written: ['auth', 'sms', 'enable_signup'], known: ['auth', 'sms', 'enabled'], refusedBy: 4 },
]

/** Returns the tables' keys with old names. */
export const renamedKeys = (raw: RawTable): readonly Alias[] =>
  ALIASES.filter(({ written }) => valueAt(raw, written) !== undefined)

/** Copies the tables with current key names. If a key exists under both names, the current one wins. */
export function withKnownNames(raw: RawTable): RawTable {
  return renamedKeys(raw).reduce((tables, { written, known }) => {
    const without = withoutKey(tables, written)
    return valueAt(without, known) === undefined ? withKey(without, known, valueAt(tables, written)) : without
  }, raw)
}

/** Returns the path under its old name, if any. */
export function oldName(path: Path): Path | undefined {
  const alias = ALIASES.find(({ known }) => known.every((part, index) => part === path[index]))
  return alias && [...alias.written, ...path.slice(alias.known.length)]
}

/** Returns the path under which the tables have a key: the old name if only that exists. */
export function writtenPath(raw: RawTable, path: Path): Path {
  const old = oldName(path)
  return old && valueAt(raw, path) === undefined && valueAt(raw, old) !== undefined ? old : path
}

/** Returns the schema inside `optional` and `default`. */
export function unwrap(schema: z.ZodType): { inner: z.ZodType; optional: boolean } {
  if (schema instanceof z.ZodOptional) return { inner: unwrap(schema.unwrap() as z.ZodType).inner, optional: true }
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) return unwrap(schema.unwrap() as z.ZodType)
  return { inner: schema, optional: false }
}
