import { expect, test } from 'vitest'
import { type GridAction, gridAction } from './grid-keys.ts'

const view = { place: { row: 5, column: 1 }, rows: 40, columns: 3, hasPrevious: false, hasNext: false }
const press = (key: string, more: { shiftKey?: boolean; altKey?: boolean; isFar?: boolean } = {}) => ({
  key,
  shiftKey: false,
  altKey: false,
  isFar: false,
  ...more,
})
const move = (row: number, column: number, isRange = false): GridAction => ({
  kind: 'move',
  to: { row, column },
  isRange,
})

test.each([
  ['arrow keys move by one cell', press('ArrowUp'), move(4, 1)],
  ['with Shift it moves the end of the range', press('ArrowRight', { shiftKey: true }), move(5, 2, true)],
  ['with Ctrl it moves to the edge', press('ArrowDown', { isFar: true }), move(39, 1)],
  ['Home and End stay in the row', press('End'), move(5, 2)],
  ['with Ctrl they reach the corners', press('Home', { isFar: true }), move(0, 0)],
  ['Page Down moves by fifteen rows', press('PageDown'), move(20, 1)],
  ['Tab moves on without selecting a range', press('Tab', { shiftKey: true }), move(5, 0)],
  ['Enter edits the value', press('Enter'), { kind: 'edit', typed: null }],
  ['a letter replaces the value', press('x'), { kind: 'edit', typed: 'x' }],
  ['Space marks the row', press(' '), { kind: 'mark' }],
  ['Delete clears the range', press('Delete'), { kind: 'clear' }],
  ['leaves browser shortcuts alone', press('c', { isFar: true }), undefined],
  ['leaves letters with Alt alone', press('x', { altKey: true }), undefined],
  ['leaves other keys alone', press('F5'), undefined],
] as const)('%s', (_, key, expected) => {
  expect(gridAction(key, view)).toEqual(expected)
})

test('Tab leaves the grid at its edges', () => {
  expect(gridAction(press('Tab'), { ...view, place: { row: 5, column: 2 } })).toBeUndefined()
  expect(gridAction(press('Tab', { shiftKey: true }), { ...view, place: { row: 5, column: 0 } })).toBeUndefined()
})

test('moves to the edge of the loaded part', () => {
  const part = { ...view, hasPrevious: true, hasNext: true }
  expect(gridAction(press('ArrowDown', { isFar: true }), part)).toEqual({ kind: 'part', isEnd: true })
  expect(gridAction(press('Home', { isFar: true }), part)).toEqual({ kind: 'part', isEnd: false })
  expect(gridAction(press('End', { isFar: true, shiftKey: true }), part)).toEqual(move(39, 2, true))
  expect(gridAction(press('ArrowLeft', { isFar: true }), part)).toEqual(move(5, 0))
})
