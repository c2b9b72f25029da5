// @vitest-environment node
import { expect, test } from 'vitest'
import { Filters, passageFilters } from './filters.ts'

const ID = '7b0e6a52-5a0e-4d3c-9a52-1f3f0f5d0001'

test('a filter that somebody typed wrong is no filter', () => {
  expect(Filters.parse({ collection: 'x', kind: 'virus', tag: ID, since: 3 })).toEqual({
    collection: undefined,
    tag: ID,
    kind: undefined,
    person: undefined,
    since: undefined,
  })
})

test('filters in the database’s own words, and only those that are set', () => {
  expect(passageFilters(Filters.parse({}))).toEqual({})
  expect(
    passageFilters(
      Filters.parse({ collection: ID, tag: ID, kind: 'note', person: ID, since: 'week' }),
      Date.parse('2026-03-08T15:00:00Z'),
    ),
  ).toEqual({ collection: ID, tags: [ID], kinds: ['note'], people: [ID], since: '2026-03-01T00:00:00.000Z' })
})
