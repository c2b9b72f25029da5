import { expect, test } from 'vitest'
import { totpMatches } from './one-time-codes.ts'

// RFC 6238, appendix B: its SHA-1 secret in base32 and the last six digits.
test.each([
  [59, '287082', true],
  [1111111109, '081804', true],
  [2000000000, '279037', true],
  [2000000000 + 30, '279037', true],
  [2000000000 + 90, '279037', false],
  [59, '28708', false],
  [59, "' or 1=1", false],
])('TOTP at %d: %s', async (seconds, code, expected) => {
  expect(await totpMatches('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ', code, new Date(seconds * 1000))).toBe(expected)
})
