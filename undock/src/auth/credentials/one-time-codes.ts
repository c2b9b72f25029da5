import { createHash, randomBytes, randomInt } from 'node:crypto'

/** Loaded with the first factor, not at every start. */
const otplib = () => import('otplib')

const PERIOD = 30

type TotpSecret = { readonly secret: string; readonly uri: string; readonly qr_code: string }

/** Returns a new secret (160 bits, base32) with its URI and QR code for authenticator apps. */
export async function newTotpSecret(issuer: string, account: string): Promise<TotpSecret> {
  const [{ generateSecret, generateURI }, { renderSVG }] = await Promise.all([otplib(), import('uqr')])
  const secret = generateSecret()
  const uri = generateURI({ issuer, label: account, secret, algorithm: 'sha1', digits: 6, period: PERIOD })
  return { secret, uri, qr_code: renderSVG(uri, { ecc: 'M', border: 2, pixelSize: 4 }) }
}

/** Checks a code (RFC 6238, SHA-1, six digits), also accepting the previous and next one. */
export async function totpMatches(secret: string, code: string, now: Date): Promise<boolean> {
  if (!/^\d{6}$/.test(code)) return false
  const epoch = Math.floor(now.getTime() / 1000)
  const { verify } = await otplib()
  const { valid } = await verify({ secret, token: code, epoch, period: PERIOD, epochTolerance: PERIOD })
  return valid
}

/** Returns a uniformly random numeric code, left-padded with zeros. @param digits 1 to 14 */
export function newCode(digits: number): string {
  const half = Math.min(digits, 7)
  const head = randomInt(10 ** half)
    .toString()
    .padStart(half, '0')
  return digits > half ? head + newCode(digits - half) : head
}

/** Returns what's stored of a code: SHA-224 of the address it was sent to and the code.
 *  @see supabase/auth internal/crypto/crypto.go */
export function tokenHash(address: string, code: string): string {
  return createHash('sha224')
    .update(address + code)
    .digest('hex')
}

export const PKCE_PREFIX = 'pkce_'

/** Prefixes a token sent in a PKCE flow, so that its link answers with a code rather than a session. */
export const flowToken = (hash: string, { isPkce }: { readonly isPkce: boolean }): string =>
  isPkce ? PKCE_PREFIX + hash : hash

/** Returns whether a code sent at `sentAt` may still be redeemed. @param expiry seconds */
export function isFresh(sentAt: Date | null, expiry: number, now: Date): boolean {
  return sentAt !== null && now.getTime() <= sentAt.getTime() + expiry * 1000
}

export function matchesStored(
  hash: string,
  {
    stored,
    sentAt,
    expiry,
    now,
  }: { readonly stored: string; readonly sentAt: Date | null; readonly expiry: number; readonly now: Date },
): boolean {
  if (stored === '' || !isFresh(sentAt, expiry, now)) return false
  return hash === stored || PKCE_PREFIX + hash === stored
}

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'

/** Returns lower-case base32 with 5 random bits per character. */
export const randomBase32 = (length: number): string =>
  [...randomBytes(length)].map((byte) => BASE32[byte & 31]).join('')

/** Returns 60 random bits in the form of upstream's refresh tokens. */
export const newRefreshToken = (): string => randomBase32(12)
