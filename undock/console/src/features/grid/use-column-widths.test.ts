import { expect, test } from 'vitest'
import { MARK_WIDTH } from './grid-rows.tsx'
import { scrollLeftFor } from './use-column-widths.ts'

const widths = [100, 200, 300]

test.each([
  ['a column that is seen moves nothing', 1, { scrollLeft: 50, clientWidth: 400 }, 50],
  ['a column to the left is the first', 0, { scrollLeft: 50, clientWidth: 400 }, 0],
  ['a column to the right is the last', 2, { scrollLeft: 50, clientWidth: 400 }, 600 + MARK_WIDTH - 400],
])('%s', (_, column, seen, left) => {
  expect(scrollLeftFor(column, widths, seen)).toBe(left)
})
