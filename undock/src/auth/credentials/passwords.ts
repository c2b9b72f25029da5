import { createCipheriv, randomInt, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { hash, parseOptions, verify } from '@node-rs/bcrypt'
import type { Config } from '../../config/config.ts'
import { authError } from '../errors.ts'

const COST = 10

const MAX_MEMORY = 2 ** 30

// bcrypt ignores the rest.
const MAX_BYTES = 72

// Compared against for unknown users, so that the response time doesn't reveal who has an account.
const DECOY = '$2a$10$qFJ7/TOXNtYNOlApDDOgduliaSspwhiDkpimWLqb1NzhaETaMh1Me'

/** Hashes on bcrypt's own threads, off the event loop. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, { cost: COST, version: '2a' })
}

/** Takes the same time for users without a password, or no user at all. */
export async function passwordMatches(password: string, stored: string): Promise<boolean> {
  if (stored.startsWith('$argon2')) return argon2Of(stored) && argon2Matches(password, stored)
  if (stored.startsWith('$fbscrypt')) return firebaseMatches(password, stored)
  const matches = await verify(password, stored === '' ? DECOY : stored)
  return stored !== '' && matches
}

/** Returns whether users can sign in with this hash: bcrypt, Argon2 or Firebase's scrypt.
 *  @see supabase/auth internal/crypto/password.go */
export function isPasswordHash(value: string): boolean {
  if (value.startsWith('$argon2')) return argon2Of(value)
  if (value.startsWith('$fbscrypt')) return firebaseOf(value) !== null
  try {
    parseOptions(value)
    return true
  } catch {
    return false
  }
}

const ARGON2 = /^\$argon2id?\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$[A-Za-z0-9+/]+$/

function argon2Of(hash: string): boolean {
  const [memory = 0, time = 0, lanes = 0] = (ARGON2.exec(hash)?.slice(1, 4) ?? []).map(Number)
  return time > 0 && lanes > 0 && memory <= MAX_MEMORY / 1024 && time <= 20 && lanes <= 16
}

const argon2Matches = async (password: string, hash: string): Promise<boolean> =>
  (await import('@node-rs/argon2')).verify(hash, password).catch(() => false)

const FIREBASE = /^\$fbscrypt\$v=1,n=(\d+),r=(\d+),p=(\d+)(?:,ss=([^,]+))?(?:,sk=([^$]+))?\$([^$]+)\$(.+)$/

function firebaseOf(hash: string) {
  const [, n, r, p, ...texts] = FIREBASE.exec(hash) ?? []
  const options = { N: 2 ** Number(n), r: Number(r), p: Number(p), maxmem: MAX_MEMORY }
  if (!(options.N > 1 && options.r > 0 && options.p > 0 && 128 * options.N * options.r < MAX_MEMORY)) return null
  const [separator, key, salt, wanted] = texts.map((text) => Buffer.from(text ?? '', 'base64'))
  return separator && key && salt && wanted ? { options, salt: Buffer.concat([salt, separator]), key, wanted } : null
}

/** @see https://github.com/firebase/scrypt */
async function firebaseMatches(password: string, hash: string): Promise<boolean> {
  const firebase = firebaseOf(hash)
  if (!firebase) return false
  const derived = await derive(password, firebase.salt, 32, firebase.options)
  const signed = createCipheriv('aes-256-ctr', derived, Buffer.alloc(16)).update(firebase.key)
  return signed.length === firebase.wanted.length && timingSafeEqual(signed, firebase.wanted)
}

const derive: (password: string, salt: Buffer, length: number, options: object) => Promise<Buffer> = promisify(scrypt)

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

/** Returns why a password is too weak, or null. @see supabase/auth internal/api/password.go */
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

/** Returns an unknown password that meets every rule, for accounts created without one. */
export function randomPassword(): string {
  const all = LETTERS + CAPITALS + DIGITS
  const random = Array.from({ length: 60 }, () => all[randomInt(all.length)]).join('')
  return `${random}aA1!`
}
