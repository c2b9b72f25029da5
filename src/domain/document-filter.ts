import * as z from 'zod/mini'
import type { Enums, Json } from '../../supabase/functions/_shared/database.ts'
import type { FileType } from '../../supabase/functions/_shared/file-kinds.ts'
import { msg } from '../lib/i18n/i18n.ts'
import { lenient } from '../lib/lenient.ts'
import { DAY_MS, dayRange } from './day-range.ts'
import { FieldFilters } from './field-filter.ts'

/** A literal that the compiler compares, because the first page parses URLs and needs no other enums. */
const KINDS = { file: 'file', note: 'note', link: 'link' } as const satisfies { [Kind in Enums<'document_kind'>]: Kind }
export const PERIODS = ['week', 'month', 'year'] as const
/** Documents that couldn't be read, or have a change awaiting approval. */
export const STATES = ['failed', 'proposed'] as const

/** Names of file types, in menu order. Not in ./file-kinds.ts, because the first page parses URLs. */
export const FILE_TYPES = {
  pdf: msg('PDF'),
  word: msg('Word document'),
  document: msg('Text document'),
  presentation: msg('Presentation'),
  spreadsheet: msg('Spreadsheet'),
  book: msg('Book'),
  mail: msg('Email'),
  web: msg('Web page'),
  markdown: msg('Markdown'),
  text: msg('Text'),
  table: msg('Table'),
  image: msg('Image'),
  video: msg('Video'),
  audio: msg('Audio'),
  other: msg('Other file'),
} as const satisfies Record<FileType, string>
export const FILE_TYPE_NAMES = Object.keys(FILE_TYPES) as [FileType, ...FileType[]]

const Text = z.string().check(z.minLength(1), z.maxLength(300))
/** "2026-03-05", "2026-03" or "2026". */
const CalendarDate = z.string().check(z.refine((date) => !date.includes('..') && dayRange(date) !== undefined))

/** Filters of shelves and searches, as in the URL and saved searches. The database reads them in
 *  private.passage_filters; domain/filters.ts has their names and values. */
export const DocumentFilter = z.object({
  collection: lenient(z.guid()),
  tag: lenient(z.guid()),
  kind: lenient(z.enum(KINDS)),
  type: lenient(z.enum(FILE_TYPE_NAMES)),
  person: lenient(z.guid()),
  since: lenient(z.union([z.enum(PERIODS), CalendarDate])),
  until: lenient(CalendarDate),
  title: lenient(Text),
  author: lenient(Text),
  /** The document's date: see dayRange. */
  dated: lenient(z.string().check(z.refine((text) => dayRange(text) !== undefined))),
  verified: lenient(z.enum(['due', 'valid'])),
  state: lenient(z.enum(STATES)),
  fields: lenient(FieldFilters),
})
export type DocumentFilter = z.infer<typeof DocumentFilter>

export const ShelfFilter = z.omit(DocumentFilter, { type: true, until: true, title: true })
export const SearchFilter = z.omit(DocumentFilter, { verified: true, state: true })
export type SearchFilter = z.infer<typeof SearchFilter>

const FIELDS = Object.keys(SearchFilter.shape) as (keyof SearchFilter)[]

export const NO_FILTER: SearchFilter = SearchFilter.parse(Object.fromEntries(FIELDS.map((field) => [field, undefined])))

export const isFiltered = (filter: SearchFilter): boolean => FIELDS.some((field) => filter[field] !== undefined)

export const isSameFilter = (one: SearchFilter, other: SearchFilter): boolean =>
  FIELDS.every((field) => JSON.stringify(one[field]) === JSON.stringify(other[field]))

/** Returns the IANA name, such as Europe/Berlin. */
export const timeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

/** Converts a filter for the database: see private.passage_filters. */
export const savedFilter = (filter: { readonly [key: string]: Json | undefined }): { [key: string]: Json } => {
  const set = Object.entries(filter).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]))
  return set.length === 0 ? {} : { saved: Object.fromEntries(set), zone: timeZone() }
}

const DAYS = { week: 7, month: 30, year: 365 } as const

/** Returns the start of the period as an ISO timestamp, at the beginning of a day, so that query keys are stable. */
export const periodStart = (since: (typeof PERIODS)[number], now: number = Date.now()): string =>
  new Date(Math.floor(now / DAY_MS) * DAY_MS - DAYS[since] * DAY_MS).toISOString()
