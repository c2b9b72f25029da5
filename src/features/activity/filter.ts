import * as z from 'zod/mini'
import { lenient } from '../../lib/lenient.ts'

/** Areas of activity, each with the first words of its verbs. */
export const AREAS = {
  documents: ['document', 'hold'],
  comments: ['comment'],
  people: ['member', 'invitation', 'group', 'grant'],
  sharing: ['share'],
  library: ['library', 'key', 'retention'],
} as const
export type Area = keyof typeof AREAS

const Day = z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/))

/** The filter as it is in the address. */
export const ActivityFilter = z.object({
  person: lenient(z.guid()),
  area: lenient(z.enum(['documents', 'comments', 'people', 'sharing', 'library'])),
  since: lenient(Day),
  until: lenient(Day),
})
export type ActivityFilter = z.infer<typeof ActivityFilter>
