import { Buffer } from 'node:buffer'
import { isSameSecret } from '../_shared/clients.ts'
import type { Signature } from './handed-over.ts'

/** Shorter secrets can be guessed and are ignored. */
const MIN_SECRET_LENGTH = 20
/** Mailgun retries for eight hours. */
const MAX_AGE_MS = 86_400_000

export const isLongEnough = (secret: string | undefined): secret is string =>
  secret !== undefined && secret.length >= MIN_SECRET_LENGTH

/** Whether a request has the secret, as bearer token or as basic auth password (https://mail:secret@example.org). */
export function hasSecret(request: Request, secret: string | undefined): boolean {
  if (!isLongEnough(secret)) return false
  const [, scheme = '', given = ''] = /^(bearer|basic) +(.+)$/i.exec(request.headers.get('Authorization') ?? '') ?? []
  if (scheme.toLowerCase() === 'bearer') return isSameSecret(given, secret)
  const [, password] = /^[^:]*:(.*)$/s.exec(Buffer.from(given, 'base64').toString()) ?? []
  return password !== undefined && isSameSecret(password, secret)
}

/** Whether Mailgun signed the request within the last day: HMAC-SHA-256 of timestamp and token with the account's key. */
export async function isSigned(
  { timestamp, token, signature }: Signature,
  signingKey: string | undefined,
  now: number,
): Promise<boolean> {
  if (!signingKey || !(Math.abs(now - Number(timestamp) * 1000) <= MAX_AGE_MS)) return false
  const hmac = { name: 'HMAC', hash: 'SHA-256' }
  const bytes = new TextEncoder()
  const key = await crypto.subtle.importKey('raw', bytes.encode(signingKey), hmac, false, ['sign'])
  const expected = await crypto.subtle.sign('HMAC', key, bytes.encode(timestamp + token))
  return isSameSecret(signature, Buffer.from(expected).toString('hex'))
}
