import { describe, expect, test } from 'vitest'
import { isPasswordHash, randomPassword, weaknessOf } from './passwords.ts'

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

  test('the random password that nobody knows meets every rule', () => {
    const rules = { minimum_password_length: 6, password_requirements: 'lower_upper_letters_digits_symbols' } as const
    expect(weaknessOf(randomPassword(), rules)).toBeNull()
    expect(randomPassword().length).toBeLessThanOrEqual(72)
  })

  test('hashes are distinguished from other text', () => {
    expect(isPasswordHash('$2a$10$qFJ7/TOXNtYNOlApDDOgduliaSspwhiDkpimWLqb1NzhaETaMh1Me')).toBe(true)
    for (const text of ['', 'x', '$argon2id$v=19$m=1', '$2a$99$x']) expect(isPasswordHash(text)).toBe(false)
  })
})
