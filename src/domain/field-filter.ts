import * as z from 'zod/mini'

const Bound = z.union([z.number(), z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/))])

/** What documents must have in a field, as it is in the address and as the database reads it (documents_with_fields): ids of
 *  people or options, words, bounds, or nothing at all. */
export const FieldFilter = z.object({
  /** One of these must meet it: collections may have fields of one name. */
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

/** The filters of a shelf or a search: at least a word of each that says what is wanted. */
export const FieldFilters = z
  .array(FieldFilter.check(z.refine((filter) => Object.keys(filter).length > 1)))
  .check(z.minLength(1), z.maxLength(20))
