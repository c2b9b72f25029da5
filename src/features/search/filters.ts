import type { Json } from '../../../types/database.ts'
import { type DocumentFilter, periodStart } from '../../domain/document-filter.ts'

/** The parameters of `search_passages` that a filter stands for; only those that are set. */
export const passageFilters = (
  { collection, tag, kind, person, since }: DocumentFilter,
  now: number = Date.now(),
): Json => ({
  ...(collection ? { collection } : {}),
  ...(tag ? { tags: [tag] } : {}),
  ...(kind ? { kinds: [kind] } : {}),
  ...(person ? { people: [person] } : {}),
  ...(since ? { since: periodStart(since, now) } : {}),
})
