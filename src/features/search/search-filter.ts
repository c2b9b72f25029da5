import * as z from 'zod/mini'
import { dayRange } from '../../domain/day-range.ts'
import { DocumentFilter } from '../../domain/document-filter.ts'
import { FILE_TYPES, type FileType } from '../../domain/file-types.ts'
import { lenient } from '../../lib/lenient.ts'

/** "2026-03-05", "2026-03" or "2026". */
const CalendarDate = z.string().check(z.refine((date) => !date.includes('..') && dayRange(date) !== undefined))

/** A search's filters, as in the URL and saved searches. */
export const SearchFilter = z.extend(DocumentFilter, {
  since: lenient(z.union([z.enum(['week', 'month', 'year']), CalendarDate])),
  until: lenient(CalendarDate),
  type: lenient(z.enum(Object.keys(FILE_TYPES) as [FileType, ...FileType[]])),
  title: lenient(z.string().check(z.minLength(1), z.maxLength(300))),
})
export type SearchFilter = z.infer<typeof SearchFilter>

const FIELDS = Object.keys(SearchFilter.shape) as (keyof SearchFilter)[]

export const NO_FILTER: SearchFilter = SearchFilter.parse(Object.fromEntries(FIELDS.map((field) => [field, undefined])))

export const isFiltered = (filter: SearchFilter): boolean => FIELDS.some((field) => filter[field] !== undefined)

export const isSameFilter = (one: SearchFilter, other: SearchFilter): boolean =>
  FIELDS.every((field) => JSON.stringify(one[field]) === JSON.stringify(other[field]))
