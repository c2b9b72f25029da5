// @vitest-environment node
import { expect, test } from 'vitest'
import { pageOf, zoomed } from './pages-and-zoom.ts'

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

test('the zoom has steps, and ends', () => {
  expect([zoomed(1, 1), zoomed(1, -1), zoomed(0.5, -1), zoomed(3, 1)]).toEqual([1.25, 0.75, null, null])
})
