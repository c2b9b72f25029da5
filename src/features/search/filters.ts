import * as z from 'zod/mini'
import type { Json } from '../../../types/database.ts'

const absent = <Shape extends z.ZodMiniType>(shape: Shape) => z.catch(z.optional(shape), undefined)

/** What a search is narrowed to, as it stands in the address and is kept with a saved search. */
export const Filters = z.object({
  collection: absent(z.guid()),
  tag: absent(z.guid()),
  kind: absent(z.enum(['file', 'note', 'link'])),
  person: absent(z.guid()),
  since: absent(z.enum(['week', 'month', 'year'])),
})
export type Filters = z.infer<typeof Filters>

const DAYS = { week: 7, month: 30, year: 365 } as const
const DAY_MS = 86_400_000

/** The same for `search_passages`. A time is counted from the beginning of today, so that a search stays the same all day. */
export function passageFilters({ collection, tag, kind, person, since }: Filters, now: number = Date.now()): Json {
  return {
    ...(collection ? { collection } : {}),
    ...(tag ? { tags: [tag] } : {}),
    ...(kind ? { kinds: [kind] } : {}),
    ...(person ? { people: [person] } : {}),
    ...(since ? { since: new Date(Math.floor(now / DAY_MS) * DAY_MS - DAYS[since] * DAY_MS).toISOString() } : {}),
  }
}
