import { expect, test } from 'vitest'
import {
  DocumentFilter,
  isFiltered,
  isSameFilter,
  NO_FILTER,
  periodStart,
  SearchFilter,
  savedFilter,
} from './document-filter.ts'

const ID = '7b0e6a52-5a0e-4d3c-9a52-1f3f0f5d0001'

test('an invalid filter is ignored', () => {
  expect(DocumentFilter.parse({ collection: 'x', kind: 'virus', tag: ID, since: 3 })).toEqual({
    collection: undefined,
    tag: ID,
    kind: undefined,
    person: undefined,
    since: undefined,
  })
})

test('a relative date stays the same all day', () => {
  const morning = Date.parse('2026-03-08T01:00:00Z')
  expect(periodStart('week', morning)).toBe('2026-03-01T00:00:00.000Z')
  expect(periodStart('week', morning + 22 * 3_600_000)).toBe(periodStart('week', morning))
})

test('only set filters are sent, with the time zone of their days', () => {
  expect(savedFilter(SearchFilter.parse({}))).toEqual({})
  expect(savedFilter(SearchFilter.parse({ kind: 'note', since: '2026-02', until: 'week' }))).toEqual({
    saved: { kind: 'note', since: '2026-02' },
    zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  })
})

test.each(['2026-13', '2026-02-30', '26', '2026-1-1', '2025..2026', 'yesterday', ''])(
  '"%s" is not a date and is ignored',
  (date) => {
    expect(isFiltered(SearchFilter.parse({ since: date, until: date, title: '', type: 'exe' }))).toBe(false)
  },
)

test('filters are compared field by field', () => {
  expect(isSameFilter(NO_FILTER, SearchFilter.parse({}))).toBe(true)
  expect(isSameFilter(NO_FILTER, SearchFilter.parse({ title: 'log' }))).toBe(false)
})
