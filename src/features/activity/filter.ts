import * as z from 'zod/mini'
import { lenient } from '../../lib/lenient.ts'

const Day = z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/))

/** Which entries are shown, as it is in the address, which every page's first load knows: the areas' names are in areas.ts. Both
 *  days belong to it. */
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

/** The address of the activity. `audit`: as the log has it, with what members are not told. Owners only. */
export const ActivitySearch = z.extend(ActivityFilter, { audit: lenient(z.boolean()) })
