import * as z from 'zod/mini'

const Bound = z.union([z.number(), z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/))])

/** A filter on fields, as in the URL and documents_with_fields: ids of people or options, words, bounds, or emptiness. */
export const FieldFilter = z.object({
  /** One of them must match: collections may have fields of the same name. */
  fields: z.array(z.guid()).check(z.minLength(1), z.maxLength(30)),
  any: z.optional(z.array(z.guid()).check(z.minLength(1), z.maxLength(50))),
  words: z.optional(z.string().check(z.minLength(1), z.maxLength(300))),
  from: z.optional(Bound),
  to: z.optional(Bound),
  above: z.optional(Bound),
  below: z.optional(Bound),
  empty: z.optional(z.literal(true)),
})
export type FieldFilter = z.infer<typeof FieldFilter>
export type FieldCondition = Omit<FieldFilter, 'fields'>

export const FieldFilters = z
  .array(FieldFilter.check(z.refine((filter) => Object.keys(filter).length > 1)))
  .check(z.minLength(1), z.maxLength(20))
