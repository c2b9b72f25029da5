import { expect, test } from 'vitest'
import type { Column, RelationDetail } from '../catalog.ts'
import { columnChange, columnDrop, indexChange, rowSecurityChange, tableDrop } from './table-changes.ts'
import { draftOf, EMPTY_COLUMN } from './table-sql.ts'

const column = { name: 'a "b"', type: 'text', default: null, isNullable: true, identity: '' } as Column
const relation = {
  schema: 'public',
  name: 'books',
  kind: 'r',
  rowSecurity: true,
  columns: [column],
  foreignKeys: [],
  constraints: [],
} as unknown as RelationDetail

test('adds a new column and changes an existing one', () => {
  expect(columnChange(relation, undefined, { ...EMPTY_COLUMN, name: 'price', type: 'numeric' })).toEqual({
    title: 'Add price to books',
    sql: 'alter table "public"."books" add column "price" numeric;',
    name: 'add_books_price',
  })
  const draft = draftOf(column, relation)
  expect(columnChange(relation, column, draft).sql).toBe('')
  expect(columnChange(relation, column, { ...draft, isNullable: false })).toEqual({
    title: 'Change books.a "b"',
    sql: 'alter table "public"."books" alter column "a ""b""" set not null;',
    name: 'change_books_a "b"',
  })
})

test.each([
  ['an index', indexChange(relation, 'a "b"'), 'create index on "public"."books" ("a ""b""");'],
  ['a dropped column', columnDrop(relation, 'a "b"'), 'alter table "public"."books" drop column "a ""b""";'],
  ['a dropped table', tableDrop(relation), 'drop table "public"."books";'],
  ['a dropped view', tableDrop({ ...relation, kind: 'v' }), 'drop view "public"."books";'],
  ['a dropped materialized view', tableDrop({ ...relation, kind: 'm' }), 'drop materialized view "public"."books";'],
  ['row security off', rowSecurityChange(relation), 'alter table "public"."books" disable row level security;'],
  [
    'row security on',
    rowSecurityChange({ ...relation, rowSecurity: false }),
    'alter table "public"."books" enable row level security;',
  ],
])('%s', (_, change, sql) => {
  expect(change.sql).toBe(sql)
})
