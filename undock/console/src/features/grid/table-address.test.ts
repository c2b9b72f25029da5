import { expect, test } from 'vitest'
import type { RelationDetail } from '../catalog.ts'
import { filterSearch, nearSearch, requestOf, sortSearch } from './table-address.ts'

const relation = { columns: [{ name: 'id' }, { name: '-odd' }], key: ['id'] } as unknown as RelationDetail
const all = { relation, sort: null, filters: [], as: undefined, near: null, part: null }

test.each([
  ['no order', { sort: undefined }, { sort: null }],
  ['an order', { sort: 'id' }, { sort: { column: 'id', descending: false } }],
  ['the order back', { sort: '-id' }, { sort: { column: 'id', descending: true } }],
  ['a column that is not there', { sort: 'gone' }, { sort: null }],
  ['an operator that is SQL', { filters: [['id', '= 1 or pg_sleep(9) is null or id =', '1']] }, { filters: [] }],
  ['a part', { part: 'end' as const }, { part: 'end' }],
  [
    'neighbours',
    { near: ['id', '<=>', '7'] as const, part: 50 },
    { near: { column: 'id', operator: '<=>', key: ['7'] } },
  ],
  ['neighbours by a key of another length', { near: ['id', '<=>', '7', '8'] as const }, { near: null }],
  ['neighbours by a column that is not there', { near: ['gone', '<=>', '7'] as const }, { near: null }],
])('an address with %s', (_, search, request) => {
  expect(requestOf(relation, search as Parameters<typeof requestOf>[1])).toEqual({ ...all, ...request })
})

test('what a person chooses is in the address, which says the same again', () => {
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
