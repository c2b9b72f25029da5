import { describe, expect, test } from 'vitest'
import type { RowChange } from './change-queue.ts'
import { changePayload } from './payload.ts'
import type { Table } from './tables.ts'

const column = (name: string, type: string, readers: string[], isKey = false) => ({
  name,
  type,
  sqlType: `pg_catalog.${type}`,
  isKey,
  isIdentity: isKey,
  readers,
})
const table: Table = {
  entity: '1',
  schema: 'public',
  name: 'notes',
  hasRowSecurity: true,
  columns: [column('id', 'int8', ['anon'], true), column('title', 'text', ['anon']), column('secret', 'text', [])],
}
const insert: RowChange = {
  entity: '1',
  action: 'INSERT',
  happenedAt: '2026-11-20T12:00:00.000Z',
  record: { id: '9007199254740993', title: '"a"', secret: '"s"' },
  old: null,
  version: null,
}
const remove: RowChange = { ...insert, action: 'DELETE', record: null, old: insert.record }

describe('changePayload', () => {
  test('keeps every digit and contains only columns the role may read', () => {
    expect(changePayload(table, insert, 'anon', null)).toBe(
      '{"columns":[{"name":"id","type":"int8"},{"name":"title","type":"text"}],"commit_timestamp":"2026-11-20T12:00:00.000Z","errors":null,"schema":"public","table":"notes","type":"INSERT","record":{"id":9007199254740993,"title":"a"}}',
    )
  })

  test.each([
    ['the selected columns and the key', table, insert, ['title'], { record: { id: 2 ** 53, title: 'a' } }],
    ['only the key', table, insert, ['id'], { record: { id: 2 ** 53 } }],
    ["a deleted row's key under row security", table, remove, null, { old_record: { id: 2 ** 53 } }],
    [
      'all of a deleted row',
      { ...table, hasRowSecurity: false },
      remove,
      null,
      { old_record: { id: 2 ** 53, title: 'a' } },
    ],
  ] as const)('contains %s', (_name, seen, change, selected, expected) => {
    expect(JSON.parse(changePayload(seen, change, 'anon', selected))).toMatchObject(expected)
  })

  test.each([
    ['the key is hidden', table, 'authenticated', 'Error 401: Unauthorized'],
    [
      'there is no key',
      { ...table, columns: table.columns.slice(1) },
      'anon',
      'Error 400: Bad Request, no primary key',
    ],
  ])('reports when %s', (_name, seen, role, error) => {
    expect(JSON.parse(changePayload(seen, insert, role, null))).toEqual({
      columns: null,
      commit_timestamp: null,
      errors: [error],
      schema: 'public',
      table: 'notes',
      type: 'INSERT',
      record: null,
    })
  })

  test('leaves long values out of a large row', () => {
    const large = { ...insert, record: { id: '1', title: JSON.stringify('x'.repeat(1_048_577)) } }
    expect(JSON.parse(changePayload(table, large, 'anon', null))).toMatchObject({
      errors: ['Error 413: Payload Too Large'],
      record: { id: 1 },
    })
  })
})
