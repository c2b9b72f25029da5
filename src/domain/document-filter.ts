import * as z from 'zod/mini'
import type { Json } from '../../supabase/functions/_shared/database.ts'
import { lenient } from '../lib/lenient.ts'
import { dayRange } from './day-range.ts'
import { FieldFilters } from './field-filter.ts'

/** What a shelf or a search is narrowed to, as it is in the address and in a saved search. */
export const DocumentFilter = z.object({
  collection: lenient(z.guid()),
  tag: lenient(z.guid()),
  kind: lenient(z.enum(['file', 'note', 'link'])),
  person: lenient(z.guid()),
  /** When it was added. */
  since: lenient(z.enum(['week', 'month', 'year'])),
  /** A part of what the document says of its author. */
  author: lenient(z.string().check(z.minLength(1), z.maxLength(300))),
  /** The date that the document bears: see dayRange. */
  dated: lenient(z.string().check(z.refine((text) => dayRange(text) !== undefined))),
  /** What its fields must have. */
  fields: lenient(FieldFilters),
})
export type DocumentFilter = z.infer<typeof DocumentFilter>

/** The time zone of this device. */
export const timeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

/** A filter as the database reads it: private.passage_filters says what each of its keys means. */
export const savedFilter = (filter: { readonly [key: string]: Json | undefined }): { [key: string]: Json } => {
  const set = Object.entries(filter).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]))
  return set.length === 0 ? {} : { saved: Object.fromEntries(set), zone: timeZone() }
}

const DAYS = { week: 7, month: 30, year: 365 } as const
const DAY_MS = 86_400_000

/** The moment before which a document is too old, as an ISO timestamp. It is the beginning of a day, so that the key of a query
 *  stays the same all day. */
export const periodStart = (since: NonNullable<DocumentFilter['since']>, now: number = Date.now()): string =>
  new Date(Math.floor(now / DAY_MS) * DAY_MS - DAYS[since] * DAY_MS).toISOString()
