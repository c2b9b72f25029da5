import type { Json } from '../../../supabase/functions/_shared/database.ts'
import { dayRange } from '../../domain/day-range.ts'
import { periodStart } from '../../domain/document-filter.ts'
import { patternsOf } from '../../domain/file-kinds.ts'
import { firstMoment, NO_FILTER, numbersOf, type SearchFilter } from './search-filter.ts'

const FIELDS = Object.keys(NO_FILTER) as (keyof SearchFilter)[]

export const isFiltered = (filter: SearchFilter): boolean => FIELDS.some((field) => filter[field] !== undefined)

export const isSameFilter = (one: SearchFilter, other: SearchFilter): boolean =>
  FIELDS.every((field) => JSON.stringify(one[field]) === JSON.stringify(other[field]))

/** The parameters of `search_passages` that a filter stands for; only those that are set. */
export function passageFilters(filter: SearchFilter, now: number = Date.now()): { [name: string]: Json } {
  const { collection, tag, kind, person, since, until, type, title, author, dated, fields } = filter
  const days = dated === undefined ? undefined : dayRange(dated)
  const end = until === undefined ? undefined : lastMoment(until)
  return {
    ...(collection ? { collection } : {}),
    ...(tag ? { tags: [tag] } : {}),
    ...(kind ? { kinds: [kind] } : {}),
    ...(person ? { people: [person] } : {}),
    ...(since ? { since: startOf(since, now) } : {}),
    ...(end ? { until: end } : {}),
    ...(type ? { media_types: patternsOf(type) } : {}),
    ...(title ? { title } : {}),
    ...(author ? { author } : {}),
    ...(days?.from ? { dated_from: days.from } : {}),
    ...(days?.to ? { dated_to: days.to } : {}),
    ...(fields ? { fields } : {}),
  }
}

const startOf = (since: NonNullable<SearchFilter['since']>, now: number): string =>
  since === 'week' || since === 'month' || since === 'year'
    ? periodStart(since, now)
    : (firstMoment(since)?.toISOString() ?? '')

/** The last millisecond of a date, as an ISO timestamp. */
function lastMoment(date: string): string {
  const { year, month, day } = numbersOf(date)
  const next =
    month === undefined ? new Date(year + 1, 0) : new Date(year, day === undefined ? month : month - 1, (day ?? 0) + 1)
  return new Date(next.getTime() - 1).toISOString()
}
