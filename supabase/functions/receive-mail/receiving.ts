import { Buffer } from 'node:buffer'
import { isSameSecret } from '../_shared/clients.ts'
import { refusal } from '../_shared/errors.ts'
import { CORS, json, refused } from '../_shared/http.ts'
import { contentsOf } from './contents.ts'
import { formOf, type HandedOver, readHandedOver, type Signature } from './handed-over.ts'
import type { Libraries, MailAddress } from './library-mail.ts'
import { hasTooManyParts, type Mail, readMail } from './mail.ts'
import { MailRefusal, refusalResponse } from './refused-mail.ts'

/** Shorter secrets can be guessed and are ignored. */
const MIN_SECRET_LENGTH = 20
/** Mailgun retries for eight hours. */
const MAX_AGE_MS = 86_400_000

const isLongEnough = (secret: string | undefined): secret is string =>
  secret !== undefined && secret.length >= MIN_SECRET_LENGTH

/** Whether a request has the secret, as bearer token or as basic auth password (https://mail:secret@example.org). */
function hasSecret(request: Request, secret: string | undefined): boolean {
  if (!isLongEnough(secret)) return false
  const [, scheme = '', given = ''] = /^(bearer|basic) +(.+)$/i.exec(request.headers.get('Authorization') ?? '') ?? []
  if (scheme.toLowerCase() === 'bearer') return isSameSecret(given, secret)
  const [, password] = /^[^:]*:(.*)$/s.exec(Buffer.from(given, 'base64').toString()) ?? []
  return password !== undefined && isSameSecret(password, secret)
}

/** Whether Mailgun signed the request within the last day: HMAC-SHA-256 of timestamp and token with the account's key. */
async function isSigned(
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

export type MailSettings = {
  /** The domain of the libraries' mail addresses. */
  readonly domain: string | undefined
  /** The secret that callers must present. */
  readonly secret: string | undefined
  /** Mailgun's webhook signing key, used instead of the secret. */
  readonly mailgunKey: string | undefined
}
export type ReceivingDeps = {
  readonly settings: MailSettings
  readonly libraries: Libraries
  readonly now: () => number
}

type Result = { readonly result: 'added' | 'known' }

/** The secret in an address such as letters+abcdefghijklmnopqrst@example.org; mail servers may change its case. */
const SECRET = /\+([a-z2-7]{20})@/gi
const MAX_ADDRESSES = 10

/** POST accepts a mail. GET returns the domain of mail addresses, or null if mail is off. */
export async function answerMail(request: Request, deps: ReceivingDeps): Promise<Response> {
  if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers: CORS })
  if (request.method === 'GET') return json({ domain: domainOf(deps.settings) })
  if (request.method !== 'POST') return refused(refusal('method_not_allowed'))
  const form = formOf(request)
  try {
    return json(await receiveMail(await authenticated(request, deps), deps.libraries))
  } catch (error) {
    if (error instanceof MailRefusal) return refusalResponse(error, form)
    console.error(error)
    return refusalResponse(new MailRefusal('unavailable'), form)
  }
}

function domainOf({ domain, secret, mailgunKey }: MailSettings): string | null {
  return domain && /^[a-z0-9.-]+$/i.test(domain) && (isLongEnough(secret) || mailgunKey) ? domain.toLowerCase() : null
}

async function authenticated(request: Request, { settings, now }: ReceivingDeps): Promise<HandedOver> {
  const form = formOf(request)
  const isKnown = hasSecret(request, settings.secret)
  // Mailgun's signature is in the body; for other formats an unauthenticated body isn't read.
  if (!isKnown && (form !== 'mailgun' || !settings.mailgunKey)) throw new MailRefusal('unauthorized')
  const { signature, ...handedOver } = await readHandedOver(request, form)
  if (!isKnown && !(signature && (await isSigned(signature, settings.mailgunKey, now())))) {
    throw new MailRefusal('unauthorized')
  }
  return handedOver
}

/** Adds a mail to the library of each recipient address. Adding it again counts as success, so that a partially stored
 *  mail can be retried.
 *  @throws {MailRefusal} if no address accepts it, or one may accept it later. */
async function receiveMail({ message, recipients }: HandedOver, libraries: Libraries): Promise<Result> {
  const mail = await readMail(message)
  const secrets = secretsIn(recipients.length > 0 ? recipients : mail.recipients)
  const results: (Result | MailRefusal)[] = []
  for (const secret of secrets) {
    const address = await libraries.findAddress(secret, mail)
    if (!address) continue
    results.push(await addTo(address, mail, message, libraries).catch(refusalOf))
  }
  const refusals = results.filter((one) => one instanceof MailRefusal)
  const later = refusals.find(({ reason }) => reason === 'busy')
  const taken = results.find((one): one is Result => !(one instanceof MailRefusal))
  if (taken && !later) return taken
  throw later ?? refusals[0] ?? new MailRefusal('unknown')
}

function refusalOf(error: unknown): MailRefusal {
  if (error instanceof MailRefusal) return error
  throw error
}

function secretsIn(recipients: readonly string[]): string[] {
  const secrets = recipients.flatMap((one) => [...one.matchAll(SECRET)].map(([, secret = '']) => secret.toLowerCase()))
  return [...new Set(secrets)].slice(0, MAX_ADDRESSES)
}

async function addTo(address: MailAddress, mail: Mail, message: Uint8Array, libraries: Libraries): Promise<Result> {
  const { library } = address
  const verdict =
    address.verdict !== 'open'
      ? address.verdict
      : hasTooManyParts(mail)
        ? 'attachments'
        : await libraries.addMail(address, mail, contentsOf(mail, message, library))
  if (verdict === 'open') return { result: 'added' }
  if (verdict === 'known') return { result: 'known' }
  if (verdict !== 'busy' && verdict !== 'unknown') await libraries.keepRefusal(address, mail, verdict)
  throw new MailRefusal(verdict)
}
