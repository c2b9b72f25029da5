import { expect, test } from 'vitest'
import type { Column, RelationDetail } from '../catalog.ts'
import { columnStatement, deleteStatement, updateStatement } from './changes.ts'

const column = (name: string, type: string, baseType = type) => ({ name, type, baseType }) as Column
const code = column('code', 'character varying(5)', 'character varying')
const relation = {
  schema: 'public',
  name: 'lines',
  columns: [column('order', 'bigint'), code, column('no "1"', 'int')],
  key: ['order', 'no "1"'],
} as unknown as RelationDetail

test('changes one value without a cast, which would truncate it', () => {
  expect(updateStatement(relation, { key: ['7', '1'], column: code, value: 'x' })).toEqual({
    text: 'update "public"."lines" set "code" = $1\nwhere "order" = $2::bigint and "no ""1""" = $3::int',
    values: ['x', '7', '1'],
    changes: 1,
  })
})

test('changes one column of many rows in one statement', () => {
  const rows = [
    { key: ['7', '1'], before: null, value: 'it"s' },
    { key: ['8', '2'], before: null, value: null },
  ]
  expect(columnStatement(relation, { column: code, rows })).toEqual({
    text: [
      'update "public"."lines" t set "code" = k.value::character varying',
      'from unnest($1::text[], $2::text[], $3::text[]) k (value, key_0, key_1)',
      'where t."order" = k.key_0::bigint and t."no ""1""" = k.key_1::int',
    ].join('\n'),
    values: ['{"it\\"s",NULL}', '{"7","8"}', '{"1","2"}'],
    changes: 2,
  })
})

test('deletes rows in one statement', () => {
  expect(deleteStatement(relation, [['7', '1']])).toEqual({
    text: [
      'delete from "public"."lines" t',
      'using unnest($1::text[], $2::text[]) k (key_0, key_1)',
      'where t."order" = k.key_0::bigint and t."no ""1""" = k.key_1::int',
    ].join('\n'),
    values: ['{"7"}', '{"1"}'],
    changes: 1,
  })
})
