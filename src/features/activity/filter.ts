import * as z from 'zod/mini'
import { lenient } from '../../lib/lenient.ts'

const Day = z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/))

/** Filter in the URL. Kept apart from the areas' names, because every page loads it. Both days are inclusive. */
export const ActivityFilter = z.object({
  person: lenient(z.guid()),
  area: lenient(
    z.enum(['documents', 'comments', 'people', 'sharing', 'structure', 'arriving', 'library', 'programs', 'audit']),
  ),
  since: lenient(Day),
  until: lenient(Day),
})
export type ActivityFilter = z.infer<typeof ActivityFilter>
export type Area = NonNullable<ActivityFilter['area']>

/** `audit` shows the full log. Owners only. */
export const ActivitySearch = z.extend(ActivityFilter, { audit: lenient(z.boolean()) })
