// @vitest-environment node
import { expect, test } from 'vitest'
import { DocumentFilter } from '../../domain/document-filter.ts'
import { passageFilters } from './filters.ts'

const ID = '7b0e6a52-5a0e-4d3c-9a52-1f3f0f5d0001'

test('only filters that are set are sent, under the names of the database', () => {
  expect(passageFilters(DocumentFilter.parse({}))).toEqual({})
  expect(
    passageFilters(
      DocumentFilter.parse({ collection: ID, tag: ID, kind: 'note', person: ID, since: 'week' }),
      Date.parse('2026-03-08T15:00:00Z'),
    ),
  ).toEqual({ collection: ID, tags: [ID], kinds: ['note'], people: [ID], since: '2026-03-01T00:00:00.000Z' })
})
