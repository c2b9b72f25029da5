import * as z from 'zod/mini'
import { DocumentFilter } from '../../domain/document-filter.ts'
import { FILE_TYPES, type FileType } from '../../domain/file-types.ts'
import { lenient } from '../../lib/lenient.ts'

/** A day, a month or a year: "2026-03-05", "2026-03", "2026". */
const CalendarDate = z.string().check(
  z.regex(/^\d{4}(-\d{2}(-\d{2})?)?$/),
  z.refine((date) => firstMoment(date) !== undefined),
)

/** What a search is narrowed to, as it is in the address and in a saved search. */
export const SearchFilter = z.extend(DocumentFilter, {
  since: lenient(z.union([z.enum(['week', 'month', 'year']), CalendarDate])),
  until: lenient(CalendarDate),
  type: lenient(z.enum(Object.keys(FILE_TYPES) as [FileType, ...FileType[]])),
  title: lenient(z.string().check(z.minLength(1), z.maxLength(300))),
})
export type SearchFilter = z.infer<typeof SearchFilter>

export const NO_FILTER: SearchFilter = {
  collection: undefined,
  tag: undefined,
  kind: undefined,
  person: undefined,
  since: undefined,
  author: undefined,
  dated: undefined,
  fields: undefined,
  until: undefined,
  type: undefined,
  title: undefined,
}
export const numbersOf = (date: string) => {
  const [year = 0, month, day] = date.split('-').map(Number)
  return { year, month, day }
}

/** When a date begins on this device's clock; undefined for a date that no calendar has. */
export function firstMoment(date: string): Date | undefined {
  const { year, month = 1, day = 1 } = numbersOf(date)
  const start = new Date(year, month - 1, day)
  start.setFullYear(year)
  return start.getMonth() === month - 1 && start.getDate() === day ? start : undefined
}
