// @vitest-environment node
import { expect, test } from 'vitest'
import { orderOf, ShelfSearch } from './filter.ts'

test('keeps what is a filter and drops what is not', () => {
  const collection = '7b0e6a52-5a0e-4d3c-9a52-1f3f0f5d0001'
  expect(ShelfSearch.parse({ collection, tag: "x'; drop table tags", kind: 'virus', sort: 'title', view: 3 })).toEqual({
    collection,
    tag: undefined,
    kind: undefined,
    sort: 'title',
    view: undefined,
  })
})

test('newest first, unless asked otherwise', () => {
  expect([orderOf(undefined).column, orderOf('title').column]).toEqual(['created_at', 'title'])
})
