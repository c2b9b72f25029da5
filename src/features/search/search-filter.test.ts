// @vitest-environment node
import { expect, test } from 'vitest'
import { savedFilter } from '../../domain/document-filter.ts'
import { isFiltered, isSameFilter, NO_FILTER, SearchFilter } from './search-filter.ts'

test('only filters that are set are sent, with the time zone in which their days begin', () => {
  expect(savedFilter(SearchFilter.parse({}))).toEqual({})
  expect(savedFilter(SearchFilter.parse({ kind: 'note', since: '2026-02', until: 'week' }))).toEqual({
    saved: { kind: 'note', since: '2026-02' },
    zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  })
})

test.each(['2026-13', '2026-02-30', '26', '2026-1-1', '2025..2026', 'yesterday', ''])(
  '"%s" is no date, and no filter',
  (date) => {
    expect(isFiltered(SearchFilter.parse({ since: date, until: date, title: '', type: 'exe' }))).toBe(false)
  },
)

test('filters are compared field by field', () => {
  expect(isSameFilter(NO_FILTER, SearchFilter.parse({}))).toBe(true)
  expect(isSameFilter(NO_FILTER, SearchFilter.parse({ title: 'log' }))).toBe(false)
})
