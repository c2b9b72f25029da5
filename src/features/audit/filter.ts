import * as z from 'zod/mini'
import { lenient } from '../../lib/lenient.ts'

const Day = z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/))

/** The filter as it is in the address, which every page's first load knows: the areas' names are in areas.ts. Both days belong
 *  to it. */
export const AuditFilter = z.object({
  person: lenient(z.guid()),
  area: lenient(
    z.enum(['documents', 'comments', 'people', 'sharing', 'structure', 'arriving', 'library', 'programs', 'audit']),
  ),
  since: lenient(Day),
  until: lenient(Day),
})
export type AuditFilter = z.infer<typeof AuditFilter>
export type Area = NonNullable<AuditFilter['area']>
