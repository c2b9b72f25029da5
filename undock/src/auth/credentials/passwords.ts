import { randomInt } from 'node:crypto'
import { hash, parseOptions, verify } from '@node-rs/bcrypt'
import type { Config } from '../../config/config.ts'
import { authError } from '../errors.ts'

const COST = 10

// bcrypt reads no further.
const MAX_BYTES = 72

// Compared against for unknown users: without it the answer's time would tell who has an account.
const DECOY = '$2a$10$qFJ7/TOXNtYNOlApDDOgduliaSspwhiDkpimWLqb1NzhaETaMh1Me'

/** Hashes on bcrypt's own threads, off the event loop. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, { cost: COST, version: '2a' })
}

/** Takes as long for a user without a password (or no user at all) as for any other. */
export async function passwordMatches(password: string, stored: string): Promise<boolean> {
  const matches = await verify(password, stored === '' ? DECOY : stored)
  return stored !== '' && matches
}

export function isPasswordHash(value: string): boolean {
  try {
    parseOptions(value)
    return true
  } catch {
    return false
  }
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const CAPITALS = LETTERS.toUpperCase()
const DIGITS = '0123456789'
const SYMBOLS = '!@#$%^&*()_+-=[]{};\'\\:"|<>?,./`~'

const REQUIRED: Record<Config['auth']['password_requirements'], readonly string[]> = {
  '': [],
  letters_digits: [LETTERS + CAPITALS, DIGITS],
  lower_upper_letters_digits: [LETTERS, CAPITALS, DIGITS],
  lower_upper_letters_digits_symbols: [LETTERS, CAPITALS, DIGITS, SYMBOLS],
}

export type PasswordRules = Pick<Config['auth'], 'minimum_password_length' | 'password_requirements'>

export type Weakness = { readonly message: string; readonly reasons: readonly string[] }

/** Why a password is too weak, or null. @see supabase/auth internal/api/password.go */
export function weaknessOf(password: string, rules: PasswordRules): Weakness | null {
  const required = REQUIRED[rules.password_requirements]
  const messages: string[] = []
  const reasons: string[] = []
  if (Buffer.byteLength(password) < rules.minimum_password_length) {
    reasons.push('length')
    messages.push(`Password should be at least ${rules.minimum_password_length} characters.`)
  }
  if (required.some((set) => ![...set].some((character) => password.includes(character)))) {
    reasons.push('characters')
    messages.push(`Password should contain at least one character of each: ${required.join(', ')}.`)
  }
  return reasons.length > 0 ? { message: messages.join(' '), reasons } : null
}

/** @throws `validation_failed` over 72 bytes, `weak_password` with its reasons */
export function checkPassword(password: string, rules: PasswordRules): void {
  if (Buffer.byteLength(password) > MAX_BYTES) throw authError('passwordTooLong', [MAX_BYTES])
  const weakness = weaknessOf(password, rules)
  if (weakness) throw authError('passwordWeak', [weakness.message], { details: { reasons: weakness.reasons } })
}

/** A password nobody knows, for accounts made without one; it meets every rule. */
export function randomPassword(): string {
  const all = LETTERS + CAPITALS + DIGITS
  const random = Array.from({ length: 60 }, () => all[randomInt(all.length)]).join('')
  return `${random}aA1!`
}
