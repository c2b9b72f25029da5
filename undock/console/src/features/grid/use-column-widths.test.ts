import { expect, test } from 'vitest'
import { MARK_WIDTH } from './grid-rows.tsx'
import { scrollLeftFor } from './use-column-widths.ts'

const widths = [100, 200, 300]

test.each([
  ["doesn't scroll to a visible column", 1, { scrollLeft: 50, clientWidth: 400 }, 50],
  ['scrolls a column on the left to the left edge', 0, { scrollLeft: 50, clientWidth: 400 }, 0],
  ['scrolls a column on the right to the right edge', 2, { scrollLeft: 50, clientWidth: 400 }, 600 + MARK_WIDTH - 400],
])('%s', (_, column, seen, left) => {
  expect(scrollLeftFor(column, widths, seen)).toBe(left)
})
