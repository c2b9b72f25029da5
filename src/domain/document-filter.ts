import * as z from 'zod/mini'
import type { Json } from '../../supabase/functions/_shared/database.ts'
import { lenient } from '../lib/lenient.ts'
import { dayRange } from './day-range.ts'
import { FieldFilters } from './field-filter.ts'

/** Filters of shelves and searches, as in the URL and saved searches. */
export const DocumentFilter = z.object({
  collection: lenient(z.guid()),
  tag: lenient(z.guid()),
  kind: lenient(z.enum(['file', 'note', 'link'])),
  person: lenient(z.guid()),
  since: lenient(z.enum(['week', 'month', 'year'])),
  author: lenient(z.string().check(z.minLength(1), z.maxLength(300))),
  /** The document's date: see dayRange. */
  dated: lenient(z.string().check(z.refine((text) => dayRange(text) !== undefined))),
  fields: lenient(FieldFilters),
})
export type DocumentFilter = z.infer<typeof DocumentFilter>

export const timeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

/** Converts a filter for the database: see private.passage_filters. */
export const savedFilter = (filter: { readonly [key: string]: Json | undefined }): { [key: string]: Json } => {
  const set = Object.entries(filter).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]))
  return set.length === 0 ? {} : { saved: Object.fromEntries(set), zone: timeZone() }
}

const DAYS = { week: 7, month: 30, year: 365 } as const
const DAY_MS = 86_400_000

/** Returns the start of the period as an ISO timestamp, at the beginning of a day, so that query keys are stable. */
export const periodStart = (since: NonNullable<DocumentFilter['since']>, now: number = Date.now()): string =>
  new Date(Math.floor(now / DAY_MS) * DAY_MS - DAYS[since] * DAY_MS).toISOString()
