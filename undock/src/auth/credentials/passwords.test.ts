import { describe, expect, test } from 'vitest'
import { isPasswordHash, passwordMatches, randomPassword, weaknessOf } from './passwords.ts'

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

  test('a random password meets every rule', () => {
    const rules = { minimum_password_length: 6, password_requirements: 'lower_upper_letters_digits_symbols' } as const
    expect(weaknessOf(randomPassword(), rules)).toBeNull()
    expect(randomPassword().length).toBeLessThanOrEqual(72)
  })

  test('distinguishes hashes from other text', () => {
    expect(isPasswordHash('$2a$10$qFJ7/TOXNtYNOlApDDOgduliaSspwhiDkpimWLqb1NzhaETaMh1Me')).toBe(true)
    for (const text of ['', 'x', '$argon2id$v=19$m=1', '$2a$99$x']) expect(isPasswordHash(text)).toBe(false)
  })

  const SALT = 'c2FsdHNhbHRzYWx0'
  const FIREBASE = '$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk='
  const KEY = 'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA=='
  const SIGNED = 'lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=='
  test.each([
    ['$argon2id$v=19$m=19456,t=2,p=1$AhM8m9Dmg2fKul7ifDglZg$W7LwbskgJuErH8MkspnBIZY5za2eNyuMfbnIXzPLGOo', 'Passw0rd!x'],
    [`${FIREBASE}${KEY}$42xEC+ixf3L2lw==$${SIGNED}`, 'user1password'],
  ])('%s is accepted and signs in', async (hash, password) => {
    expect(isPasswordHash(hash)).toBe(true)
    expect([await passwordMatches(password, hash), await passwordMatches('another', hash)]).toEqual([true, false])
  })

  test.each([
    ['a variant upstream rejects', `$argon2d$v=19$m=8,t=1,p=1$${SALT}$aGFzaA`],
    ['an old version', `$argon2id$v=16$m=8,t=1,p=1$${SALT}$aGFzaA`],
    ['too much memory', `$argon2id$v=19$m=9999999,t=1,p=1$${SALT}$aGFzaA`],
    ['too many passes', `$argon2i$v=19$m=8,t=21,p=1$${SALT}$aGFzaA`],
    ['no salt', '$argon2id$v=19$m=8,t=1,p=1$$aGFzaA'],
    ['another version of scrypt', '$fbscrypt$v=2,n=14,r=8,p=1$YQ==$YQ=='],
    ['too much memory for scrypt', '$fbscrypt$v=1,n=30,r=8,p=1$YQ==$YQ=='],
  ])('rejects %s', async (_what, hash) => {
    expect(isPasswordHash(hash)).toBe(false)
    expect(await passwordMatches('a', hash)).toBe(false)
  })
})
