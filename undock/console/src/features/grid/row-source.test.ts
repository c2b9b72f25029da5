import { expect, test } from 'vitest'
import type { Column, RelationDetail } from '../catalog.ts'
import { pageStatement, partStatement } from './row-source.ts'

const column = (name: string, type: string): Column => ({
  name,
  type,
  baseType: type,
  category: 'S',
  isNullable: true,
  default: null,
  identity: '',
  isGenerated: false,
  isKey: false,
  labels: null,
  comment: null,
})
const relation: RelationDetail = {
  schema: 'public',
  name: 'odd "name"',
  kind: 'r',
  rows: null,
  rowSecurity: true,
  comment: null,
  columns: [column('id', 'bigint'), column('at', 'date')],
  key: ['id'],
  foreignKeys: [],
  indexes: [],
  constraints: [],
  triggers: [],
  policies: [],
  definition: null,
}
const page = (after: readonly (string | null)[] | null, sort: { column: string; descending: boolean } | null) =>
  pageStatement({ relation, sort, filters: [], as: undefined, near: null, part: null }, ['"id"'], after)

/** The part of a statement that decides which rows it reads. */
const withoutColumns = (text: string) => text.split('\n').filter((line) => !/^\(?(select|from) /.test(line))

test('a first page has no condition, and names are quoted', () => {
  expect(page(null, null)).toEqual({
    text: 'select "id", "at", "id"::text as "place 1 in the order"\nfrom "public"."odd ""name"""\norder by "id"\nlimit 200',
    values: [],
  })
})

test('the next page starts after the last row, followed by rows with NULL', () => {
  const { text, values } = page(['2026-01-01', '7'], { column: 'at', descending: true })
  expect(withoutColumns(text)).toEqual([
    'where "at" <= $1::date and ("at" < $1::date or ("id") > ($2::bigint))',
    'order by "at" desc, "id"',
    'limit 200)',
    'union all',
    'where "at" is null',
    'order by "id"',
    'limit 200)',
    'limit 200',
  ])
  expect(values).toEqual(['2026-01-01', '7'])
})

test('rows with NULL follow the last row with a value', () => {
  const { text, values } = page([null, '7'], { column: 'at', descending: false })
  expect(withoutColumns(text)).toEqual(['where "at" is null and ("id") > ($1::bigint)', 'order by "id"', 'limit 200'])
  expect(values).toEqual(['7'])
})

test('pages by offset if rows have no key', () => {
  const request = { relation, sort: null, filters: [], as: undefined, near: null, part: null }
  expect(pageStatement(request, [], ['400']).text).toMatch(/\nlimit 200 offset 400$/)
})

test('passes filters as parameters of the column’s type', () => {
  const { text, values } = pageStatement(
    {
      relation,
      sort: null,
      filters: [
        ['at', '>=', '2026-01-01'],
        ['id', 'ilike', '1%'],
        ['at', 'is not null', ''],
      ],
      as: undefined,
      near: null,
      part: null,
    },
    ['"id"'],
    null,
  )
  expect(text).toContain('where "at" >= $1::date and "id"::text ilike $2::text and "at" is not null')
  expect(values).toEqual(['2026-01-01', '1%'])
})

test('sorts near rows by their distance, at most fifty', () => {
  const near = { column: 'at', operator: '<=>', key: ['7'] } as const
  const request = { relation, sort: { column: 'at', descending: true }, filters: [], as: undefined, near, part: null }
  expect(pageStatement(request, [], null)).toEqual({
    text: [
      `select "id", "at", "at" <=> (select o."at" from "public"."odd ""name""" o where o."id" = $1::bigint) as "distance from the row"`,
      'from "public"."odd ""name"""',
      'order by "distance from the row"',
      'limit 50',
    ].join('\n'),
    values: ['7'],
  })
})

test('reads a page before a position in reverse, rows with NULL first', () => {
  const before = (place: readonly (string | null)[] | null, sort: { column: string; descending: boolean } | null) =>
    withoutColumns(
      pageStatement({ relation, sort, filters: [], as: undefined, near: null, part: 'end' }, ['"id"'], place, {
        isBackward: true,
      }).text,
    ).filter((line) => /^(where|order)/.test(line))
  expect(before(null, null)).toEqual(['order by "id" desc'])
  expect(before(['7'], null)).toEqual(['where ("id") < ($1::bigint)', 'order by "id" desc'])
  expect(before(null, { column: 'at', descending: false })).toEqual([
    'where "at" is null',
    'order by "id" desc',
    'where "at" is not null',
    'order by "at" desc, "id" desc',
  ])
  expect(before(['2026-01-01', '7'], { column: 'at', descending: false })).toEqual([
    'where "at" <= $1::date and ("at" < $1::date or ("id") < ($2::bigint))',
    'order by "at" desc, "id" desc',
  ])
  expect(before([null, '7'], { column: 'at', descending: true })).toEqual([
    'where "at" is null and ("id") < ($1::bigint)',
    'order by "id" desc',
    'where "at" is not null',
    'order by "at" asc, "id" desc',
  ])
})

test('locates a part of the rows in a sample, with the filters', () => {
  const { text, values } = partStatement(
    { relation, sort: null, filters: [['at', '>', '2026-01-01']], as: undefined, near: null, part: 40 },
    ['"id"'],
    40,
  )
  expect(text).toMatch(
    /^ {2}from "public"\."odd ""name""" tablesample system \(.+\) repeatable \(0\)\n {2}where "at" > \$1::date$/m,
  )
  expect(values).toEqual(['2026-01-01', '"public"."odd ""name"""', '40'])
})
