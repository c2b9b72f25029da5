import { storageError } from '../errors.ts'

export type Signature = {
  readonly accessKey: string
  /** YYYYMMDD, the first part of the scope. */
  readonly day: string
  readonly region: string
  readonly service: string
  /** Lower-case hexadecimal. */
  readonly value: string
  readonly signedHeaders: readonly string[]
  /** YYYYMMDDTHHMMSSZ. */
  readonly date: string
  /** The body's hash, or the word that replaces it. */
  readonly contentHash: string | undefined
  readonly sessionToken: string | undefined
  /** Whether it came in the URL, which is then the whole credential. */
  readonly presigned: boolean
}

export const SCHEME = 'AWS4-HMAC-SHA256'

/** Finds the signature in the Authorization header or a presigned URL's query.
 *  @throws {StorageError} AccessDenied, InvalidSignature, RequestTimeTooSkewed, ExpiredToken,
 *  AuthorizationQueryParametersError
 *  @see storage-api src/storage/protocols/s3/signature-v4.ts */
export function readSignature(request: Request, query: URLSearchParams, now: Date): Signature {
  const authorization = request.headers.get('authorization')
  // A presigned URL may come with an unrelated Authorization header.
  if (authorization?.startsWith(`${SCHEME} `)) return fromHeader(authorization, request.headers, now)
  if (query.has('X-Amz-Credential')) return fromQuery(query, now)
  throw storageError('AccessDenied', { message: 'Missing signature' })
}

function fromHeader(authorization: string, headers: Headers, now: Date): Signature {
  const parts = new Map(
    authorization
      .slice(SCHEME.length)
      .split(',')
      .map((part) => {
        const separator = part.indexOf('=')
        return [part.slice(0, separator).trim(), part.slice(separator + 1).trim()] as const
      }),
  )
  const signature = build({
    credential: parts.get('Credential'),
    value: parts.get('Signature'),
    signedHeaders: parts.get('SignedHeaders'),
    date: headers.get('x-amz-date'),
    contentHash: headers.get('x-amz-content-sha256'),
    sessionToken: headers.get('x-amz-security-token'),
    presigned: false,
  })
  const signedAt = timeOf(signature)
  // A test may have changed the stack's clock; its client uses the machine's.
  const isNear = [now, new Date()].some((time) => Math.abs(time.getTime() - signedAt) <= MAX_SKEW_MS)
  if (!isNear) throw storageError('RequestTimeTooSkewed')
  return signature
}

function fromQuery(query: URLSearchParams, now: Date): Signature {
  const signature = build({
    credential: query.get('X-Amz-Credential'),
    value: query.get('X-Amz-Signature'),
    signedHeaders: query.get('X-Amz-SignedHeaders'),
    date: query.get('X-Amz-Date'),
    contentHash: query.get('X-Amz-Content-Sha256'),
    sessionToken: query.get('X-Amz-Security-Token'),
    presigned: true,
  })
  checkValidity(timeOf(signature), query.get('X-Amz-Expires'), now)
  return signature
}

/** Reads the signature from a browser's form, where a POST policy replaces the canonical request.
 *  @param fields By lower-case names. */
export function fromFields(fields: ReadonlyMap<string, string>): Signature {
  return build({
    credential: fields.get('x-amz-credential'),
    value: fields.get('x-amz-signature'),
    signedHeaders: '',
    date: fields.get('x-amz-date'),
    contentHash: undefined,
    sessionToken: fields.get('x-amz-security-token'),
    presigned: true,
  })
}

type Parts = Record<'credential' | 'value' | 'signedHeaders' | 'date' | 'contentHash' | 'sessionToken', Part> & {
  presigned: boolean
}
type Part = string | null | undefined

function build({ credential, value, signedHeaders, date, contentHash, sessionToken, presigned }: Parts): Signature {
  if (credential == null || !value || signedHeaders == null || !date) {
    throw storageError('InvalidSignature', { message: 'Invalid signature format' })
  }
  const [accessKey, day, region, service, ...rest] = credential.split('/')
  if (accessKey === undefined || !day || region === undefined || service === undefined || rest.length !== 1) {
    throw storageError('InvalidSignature', { message: 'Invalid credentials' })
  }
  return {
    accessKey,
    day,
    region,
    service,
    value,
    signedHeaders: signedHeaders === '' ? [] : signedHeaders.split(';'),
    date,
    contentHash: contentHash ?? undefined,
    sessionToken: sessionToken ?? undefined,
    presigned,
  }
}

/** S3's limits on a client's clock (milliseconds) and a presigned URL's lifetime (seconds). Upstream has none.
 *  @see https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html */
const MAX_SKEW_MS = 15 * 60 * 1000
const MAX_VALIDITY_SECONDS = 7 * 24 * 60 * 60

const DATE = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/

/** Returns the signing time in milliseconds. @throws {StorageError} InvalidSignature if invalid or of another day */
function timeOf({ date, day }: Signature): number {
  const time = DATE.test(date) ? Date.parse(date.replace(DATE, '$1-$2-$3T$4:$5:$6Z')) : Number.NaN
  if (Number.isNaN(time) || !date.startsWith(`${day}T`))
    throw storageError('InvalidSignature', { message: 'Invalid date' })
  return time
}

function checkValidity(signedAt: number, expires: string | null, now: Date): void {
  if (expires === null) throw storageError('AuthorizationQueryParametersError')
  if (!/^\d+$/.test(expires)) throw storageError('InvalidSignature', { message: 'Invalid expiration' })
  const seconds = Number(expires)
  if (seconds > MAX_VALIDITY_SECONDS)
    throw storageError('AuthorizationQueryParametersError', {
      message: `X-Amz-Expires must be less than a week (in seconds) that is ${MAX_VALIDITY_SECONDS}`,
    })
  if (signedAt > Math.max(now.getTime(), Date.now()) + MAX_SKEW_MS)
    throw storageError('AccessDenied', { message: 'Request is not valid yet' })
  if (signedAt + seconds * 1000 < now.getTime()) throw storageError('ExpiredToken')
}

/** A presigned upload URL must not be used for a copy, which reads with the signer's rights.
 *  @throws {StorageError} AccessDenied, like S3 for each of its headers that isn't signed */
export function refuseUnsigned(headers: Headers, { signedHeaders }: Signature): void {
  const signed = new Set(signedHeaders.map((name) => name.toLowerCase()))
  const unsigned = [...headers.keys()].filter((name) => name.startsWith('x-amz-copy-source') && !signed.has(name))
  if (unsigned.length > 0)
    throw storageError('AccessDenied', {
      message: `There were headers present in the request which were not signed: ${unsigned.join(', ')}`,
    })
}
