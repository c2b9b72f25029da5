import { splitUrl } from '../kernel/url.ts'

const HIDDEN = '…'

/** Parameters of a query that hold keys, tokens, codes or signatures. */
const SECRET_PARAMETER = /key|token|secret|password|signature|credential|code|verifier|jwt|state/i
/** Filters of the Data API compare columns of any name: their values may be secrets, too. */
const SECRET_COLUMN = /apikey|token|secret|password|passwd|credential/i

/** Headers that say how a request was meant; none of them carries a secret. */
const KEPT_HEADERS = [
  'accept-profile',
  'content-profile',
  'content-type',
  'origin',
  'prefer',
  'range',
  'user-agent',
  'x-client-info',
]

/** The path and query of a request, without secrets.
 *  @param service The query of the Data API holds filters, which are kept. */
export function readablePath(url: string, service: string): string {
  const { pathname, search } = splitUrl(url)
  if (search === '') return pathname
  const secret = service === 'rest' ? SECRET_COLUMN : SECRET_PARAMETER
  if (!secret.test(search)) return pathname + search
  const pairs = search
    .slice(1)
    .split('&')
    .map((pair) => {
      const equals = pair.indexOf('=')
      const name = equals === -1 ? pair : pair.slice(0, equals)
      return secret.test(name) ? `${name}=${HIDDEN}` : pair
    })
  return `${pathname}?${pairs.join('&')}`
}

/** The address of a call to elsewhere: no query, no user name, no password. */
export function readableAddress(url: string): string {
  try {
    const { origin, pathname } = new URL(url)
    return `${origin}${pathname}`
  } catch {
    return HIDDEN
  }
}

export function keptHeaders(headers: Headers): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const name of KEPT_HEADERS) {
    const value = headers.get(name)
    if (value !== null) kept[name] = value
  }
  return kept
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** A parameter of a statement: numbers, booleans, dates and ids as they are, of all others type and length. */
export function describeParameter(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'string') return UUID.test(value) ? value : `text of ${value.length} characters`
  if (value instanceof Uint8Array) return `${value.byteLength} bytes`
  if (Array.isArray(value)) return `array of ${value.length}`
  return 'JSON'
}

/** Claims that say who somebody is. `user_metadata` and claims of the project may hold anything. */
const KEPT_CLAIMS = [
  'sub',
  'role',
  'email',
  'aal',
  'session_id',
  'is_anonymous',
  'client_id',
  'iss',
  'exp',
  'app_metadata',
]

export const keptClaims = (claims: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(KEPT_CLAIMS.flatMap((name) => (claims[name] === undefined ? [] : [[name, claims[name]]])))

/** `ada@example.org` as `a…@example.org`. */
export const readableMailAddress = (address: string): string => address.replace(/([^\s<@])[^\s<@]*@/, `$1${HIDDEN}@`)
