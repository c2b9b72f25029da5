import { expect, test } from 'vitest'
import { rangeLiteral, readRange } from './sql.ts'

test.each([
  ['[1,5)', { lower: '1', upper: '5', hasLower: true, hasUpper: false }],
  ['(,2026-01-01]', { lower: '', upper: '2026-01-01', hasLower: false, hasUpper: true }],
  [
    '["2026-01-01 00:00:00+00","2026-02-01 00:00:00+00")',
    { lower: '2026-01-01 00:00:00+00', upper: '2026-02-01 00:00:00+00', hasLower: true, hasUpper: false },
  ],
  ['["say ""hi""","back\\\\slash"]', { lower: 'say "hi"', upper: 'back\\slash', hasLower: true, hasUpper: true }],
])('round-trips %s', (text, range) => {
  expect(readRange(text)).toEqual(range)
  expect(readRange(rangeLiteral(range))).toEqual(range)
})

test("reads the empty range, and rejects text that isn't a range", () => {
  expect(readRange('empty')).toBe('empty')
  expect(readRange('1,5')).toBeNull()
  expect(readRange('{[1,2),[3,4)}')).toBeNull()
})
