import { expect, test } from 'vitest'
import { chartOf, dataOf } from './chart.ts'

const [text, int, time] = [25, 23, 1184]
const field = (name: string, type: number) => ({ name, type, table: 0, column: 0 })
const guess = (...types: number[]) =>
  chartOf({ fields: types.map((type, index) => field(`c${index}`, type)) }, undefined)

test.each([
  ['text and a number are bars', [text, int], { kind: 'bar', x: 'c0', y: ['c1'] }],
  ['a time and a number are a line', [int, time], { kind: 'line', x: 'c1', y: ['c0'] }],
  ['two numbers are points', [int, int], { kind: 'scatter', x: 'c0', y: ['c1'] }],
])('%s', (_what, types, expected) => {
  expect(guess(...types)).toEqual({ isShown: false, ...expected })
})

test('draws no chart without two columns and a number', () => {
  expect([guess(int), guess(text, text), guess()]).toEqual([null, null, null])
})

test('keeps the chosen chart while the result has its columns', () => {
  const chosen = { isShown: true, kind: 'line', x: 'a', y: ['b', 'gone'] } as const
  const fields = [field('a', text), field('b', int), field('c', int)]
  expect(chartOf({ fields }, { ...chosen, y: [...chosen.y] })).toEqual({ ...chosen, y: ['b'] })
  expect(chartOf({ fields: [field('x', text), field('y', int)] }, { ...chosen, y: ['b'] })).toEqual({
    isShown: true,
    kind: 'bar',
    x: 'x',
    y: ['y'],
  })
})

test("sorts by time and leaves gaps for values that aren't numbers", () => {
  const fields = [field('at', time), field('n', 1700)]
  const rows = [
    ['2026-01-02 00:00:00.5+00', 'NaN'],
    ['infinity', '1'],
    ['2026-01-01 02:00:00+05:30', '2.5'],
    [null, '3'],
  ]
  const chart = { isShown: true, kind: 'line', x: 'at', y: ['n'] } as const
  expect(dataOf({ fields, rows }, { ...chart, y: [...chart.y] })).toEqual({
    x: [Date.UTC(2025, 11, 31, 20, 30) / 1000, Date.UTC(2026, 0, 2) / 1000 + 0.5],
    labels: null,
    isTime: true,
    series: [{ name: 'n', values: [2.5, null] }],
  })
})

test('keeps the row order of categories', () => {
  const rows = [
    ['b', '1'],
    [null, '2'],
  ]
  const chart = { isShown: true, kind: 'bar' as const, x: 'c', y: ['n'] }
  expect(dataOf({ fields: [field('c', text), field('n', int)], rows }, chart)).toMatchObject({
    x: [0, 1],
    labels: ['b', 'null'],
    series: [{ values: [1, 2] }],
  })
})
