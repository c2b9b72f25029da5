import { expect, test } from 'vitest'
import { matchesStored, newCode, newRefreshToken, tokenHash } from './one-time-codes.ts'

const now = new Date('2026-11-21T12:00:00Z')
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000)

test('codes have the configured length and consist of digits', () => {
  for (const length of [4, 6, 8, 10]) expect(newCode(length)).toMatch(new RegExp(`^\\d{${length}}$`))
  expect(newRefreshToken()).toMatch(/^[a-z2-7]{12}$/)
  expect(tokenHash('a@example.com', '123456')).toBe(tokenHash('a@example.com', '123456'))
  expect(tokenHash('a@example.com', '123456')).toHaveLength(56)
})

test.each([
  ['fresh', 'h', 'h', ago(10), true],
  ['of a PKCE flow', 'h', 'pkce_h', ago(10), true],
  ['at its age limit', 'h', 'h', ago(60), true],
  ['too old', 'h', 'h', ago(61), false],
  ['another', 'h', 'g', ago(1), false],
  ['used up', '', '', ago(1), false],
  ['never sent', 'h', 'h', null, false],
])('a stored code that is %s', (_name, hash, stored, sentAt, expected) => {
  expect(matchesStored(hash, { stored, sentAt, expiry: 60, now })).toBe(expected)
})
