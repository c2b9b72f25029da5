import { createHmac } from 'node:crypto'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
/** A code's validity in milliseconds; the previous and next one are accepted as well. */
export const STEP_MS = 30_000

/** Returns an authenticator app's six digits (RFC 6238: SHA-1, 30 seconds).
 *  @param secret In base32, as shown on enrollment. */
export function totp(secret: string, now: number = Date.now()): string {
  const bits = Array.from(secret.replaceAll('=', ''), (letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0'))
  const bytes = bits.join('').match(/.{8}/g) ?? []
  const key = Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(now / STEP_MS)))
  const mac = createHmac('sha1', key).update(counter).digest()
  const offset = (mac.at(-1) ?? 0) & 15
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}
