import { expect, test } from 'vitest'
import type { KeyRow } from './keys.ts'
import { readTargetList, traceViewKeys, type ViewRow } from './view-lineage.ts'

const entry = (position: number, table: number, column: number, inner = ''): string =>
  `{TARGETENTRY :expr {VAR :varno 1 ${inner}} :resno ${position} :resname x :ressortgroupref 0 :resorigtbl ${table} :resorigcol ${column} :resjunk false}`
const tree = (...entries: string[]): string =>
  `({QUERY :commandType 1 :rtable ({RANGETBLENTRY :alias <>}) :targetList (${entries.join(' ')}) :override 0})`

test('finds the source of each column', () => {
  expect(readTargetList(tree(entry(1, 100, 1), entry(2, 0, 0), entry(3, 100, 2)))).toEqual([
    { position: 1, table: '100', column: 1 },
    { position: 3, table: '100', column: 2 },
  ])
})

test("subqueries and brackets in names don't confuse the parser", () => {
  const subquery = `:subselect {QUERY :targetList (${entry(9, 999, 9)})}`
  expect(readTargetList(tree(entry(1, 100, 1, `${subquery} :resname a\\}\\)\\{b`)))).toEqual([
    { position: 1, table: '100', column: 1 },
  ])
  expect(readTargetList('<>')).toEqual([])
})

test("follows views on views to the tables' keys", () => {
  const view = (id: string, text: string, exposed: boolean): ViewRow => ({
    id,
    schema: 'public',
    name: `view_${id}`,
    origins: readTargetList(text),
    exposed,
    columns: [
      { number: 1, name: 'key' },
      { number: 2, name: 'again' },
    ],
  })
  const key: KeyRow = {
    name: 't_pkey',
    type: 'p',
    isOwn: true,
    tableId: '100',
    tableSchema: 'public',
    tableName: 't',
    columns: [{ number: 1, name: 'id' }],
    foreignId: '0',
    foreignSchema: null,
    foreignName: null,
    foreignColumns: null,
  }
  const inner = view('200', tree(entry(1, 100, 1)), false)
  const outer = view('300', tree(entry(1, 200, 1), entry(2, 200, 1)), true)
  expect(traceViewKeys([inner, outer], [key])).toEqual([
    { view: { schema: 'public', name: 'view_300' }, key, side: 'primary', columns: [['id', ['key', 'again']]] },
  ])
  expect(traceViewKeys([inner, outer], [{ ...key, columns: [...key.columns, { number: 2, name: 'part' }] }])).toEqual(
    [],
  )
})
