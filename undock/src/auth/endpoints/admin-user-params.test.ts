import { expect, test } from 'vitest'
import { banMilliseconds } from './admin-user-params.ts'

test.each([
  ['', null],
  ['none', 0],
  ['24h', 86_400_000],
  ['1h30m', 5_400_000],
  ['1.5s', 1500],
  ['-1h', -3_600_000],
])('ban for %j', (given, expected) => {
  expect(banMilliseconds(given)).toBe(expected)
})

test.each(['forever', '10', 'h', '1d', '1h x', '99999999999h', '0'.repeat(100_000)])(
  'rejects a ban for %j',
  (given) => {
    expect(() => banMilliseconds(given)).toThrow()
  },
)
