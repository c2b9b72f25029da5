// @vitest-environment node
import { expect, test } from 'vitest'
import { DocumentFilter, periodStart } from './document-filter.ts'

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

test('a week ago stays the same all day', () => {
  const morning = Date.parse('2026-03-08T01:00:00Z')
  expect(periodStart('week', morning)).toBe('2026-03-01T00:00:00.000Z')
  expect(periodStart('week', morning + 22 * 3_600_000)).toBe(periodStart('week', morning))
})
