import { expect, test } from 'vitest'
import type { RelationDetail } from '../catalog.ts'
import { filterSearch, nearSearch, requestOf, sortSearch } from './table-address.ts'

const relation = { columns: [{ name: 'id' }, { name: '-odd' }], key: ['id'] } as unknown as RelationDetail
const all = { relation, sort: null, filters: [], as: undefined, near: null, part: null }

test.each([
  ['no order', { sort: undefined }, { sort: null }],
  ['an order', { sort: 'id' }, { sort: { column: 'id', descending: false } }],
  ['a descending order', { sort: '-id' }, { sort: { column: 'id', descending: true } }],
  ['a missing column', { sort: 'gone' }, { sort: null }],
  ['an operator with SQL', { filters: [['id', '= 1 or pg_sleep(9) is null or id =', '1']] }, { filters: [] }],
  ['a part', { part: 'end' as const }, { part: 'end' }],
  [
    'neighbours',
    { near: ['id', '<=>', '7'] as const, part: 50 },
    { near: { column: 'id', operator: '<=>', key: ['7'] } },
  ],
  ['neighbours by a key of the wrong length', { near: ['id', '<=>', '7', '8'] as const }, { near: null }],
  ['neighbours by a missing column', { near: ['gone', '<=>', '7'] as const }, { near: null }],
])('reads an address with %s', (_, search, request) => {
  expect(requestOf(relation, search as Parameters<typeof requestOf>[1])).toEqual({ ...all, ...request })
})

test('round-trips sort, filters and neighbours through the address', () => {
  const request = {
    ...all,
    sort: { column: 'id', descending: true },
    filters: [['id', '>', '1'] as const],
  }
  expect(requestOf(relation, { ...sortSearch(request.sort), ...filterSearch(request.filters) })).toEqual(request)
  const near = { column: 'id', operator: '<->' as const, key: ['1'] }
  expect(requestOf(relation, nearSearch(near)).near).toEqual(near)
  expect([sortSearch(null), filterSearch([]), nearSearch(null)]).toEqual([
    { part: undefined, sort: undefined },
    { part: undefined, filters: undefined },
    { near: undefined },
  ])
})
