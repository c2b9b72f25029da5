import { z } from 'zod'
import { isTable, type RawTable } from './env.ts'
import { unwrap } from './unwrap.ts'

/** A copy of the tables in which the schema's keys are in its own letters: `[API] Port` is `[api] port`. Names that a
 *  project gives itself stay as they are. A key that is there twice is left for the schema to refuse.
 *  @see supabase/cli pkg/config/config.go, whose reader ignores case. */
export const withKnownCase = (schema: z.ZodType, raw: RawTable): RawTable => fitted(schema, raw) as RawTable

function fitted(schema: z.ZodType, raw: unknown): unknown {
  const { inner } = unwrap(schema)
  if (inner instanceof z.ZodArray && Array.isArray(raw))
    return raw.map((one) => fitted(inner.element as z.ZodType, one))
  if (!isTable(raw)) return raw
  if (inner instanceof z.ZodRecord)
    return Object.fromEntries(
      Object.entries(raw).map(([name, value]) => [name, fitted(inner.def.valueType as z.ZodType, value)]),
    )
  if (!(inner instanceof z.ZodObject)) return raw
  const shape: Readonly<Record<string, z.ZodType>> = inner.shape
  return Object.fromEntries(
    Object.entries(raw).map(([written, value]) => {
      const known = written.toLowerCase()
      const name = !Object.hasOwn(shape, written) && Object.hasOwn(shape, known) && !(known in raw) ? known : written
      const child = Object.hasOwn(shape, name) ? shape[name] : undefined
      return [name, child ? fitted(child, value) : value]
    }),
  )
}
