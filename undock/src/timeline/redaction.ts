import type { TracedWork } from '../kernel/tracer.ts'
import { splitUrl } from '../kernel/url.ts'

/** Replaces hidden values. */
export const HIDDEN = '…'

/** Query parameters that contain keys, tokens, codes or signatures. */
const SECRET_PARAMETER = /key|token|secret|password|signature|credential|code|verifier|jwt|state/i
/** The Data API's filters compare columns of any name, so their values may also be secrets. */
const SECRET_COLUMN = /apikey|token|secret|password|passwd|credential/i

/** Headers that describe a request and never contain secrets. */
const KEPT_HEADERS = [
  'accept',
  'accept-profile',
  'content-profile',
  'content-length',
  'content-type',
  'origin',
  'prefer',
  'range',
  'user-agent',
  'x-client-info',
  'x-upsert',
]

/** Returns a request's path and query without secrets. @param service The Data API's filters are kept. */
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

/** Returns an external call's URL without query, user name and password. */
export function readableAddress(url: string): string {
  try {
    const { origin, pathname } = new URL(url)
    return `${origin}${pathname}`
  } catch {
    return HIDDEN
  }
}

export function keptHeaders(headers: Headers): Record<string, string> {
  const selected: Record<string, string> = {}
  for (const name of KEPT_HEADERS) {
    const value = headers.get(name)
    if (value !== null) selected[name] = value
  }
  return selected
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Formats a statement's parameter: numbers, booleans, dates and ids unchanged; of others, type and length. */
export function describeParameter(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'string') return UUID.test(value) ? value : `text of ${value.length} characters`
  if (value instanceof Uint8Array) return `${value.byteLength} bytes`
  if (Array.isArray(value)) return `array of ${value.length}`
  return 'JSON'
}

/** Claims that identify a person. `user_metadata` and custom claims can contain anything. */
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
export const readableMailAddress = (address: string): string =>
  address.replace(/(?<![^\s<@])([^\s<@])[^\s<@]*@/, `$1${HIDDEN}@`)

/** Fields with passwords, tokens, keys, one-time codes or signatures. */
const SECRET_FIELD =
  /passw|passphrase|secret|token|api_?key|private_?key|service_?key|credential|signature|verifier|jwt|otp|nonce|cookie|authorization|recovery_codes|qr_code|^(?:code|pin)$/i
/** For columns of any name: fewer words than above, because `code` is rarely a secret there. */
const SECRET_COLUMN_FIELD = /apikey|api_key|token|secret|passw|credential/i
/** Keys and tokens recognizable by their format anywhere, and URLs that contain one. */
const SECRET_VALUE =
  /eyJ[\w-]{10,2000}\.[\w-]+|\b(?:sb_(?:secret|publishable)|sbp|sk|pk|rk|ghp|gho|whsec)_[\w+/=-]{8,}|\bBearer\s+\S|-----BEGIN [A-Z ]*PRIVATE KEY|otpauth:\/\/|\/\/[^/\s:@]+:[^/\s@]+@|[?&#][\w-]*(?:token|apikey|signature|credential|secret|password|code)=/i

type Hidden = { readonly text: string; readonly hidden: string[] }

/** Replaces secrets in JSON; null if it isn't JSON. Keeps the formatting of text without secrets.
 *  @param service Bodies of the Data API are rows. */
export function hideJsonSecrets(text: string, service: string): Hidden | null {
  const hidden: string[] = []
  const secret = service === 'rest' ? SECRET_COLUMN_FIELD : SECRET_FIELD
  try {
    const value = hideIn(JSON.parse(text), '', { hidden, secret, depth: 0 })
    return { text: hidden.length === 0 ? text : JSON.stringify(value), hidden }
  } catch {
    return null
  }
}

const MAX_DEPTH = 100

type Hiding = { readonly hidden: string[]; readonly secret: RegExp; readonly depth: number }

/** @throws {RangeError} for JSON that is nested too deeply to parse. */
function hideIn(value: unknown, path: string, hiding: Hiding): unknown {
  const { hidden, secret, depth } = hiding
  if (depth > MAX_DEPTH) throw new RangeError('Nested too deeply')
  const below = { hidden, secret, depth: depth + 1 }
  const inside = (name: string) => (path === '' ? name : `${path}.${name}`)
  if (typeof value === 'string' && SECRET_VALUE.test(value)) {
    hidden.push(path)
    return HIDDEN
  }
  if (Array.isArray(value)) return value.map((one, index) => hideIn(one, inside(String(index)), below))
  if (typeof value !== 'object' || value === null) return value
  // An error's code isn't secret.
  const isError = 'message' in value || 'msg' in value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => {
      if (SECRET_VALUE.test(name)) {
        hidden.push(inside(HIDDEN))
        return [HIDDEN, HIDDEN]
      }
      const isEmpty = one === null || one === '' || typeof one === 'boolean'
      if (isEmpty || !secret.test(name) || (isError && name.endsWith('code')))
        return [name, hideIn(one, inside(name), below)]
      hidden.push(inside(name))
      return [name, HIDDEN]
    }),
  )
}

/** Replaces secrets in a form (`a=1&b=2`). */
export function hideFormSecrets(text: string): Hidden {
  const hidden: string[] = []
  const fields = [...new URLSearchParams(text)].map(([name, value]): [string, string] => {
    if (value === '' || !(SECRET_FIELD.test(name) || SECRET_VALUE.test(value))) return [name, value]
    hidden.push(name)
    return [name, HIDDEN]
  })
  return { text: hidden.length === 0 ? text : new URLSearchParams(fields).toString(), hidden }
}

/** Removes secrets from a service's description of its work. */
export function readableWork(work: TracedWork): TracedWork {
  switch (work.kind) {
    case 'hook':
      return /^https?:/i.test(work.target) ? { ...work, target: readableAddress(work.target) } : work
    case 'join':
      return { ...work, verdict: work.verdict.replace(SECRET_WORD, HIDDEN) }
    default:
      return work
  }
}

const SECRET_WORD = /eyJ[\w.-]+|sb_(?:secret|publishable)_\S+/g
