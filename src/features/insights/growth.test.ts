import { expect, test } from 'vitest'
import { growth, ticks } from './growth.ts'

const NOW = Date.parse('2026-01-22T12:00:00Z')

test('weeks without documents are included', () => {
  expect(
    growth(
      [
        { week: '2026-01-05', documents: 2 },
        { week: '2026-01-19', documents: 1 },
      ],
      NOW,
    ),
  ).toEqual([
    { week: '2025-12-29', added: 0, total: 0 },
    { week: '2026-01-05', added: 2, total: 2 },
    { week: '2026-01-12', added: 0, total: 2 },
    { week: '2026-01-19', added: 1, total: 3 },
  ])
})

test('an old library shows its last year, with the total from before', () => {
  const points = growth([{ week: '2020-01-06', documents: 7 }], NOW)
  expect(points).toHaveLength(52)
  expect(points.at(-1)).toEqual({ week: '2026-01-19', added: 0, total: 7 })
})

test('an empty library has no growth', () => {
  expect(growth([], NOW)).toEqual([])
})

test('a chart has at most six round axis values, from 0 to above its maximum', () => {
  for (const [most, expected] of [
    [0, [0, 1]],
    [3, [0, 1, 2, 3]],
    [7, [0, 2, 4, 6, 8]],
    [25, [0, 5, 10, 15, 20, 25]],
    [26, [0, 10, 20, 30]],
    [11_429, [0, 5_000, 10_000, 15_000]],
  ] as const)
    expect(ticks(most)).toEqual(expected)
})
