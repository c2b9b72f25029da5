import { expect, test } from 'vitest'
import { after, orderOf, ShelfSearch } from './shelf-search.ts'

test('valid filters are kept, invalid ones are dropped', () => {
  const collection = '7b0e6a52-5a0e-4d3c-9a52-1f3f0f5d0001'
  expect(ShelfSearch.parse({ collection, tag: "x'; drop table tags", kind: 'virus', sort: 'title', view: 3 })).toEqual({
    collection,
    tag: undefined,
    kind: undefined,
    sort: 'title',
    view: undefined,
  })
})

test('the default order is newest first', () => {
  expect([orderOf(undefined).column, orderOf('title').column]).toEqual(['created_at', 'title'])
})

const ID = '7b0e6a52-5a0e-4d3c-9a52-1f3f0f5d0001'
test.each([
  ['newest', '2026-03-01T12:00:00.123456+00:00', `created_at.lt."2026-03-01T12:00:00.123456+00:00"`],
  ['oldest', '2026-03-01', `created_at.gt."2026-03-01"`],
  ['title', 'A, "b" (c) \\ d', `title.gt."A, \\"b\\" (c) \\\\ d"`],
] as const)('the page after a %s cursor: values are never parsed as syntax', (sort, value, start) => {
  const rest = start.replace(/\.(lt|gt)\./, '.eq.')
  expect(after(orderOf(sort), { value, id: ID })).toBe(`${start},and(${rest},id.gt.${ID})`)
})
