import { expect, test } from 'vitest'
import type { Column } from '../catalog.ts'
import { cellOf, matchColumns } from './cells.ts'
import { insertsOf } from './export-rows.ts'

const column = (name: string, baseType: string, category: string, more: Partial<Column> = {}): Column => ({
  name,
  type: baseType,
  baseType,
  category,
  isNullable: true,
  default: null,
  identity: '',
  isGenerated: false,
  isKey: false,
  labels: null,
  comment: null,
  ...more,
})
const text = column('text', 'text', 'S')
const json = { format: 'json' } as const
const csv = { format: 'csv' } as const

test('an empty CSV field is NULL, or an empty string if the column accepts it', () => {
  expect(cellOf('', text, csv, 'null')).toBeNull()
  expect(cellOf('', text, csv, 'text')).toBe('')
  expect(cellOf('', column('n', 'bigint', 'N'), csv, 'text')).toBeNull()
  expect(cellOf('x', text, csv, 'null')).toBe('x')
})

test.each([
  [undefined, text, null],
  [null, column('j', 'jsonb', 'U'), null],
  ['', text, ''],
  [true, column('b', 'boolean', 'B'), 'true'],
  ['text', column('j', 'jsonb', 'U'), '"text"'],
  [['a', null, 'b"c'], column('a', 'text[]', 'A'), '{"a",NULL,"b\\"c"}'],
  [[[1], [2]], column('a', 'int[]', 'A'), '{{"1"},{"2"}}'],
  [[0.5, 1], column('v', 'vector(2)', 'U'), '[0.5,1]'],
  [{ a: 1 }, text, '{"a":1}'],
])("converts JSON %j to the column's type", (value, of, cell) => {
  expect(cellOf(value, of, json, 'null')).toBe(cell)
})

test('matches columns by name, exact matches first, and never generated ones', () => {
  const columns = [
    column('first_name', 'text', 'S'),
    column('FirstName', 'text', 'S'),
    column('sum', 'int', 'N', { isGenerated: true }),
  ]
  expect(matchColumns(['First Name', 'FirstName', 'sum', 'other'], columns).map((one) => one?.name)).toEqual([
    'first_name',
    'FirstName',
    undefined,
    undefined,
  ])
})

test('writes rows as INSERT statements', () => {
  const columns = [
    column('id', 'bigint', 'N', { identity: 'a' }),
    column('a "b"', 'text', 'S'),
    column('sum', 'int', 'N', { isGenerated: true }),
  ]
  const relation = { schema: 'public', name: 'odd', columns } as unknown as Parameters<typeof insertsOf>[0]
  expect(
    insertsOf(relation, [
      ['1', "it's \\ here", '2'],
      ['2', null, '3'],
    ]),
  ).toBe(
    `insert into "public"."odd" ("id", "a ""b""") overriding system value values\n  ('1', E'it''s \\\\ here'),\n  ('2', null);\n`,
  )
})
