import { createHash } from 'node:crypto'

/** Returns bytes derived from a text and a secret key. Without the key, the text can't be recovered, nor guesses verified. */
type Hash = (text: string, bytes: number) => Buffer

/** @param key At least 16 random bytes. */
export const createKeyedHash =
  (key: Buffer): Hash =>
  (text, bytes) =>
    // A prefix is a safe key for SHA-3 (unlike SHA-2); its length is fixed within an import.
    createHash('shake256', { outputLength: bytes }).update(key).update(text).digest()

const DIGITS = '0123456789'
const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const UPPER = LOWER.toUpperCase()
const HEX = '0123456789abcdef'
const ROUNDS = 8

/** Replaces each digit and letter with another of its kind. Different inputs have different outputs, because it's a permutation of texts
 *  with the same shape (a Feistel network with cycle walking, as in NIST SP 800-38G). @param kept How many leading characters to keep. */
function permute(text: string, hash: Hash, kept = 0): string {
  return permuteWith(text, hash, (char, index) => (index < kept ? null : alphabetOf(char)))
}

const alphabetOf = (char: string): string | null =>
  [DIGITS, LOWER, UPPER].find((alphabet) => alphabet.includes(char)) ?? null

/** The same for hexadecimal digits.
 *  @param kept The positions of digits to keep. */
const permuteHex = (text: string, hash: Hash, kept: readonly number[] = []): string =>
  permuteWith(text.toLowerCase(), hash, (char, index) => (kept.includes(index) || !HEX.includes(char) ? null : HEX))

function permuteWith(text: string, hash: Hash, alphabetAt: (char: string, index: number) => string | null): string {
  const chars = [...text]
  const alphabets = chars.map(alphabetAt)
  let size = 1n
  let value = 0n
  for (const [index, alphabet] of alphabets.entries()) {
    if (alphabet === null) continue
    size *= BigInt(alphabet.length)
    value = value * BigInt(alphabet.length) + BigInt(alphabet.indexOf(chars[index] ?? ''))
  }
  if (size === 1n) return text
  // Texts of the same shape share a permutation, so that different texts stay different.
  const shape = alphabets.map((alphabet, index) => alphabet?.[0] ?? chars[index]).join('')
  do value = feistel(value, size, hash, shape)
  while (value >= size)
  for (let index = chars.length - 1; index >= 0; index--) {
    const alphabet = alphabets[index]
    if (!alphabet) continue
    chars[index] = alphabet[Number(value % BigInt(alphabet.length))] ?? ''
    value /= BigInt(alphabet.length)
  }
  return chars.join('')
}

function feistel(value: bigint, size: bigint, hash: Hash, shape: string): bigint {
  const half = BigInt(Math.ceil((size - 1n).toString(2).length / 2))
  const mask = (1n << half) - 1n
  const bytes = Math.ceil(Number(half) / 8)
  let [left, right] = [value >> half, value & mask]
  for (let round = 0; round < ROUNDS; round++) {
    const digest = hash(`permutation ${round} ${right} ${shape}`, bytes).toString('hex')
    ;[left, right] = [right, left ^ (BigInt(`0x${digest}`) & mask)]
  }
  return (left << half) | right
}

/** A value's kind, which determines its fake. Numbers, tokens and accounts keep their shape; an account is a user's id at a provider, kept
 *  if it's the project's own. */
export type Kind =
  | 'account'
  | 'bytes'
  | 'city'
  | 'date'
  | 'e-mail'
  | 'IP address'
  | 'name'
  | 'number'
  | 'phone number'
  | 'street'
  | 'text'
  | 'token'
  | 'URL'

/** Its parts are limited as in RFC 5321, to avoid quadratic time on long texts. */
export const EMAIL = /[\p{L}\p{N}._%+'-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8}/gu
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** The digits that name version and variant. */
const KEPT_OF_UUID = [14, 19]

export type FakeOf = (kind: Kind, value: string, maxLength?: number | null) => string

/** Creates fakes: within an import, equal values have equal fakes and different values different ones (for cities, dates and IP addresses,
 *  almost always). Keeps empty values. */
export function createFakes(hash: Hash): FakeOf {
  return (kind, value, maxLength = null) => {
    if (value.trim() === '') return value
    const fake = make(kind, value, hash, maxLength)
    return maxLength === null ? fake : [...fake].slice(0, maxLength).join('')
  }
}

function make(kind: Kind, value: string, hash: Hash, maxLength: number | null): string {
  switch (kind) {
    case 'account':
      return UUID.test(value) ? value : permute(value, hash)
    case 'bytes':
      return permuteHex(value, hash)
    case 'e-mail':
      return fakeEmail(value, hash, maxLength)
    case 'name':
      return fakeName(value, hash)
    case 'number':
    case 'phone number':
      // The first digit keeps the number valid, and within the range of its type.
      return permute(value, hash, value.search(/\d/) + 1)
    case 'street':
      return `${capital(syllables('street', value, hash, 9))} ${(hash(`house ${value}`, 2).readUInt16BE() % 200) + 1}`
    case 'city':
      return capital(syllables('city', value, hash, 9))
    case 'token':
      return UUID.test(value) ? permuteHex(value, hash, KEPT_OF_UUID) : permute(value, hash)
    case 'IP address':
      return fakeAddress(value, hash)
    case 'date':
      return fakeDate(value, hash)
    case 'URL':
      return /^[a-z]+:\/\//i.test(value)
        ? `https://example.com/${hash(`url ${value}`, 12).toString('hex')}`
        : fakeName(value, hash)
    case 'text':
      return fakeText(value, hash)
  }
}

const DOMAIN = '@example.com'

/** Addresses that differ only in case have fakes that do too, as they're compared both ways. */
function fakeEmail(value: string, hash: Hash, maxLength: number | null): string {
  const lower = value.toLowerCase()
  const letters = [...hash(`e-mail ${lower}`, 16)].map((byte) => String.fromCharCode(97 + (byte % 26)))
  const cases = lower === value ? null : hash(`case ${value}`, 16)
  const name = letters.map((letter, index) => (cases && (cases[index] ?? 0) & 1 ? letter.toUpperCase() : letter))
  return name.slice(0, maxLength === null ? 16 : Math.max(1, maxLength - DOMAIN.length)).join('') + DOMAIN
}

/** Two words if the value has several, in its letter case. */
function fakeName(value: string, hash: Hash): string {
  const text = syllables('name', value, hash, 10)
  const words = /\s/.test(value.trim()) ? [text.slice(0, 8), text.slice(8)] : [text]
  return value === value.toLowerCase() ? words.join(' ') : words.map(capital).join(' ')
}

/** Lorem ipsum with as many words as the value, at most 200. */
function fakeText(value: string, hash: Hash): string {
  const count = Math.min(200, Math.max(5, value.split(/\s+/).length))
  const words = Array.from({ length: count }, (_, index) => syllables(`word ${index}`, value, hash, 3))
  return capital(words.join(' '))
}

const CONSONANTS = 'bdfgklmnprstvwzj'
const VOWELS = 'aeio'

/** 6 random bits per syllable. */
const syllables = (use: string, value: string, hash: Hash, count: number): string =>
  [...hash(`${use} ${value}`, count)].map((byte) => `${CONSONANTS[byte & 15]}${VOWELS[(byte >> 4) & 3]}`).join('')

const capital = (word: string): string => `${word.charAt(0).toUpperCase()}${word.slice(1)}`

/** A private address (RFC 1918, RFC 4193) with the value's mask; for a network, without host bits. */
function fakeAddress(value: string, hash: Hash): string {
  const [address = '', mask] = value.split('/')
  const bytes = hash(`ip ${address}`, 8)
  if (address.includes(':')) {
    const groups = Array.from({ length: 4 }, (_, index) => bytes.readUInt16BE(index * 2).toString(16))
    return `fd00::${groups.join(':')}${mask === undefined ? '' : '/128'}`
  }
  return `10.${bytes[0]}.${bytes[1]}.${bytes[2]}${mask === undefined ? '' : '/32'}`
}

/** A day within a year; keeps the time of day. */
function fakeDate(value: string, hash: Hash): string {
  const day = /^\d{4}-\d\d-\d\d/.exec(value)?.[0]
  if (day === undefined || value.endsWith('BC')) return value
  const shift = (hash(`date ${day}`, 4).readUInt32BE() % 731) - 365
  const moved = new Date(Date.parse(`${day}T00:00:00Z`) + shift * 86_400_000)
  return moved.toISOString().slice(0, 10) + value.slice(10)
}
