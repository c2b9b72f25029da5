import { z } from 'zod'

/** A schema without what makes it optional or gives it a default. */
export function unwrap(schema: z.ZodType): { inner: z.ZodType; optional: boolean } {
  if (schema instanceof z.ZodOptional) return { inner: unwrap(schema.unwrap() as z.ZodType).inner, optional: true }
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) return unwrap(schema.unwrap() as z.ZodType)
  return { inner: schema, optional: false }
}
