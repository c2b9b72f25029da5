import { expect, test } from 'vitest'
import { labelOf, pageOf, usefulLabels, zoomed } from './pages-and-zoom.ts'

test.each([
  ['7', 7],
  ['7.9', 7],
  ['0', 1],
  ['-3', 1],
  ['99', 12],
  ['٧', 7],
  ['', 1],
  ['x', null],
  ['Infinity', 12],
])('%j of twelve pages is %j', (typed, page) => {
  expect(pageOf(typed, 12)).toBe(page)
})

test('zooming uses fixed steps between a minimum and a maximum', () => {
  expect([zoomed(1, 1), zoomed(1, -1), zoomed(0.5, -1), zoomed(3, 1)]).toEqual([1.25, 0.75, null, null])
})

test('pages are found and named by their page labels', () => {
  const labels = usefulLabels(['i', 'ii', '1', '2', ''])
  expect(['ii', 'II', '1', '2', '4', '5', 'iii'].map((typed) => pageOf(typed, 5, labels))).toEqual([
    2,
    2,
    3,
    4,
    4,
    5,
    null,
  ])
  expect([1, 3, 5].map((page) => labelOf(page, labels))).toEqual(['i', '1', '5'])
  expect([usefulLabels(['1', '2']), usefulLabels(['', '']), usefulLabels(null)]).toEqual([null, null, null])
})
