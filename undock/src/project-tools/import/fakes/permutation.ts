import type { Hash } from './hash.ts'

const DIGITS = '0123456789'
const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const UPPER = LOWER.toUpperCase()
const HEX = '0123456789abcdef'
const ROUNDS = 8

/** Replaces each digit and letter by another of its kind, and keeps all else: two inputs never get one output, because it is a
 *  permutation of the texts of this shape (a Feistel network with cycle walking, as in NIST SP 800-38G).
 *  @param kept How many characters at the beginning stay. */
export function permute(text: string, hash: Hash, kept = 0): string {
  return permuteWith(text, hash, (char, index) => (index < kept ? null : alphabetOf(char)))
}

const alphabetOf = (char: string): string | null =>
  [DIGITS, LOWER, UPPER].find((alphabet) => alphabet.includes(char)) ?? null

/** The same for hexadecimal digits.
 *  @param kept The places of digits that stay. */
export const permuteHex = (text: string, hash: Hash, kept: readonly number[] = []): string =>
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
  // Texts of one shape share a permutation; those of other shapes cannot become equal to them.
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
