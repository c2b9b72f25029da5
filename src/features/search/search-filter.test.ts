// @vitest-environment node
import { expect, test } from 'vitest'
import { isFiltered, isSameFilter, passageFilters } from './passage-filters.ts'
import { NO_FILTER, SearchFilter } from './search-filter.ts'

const ID = '7b0e6a52-5a0e-4d3c-9a52-1f3f0f5d0001'

test('only filters that are set are sent, under the names of the database', () => {
  expect(passageFilters(SearchFilter.parse({}))).toEqual({})
  expect(
    passageFilters(
      SearchFilter.parse({
        collection: ID,
        tag: ID,
        kind: 'note',
        person: ID,
        since: 'week',
        type: 'pdf',
        title: 'log',
        author: 'Fresnel',
        dated: '1819..1822-02',
      }),
      Date.parse('2026-03-08T15:00:00Z'),
    ),
  ).toEqual({
    collection: ID,
    tags: [ID],
    kinds: ['note'],
    people: [ID],
    since: '2026-03-01T00:00:00.000Z',
    media_types: ['application/pdf%'],
    title: 'log',
    author: 'Fresnel',
    dated_from: '1819-01-01',
    dated_to: '1822-02-28',
  })
})

const local = (...parts: [number, number, number]) => new Date(...parts)

test.each([
  ['2026', local(2026, 0, 1), local(2027, 0, 1)],
  ['2026-02', local(2026, 1, 1), local(2026, 2, 1)],
  ['2026-12', local(2026, 11, 1), local(2027, 0, 1)],
  ['2026-12-31', local(2026, 11, 31), local(2027, 0, 1)],
  ['2028-02-29', local(2028, 1, 29), local(2028, 2, 1)],
])('%s lasts from its first moment to its last, on the clock of the device', (date, start, next) => {
  expect(passageFilters(SearchFilter.parse({ since: date, until: date }))).toEqual({
    since: start.toISOString(),
    until: new Date(next.getTime() - 1).toISOString(),
  })
})

test.each(['2026-13', '2026-02-30', '26', '2026-1-1', 'yesterday', ''])('"%s" is no date, and no filter', (date) => {
  expect(isFiltered(SearchFilter.parse({ since: date, until: date, title: '', type: 'exe' }))).toBe(false)
})

test('filters are compared field by field', () => {
  expect(isSameFilter(NO_FILTER, SearchFilter.parse({}))).toBe(true)
  expect(isSameFilter(NO_FILTER, SearchFilter.parse({ title: 'log' }))).toBe(false)
})
