import { expect, test } from 'vitest'
import { toggled } from '../../lib/state.ts'
import type { Column, RelationDetail } from '../catalog.ts'
import { clearRange, copy, editOf, type Grid, nextSort, paste, rowId } from './cell-edits.ts'

const column = (name: string, more: Partial<Column> = {}) => ({ name, isNullable: false, ...more }) as Column
const columns = [column('id'), column('word', { isNullable: true }), column('sum', { isGenerated: true })]
const relation = { columns, key: ['id'] } as unknown as RelationDetail
const grid: Grid = {
  relation,
  columns,
  rows: [
    { cells: ['1', 'lamp', '9'], place: ['(0,1)'] },
    { cells: ['2', null, '8'], place: ['(0,2)'] },
  ],
}
const whole = { rows: [0, 1], columns: [0, 2] } as const
/** Which cell an edit changes, and how. */
const shown = (edits: readonly { row: number; index: number; before: unknown; value: unknown }[]) =>
  edits.map(({ row, index, before, value }) => [row, index, before, value])

test('identifies an edited row by its key', () => {
  expect(editOf(grid, { row: 1, column: 1 }, 'sea')).toEqual([
    { row: 1, index: 1, before: null, key: ['2'], column: columns[1], value: 'sea' },
  ])
})

test.each([
  ['the same value', { row: 0, column: 1 }, 'lamp'],
  ['a generated column', { row: 0, column: 2 }, '7'],
  ['a missing row', { row: 9, column: 1 }, 'x'],
  ['a missing column', { row: 0, column: 9 }, 'x'],
])('%s is not an edit', (_, place, value) => {
  expect(editOf(grid, place, value)).toEqual([])
})

test('clearing a range skips NOT NULL columns', () => {
  expect(shown(clearRange(grid, whole))).toEqual([[0, 1, 'lamp', null]])
})

test('pasting drops cells outside the grid and turns empty cells into NULL in nullable columns', () => {
  expect(shown(paste(grid, { row: 0, column: 0 }, '7\t\n5\tsea\t1\n6\tx\n'))).toEqual([
    [0, 0, '1', '7'],
    [0, 1, 'lamp', null],
    [1, 0, '2', '5'],
    [1, 1, null, 'sea'],
  ])
})

test('pasting copied cells changes nothing', () => {
  expect(copy(grid, { rows: [0, 1], columns: [0, 1] })).toBe('1\tlamp\n2\t')
  expect(paste(grid, { row: 0, column: 0 }, copy(grid, whole))).toEqual([])
})

test('marked rows are identified by key, or by ctid without one', () => {
  const [row] = grid.rows
  if (!row) throw new Error('no row')
  expect(rowId(relation, row)).toBe('1')
  expect(rowId({ ...relation, key: [] }, row)).toBe('(0,1)')
  expect([...toggled(new Set(['1', '2']), '1')]).toEqual(['2'])
  expect([...toggled(new Set(['2']), '1')]).toEqual(['2', '1'])
})

test('sorting a column cycles through ascending, descending and unsorted', () => {
  const up = nextSort(null, 'id')
  const down = nextSort(up, 'id')
  expect([up, down, nextSort(down, 'id'), nextSort(down, 'word')]).toEqual([
    { column: 'id', descending: false },
    { column: 'id', descending: true },
    null,
    { column: 'word', descending: false },
  ])
})
