import { expect, test } from 'vitest'
import { checkPkce, validEmail, validPhone } from './params.ts'

test.each([
  ['a@example.com', 'a@example.com'],
  ['A.B+tag@Example.COM', 'a.b+tag@example.com'],
  ['a@localhost', 'a@localhost'],
])('accepts the address %s', (given, expected) => {
  expect(validEmail(given)).toBe(expected)
})

test.each([
  '',
  'a',
  'a@',
  '@b',
  'a b@c.de',
  'a@b c',
  'a@-b.de',
  'a@b..de',
  'ü@example.com',
  'a@b\n',
  `${'a'.repeat(300)}@b.de`,
])('rejects the address %j', (given) => {
  expect(() => validEmail(given)).toThrow()
})

test('removes plus and spaces from phone numbers', () => {
  expect(validPhone('+49 151 12345678')).toBe('4915112345678')
  for (const bad of ['', '0151', '12-34', '1', '1234567890123456', '+', 'abc']) expect(() => validPhone(bad)).toThrow()
})

test('PKCE requires both of its parameters', () => {
  const challenge = 'a'.repeat(43)
  expect(() => checkPkce({ code_challenge: '', code_challenge_method: '' })).not.toThrow()
  expect(() => checkPkce({ code_challenge: challenge, code_challenge_method: 'S256' })).not.toThrow()
  for (const [code_challenge, code_challenge_method] of [
    [challenge, ''],
    ['', 's256'],
    ['short', 's256'],
    [`${'a'.repeat(43)}=`, 's256'],
    [challenge, 'md5'],
  ] as const) {
    expect(() => checkPkce({ code_challenge, code_challenge_method })).toThrow()
  }
})
