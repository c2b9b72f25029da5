import * as z from 'zod/mini'

/** What activity is about, and the first words of the verbs that are. */
export const AREAS = {
  documents: ['document'],
  comments: ['comment'],
  people: ['member', 'invitation', 'grant'],
  sharing: ['share'],
  library: ['library'],
} as const
export type Area = keyof typeof AREAS

const absent = <Shape extends z.ZodMiniType>(shape: Shape) => z.catch(z.optional(shape), undefined)
const Day = z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/))

/** As it stands in the address. */
export const ActivityFilter = z.object({
  person: absent(z.guid()),
  area: absent(z.enum(['documents', 'comments', 'people', 'sharing', 'library'])),
  since: absent(Day),
  until: absent(Day),
})
export type ActivityFilter = z.infer<typeof ActivityFilter>
