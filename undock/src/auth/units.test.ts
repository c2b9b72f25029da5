import { describe, expect, test } from 'vitest'
import { banMilliseconds } from './admin-params.ts'
import { verifierMatches } from './flow-states.ts'
import { sign } from './http-hook.ts'
import { matchesStored, newCode, newRefreshToken, tokenHash } from './one-time-code.ts'
import { pageHeaders, readPage, readSorting } from './pagination.ts'
import { checkPkce, validEmail, validPhone } from './params.ts'
import { isPasswordHash, unguessablePassword, weaknessOf } from './passwords.ts'
import { Bucket } from './rate-limits.ts'
import { sessionFault } from './sessions.ts'
import { totpMatches } from './totp.ts'
import { merged } from './users.ts'

test('codes have their length and are only digits', () => {
  for (const length of [4, 6, 8, 10]) expect(newCode(length)).toMatch(new RegExp(`^\\d{${length}}$`))
  expect(newRefreshToken()).toMatch(/^[a-z2-7]{12}$/)
  expect(tokenHash('a@example.com', '123456')).toBe(tokenHash('a@example.com', '123456'))
  expect(tokenHash('a@example.com', '123456')).toHaveLength(56)
})

const now = new Date('2026-11-21T12:00:00Z')
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000)

test.each([
  ['fresh', 'h', 'h', ago(10), true],
  ['of a PKCE flow', 'h', 'pkce_h', ago(10), true],
  ['to the second', 'h', 'h', ago(60), true],
  ['too old', 'h', 'h', ago(61), false],
  ['another', 'h', 'g', ago(1), false],
  ['used up', '', '', ago(1), false],
  ['never sent', 'h', 'h', null, false],
])('a stored code that is %s', (_name, hash, stored, sentAt, expected) => {
  expect(matchesStored(hash, stored, sentAt, 60, now)).toBe(expected)
})

test.each([
  [
    'rules of RFC 7636',
    'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
    'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    's256',
    true,
  ],
  ['another verifier', 'x', 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', 's256', false],
  ['plain', 'test', 'test', 'plain', true],
  ['nothing against nothing', '', '', 'plain', false],
] as const)('PKCE: %s', (_name, verifier, code_challenge, code_challenge_method, expected) => {
  expect(verifierMatches({ code_challenge, code_challenge_method }, verifier)).toBe(expected)
})

test.each([
  ['a@example.com', 'a@example.com'],
  ['A.B+tag@Example.COM', 'a.b+tag@example.com'],
  ['a@localhost', 'a@localhost'],
])('the address %s', (given, expected) => {
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
])('the address %j is refused', (given) => {
  expect(() => validEmail(given)).toThrow()
})

test('numbers lose plus and blanks', () => {
  expect(validPhone('+49 151 12345678')).toBe('4915112345678')
  for (const bad of ['', '0151', '12-34', '1', '1234567890123456', '+', 'abc']) expect(() => validPhone(bad)).toThrow()
})

test('PKCE needs both of its parameters', () => {
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

describe('passwords', () => {
  test.each([
    ['', 'abcdef', null],
    ['', 'abc', ['length']],
    ['letters_digits', 'abcdefg', ['characters']],
    ['letters_digits', 'abcdef1', null],
    ['lower_upper_letters_digits', 'abcdef1', ['characters']],
    ['lower_upper_letters_digits_symbols', 'Abcdef1', ['characters']],
    ['lower_upper_letters_digits_symbols', 'Abcdef1!', null],
    ['lower_upper_letters_digits_symbols', 'a', ['length', 'characters']],
  ] as const)('%s: %s', (password_requirements, password, reasons) => {
    expect(weaknessOf(password, { minimum_password_length: 6, password_requirements })?.reasons ?? null).toEqual(
      reasons,
    )
  })

  test('the one nobody knows meets every rule', () => {
    const rules = { minimum_password_length: 6, password_requirements: 'lower_upper_letters_digits_symbols' } as const
    expect(weaknessOf(unguessablePassword(), rules)).toBeNull()
    expect(unguessablePassword().length).toBeLessThanOrEqual(72)
  })

  test('hashes are told from other text', () => {
    expect(isPasswordHash('$2a$10$qFJ7/TOXNtYNOlApDDOgduliaSspwhiDkpimWLqb1NzhaETaMh1Me')).toBe(true)
    for (const text of ['', 'x', '$argon2id$v=19$m=1', '$2a$99$x']) expect(isPasswordHash(text)).toBe(false)
  })
})

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
test.each(['forever', '10', 'h', '1d', '1h x', '99999999999h'])('ban for %j is refused', (given) => {
  expect(() => banMilliseconds(given)).toThrow()
})

test('pages', () => {
  expect(readPage(new URLSearchParams())).toEqual({ page: 1, perPage: 50 })
  expect(readPage(new URLSearchParams('page=0&per_page=0'))).toEqual({ page: 1, perPage: 50 })
  for (const query of ['page=-1', 'page=x', 'per_page=1.5', 'page=99999999999999999999']) {
    expect(() => readPage(new URLSearchParams(query))).toThrow()
  }
  expect(readSorting(new URLSearchParams('sort=created_at ASC'))).toEqual({ field: 'created_at', descending: false })
  for (const query of ['sort=email', 'sort=created_at;drop', 'sort=created_at up']) {
    expect(() => readSorting(new URLSearchParams(query))).toThrow()
  }
  expect(pageHeaders(new URL('http://x/admin/users?page=3'), { page: 3, perPage: 10 }, 25)).toEqual({
    link: '</admin/users?page=3>; rel="last"',
    'x-total-count': '25',
  })
})

test('a bucket refills evenly', () => {
  const bucket = new Bucket(1, 2)
  const taken = [0, 0, 0, 1, 1, 10, 10, 10].map((second) => bucket.take(new Date(now.getTime() + second * 1000)))
  expect(taken).toEqual([true, true, false, true, false, true, true, false])
})

test.each([
  ['young', { created_at: ago(10) }, null],
  ['past its end', { created_at: ago(10), not_after: ago(1) }, 'expired'],
  ['past its timebox', { created_at: ago(101) }, 'expired'],
  ['long unused', { created_at: ago(60) }, 'inactive'],
  ['refreshed', { created_at: ago(60), refreshed_at: ago(5) }, null],
] as const)('a session that is %s', (_name, given, expected) => {
  const session = { not_after: null, refreshed_at: null, ...given }
  expect(sessionFault(session, { timebox: 100, inactivity_timeout: 50 }, now)).toBe(expected)
})

// RFC 6238, appendix B, its SHA-1 secret in base32 and the last six digits.
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

test('metadata merges; null removes', () => {
  expect(merged({ a: 1, b: 2 }, { b: null, c: 3 })).toEqual({ a: 1, c: 3 })
})

test('hooks are signed as standard-webhooks', () => {
  // The example of the specification.
  const signed = 'msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}'
  expect(sign('v1,whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', signed)).toBe(
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  )
})
