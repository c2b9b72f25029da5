import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { storageError } from '../errors.ts'
import { SCHEME, type Signature } from './signature.ts'

export type Credentials = { readonly accessKey: string; readonly secretKey: string; readonly region: string }

export const EMPTY_HASH = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/** Headers that proxies change; ignored even if clients list them as signed. */
const UNSIGNABLE = new Set([
  'authorization',
  'connection',
  'expect',
  'from',
  'keep-alive',
  'max-forwards',
  'pragma',
  'referer',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'x-amzn-trace-id',
])

const ENDPOINT_PATH = '/storage/v1/s3'

/** Regions that every client may sign for, in addition to the stack's own. */
const ANY_REGION = ['auto', 'us-east-1', '']

/** Computes the signatures of a client with these credentials (Signature Version 4).
 *  @throws {StorageError} AccessDenied for another access key or service */
export class Signer {
  readonly #scope: string
  readonly #key: Buffer
  readonly #signature: Signature

  constructor(signature: Signature, { accessKey, secretKey, region }: Credentials) {
    if (signature.accessKey !== accessKey) throw storageError('AccessDenied', { message: 'Invalid Access Key' })
    if (signature.service !== 's3') throw storageError('AccessDenied', { message: 'Invalid Service' })
    const signedFor = ANY_REGION.includes(signature.region) ? signature.region : region
    this.#signature = signature
    this.#scope = `${signature.day}/${signedFor}/s3/aws4_request`
    this.#key = [signature.day, signedFor, 's3', 'aws4_request'].reduce<Buffer>(hmac, Buffer.from(`AWS4${secretKey}`))
  }

  accepts(request: Request, url: URL): boolean {
    const addresses = [url.pathname, normalizedPath(url.pathname)].flatMap((path) => [
      { path, hostPath: '' },
      // s3cmd counts the endpoint's path as part of the host.
      ...(path.startsWith(`${ENDPOINT_PATH}/`)
        ? [{ path: path.slice(ENDPOINT_PATH.length), hostPath: ENDPOINT_PATH }]
        : []),
    ])
    return addresses.some((address) => {
      const canonical = canonicalRequest(request, address, url.searchParams, this.#signature)
      return this.matches(this.#signature.value, SCHEME, sha256(canonical))
    })
  }

  acceptsPolicy(policy: string): boolean {
    return equal(this.#signature.value, hmac(this.#key, policy).toString('hex'))
  }

  /** Checks the signature of a request, or of a chunk that continues one. */
  matches(value: string, kind: string, ...rest: readonly string[]): boolean {
    const text = [kind, this.#signature.date, this.#scope, ...rest].join('\n')
    return equal(value, hmac(this.#key, text).toString('hex'))
  }
}

/** Where the endpoint ends and the resource begins, according to the client. */
type Address = { readonly path: string; readonly hostPath: string }

function canonicalRequest(
  request: Request,
  { path, hostPath }: Address,
  query: URLSearchParams,
  signature: Signature,
): string {
  const { signedHeaders } = signature
  const headers = signedHeaders
    .filter((name) => !UNSIGNABLE.has(name.toLowerCase()) && (name === 'host' || request.headers.has(name)))
    .sort()
    .map((name) => `${name}:${headerValue(request, name)}${name === 'host' ? hostPath : ''}`)
  return [
    request.method,
    path,
    canonicalQuery(query),
    `${headers.join('\n')}\n`,
    signedHeaders.toSorted().join(';'),
    bodyHash(request.method, signature),
  ].join('\n')
}

const canonicalQuery = (query: URLSearchParams): string =>
  [...query]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => [encode(name), encode(value)] as const)
    // By name, then by value, bytewise: comparing `name=value` would put `a-b` before `a`.
    .sort(([a, first], [b, second]) => compare(a, b) || compare(first, second))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

function headerValue(request: Request, name: string): string {
  if (name === 'host') return hostOf(request)
  return (request.headers.get(name) ?? '').trim().replace(/ {2,}/g, ' ')
}

/** The host that the client addressed, even behind a proxy. */
function hostOf(request: Request): string {
  const forwarded = request.headers.get('x-forwarded-host')?.toLowerCase()
  if (!forwarded) return request.headers.get('host') ?? new URL(request.url).host
  const port = request.headers.get('x-forwarded-port')
  if (!port || port === '80' || port === '443') return forwarded
  return `${forwarded.replace(/:\d+$/, '')}:${port}`
}

function bodyHash(method: string, { presigned, contentHash }: Signature): string {
  if (presigned && method === 'GET') return 'UNSIGNED-PAYLOAD'
  return contentHash ?? 'UNSIGNED-PAYLOAD'
}

/** Clients sign what they send, but some sign the encoded form and a library then sends it less encoded. */
const normalizedPath = (path: string): string =>
  path
    .split('/')
    .map((segment) => encode(decodeURIComponent(segment)))
    .join('/')

/** RFC 3986, which escapes more characters than JavaScript. */
const encode = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

function equal(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}
