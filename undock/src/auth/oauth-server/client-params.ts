import { isIP } from 'node:net'
import { z } from 'zod'
import { text } from '../models/params.ts'
import type { AuthMethod, ClientType } from './clients.ts'

export const SCOPES = ['openid', 'profile', 'email', 'phone', 'offline_access'] as const

export const scopesOf = (list: string): string[] => list.split(/\s+/).filter((scope) => scope !== '')

export const coversScopes = (granted: string, asked: string): boolean =>
  scopesOf(asked).every((scope) => scopesOf(granted).includes(scope))

const texts = z.array(z.string()).nullish()

export const RegisterClient = z.object({
  redirect_uris: texts,
  client_type: text,
  token_endpoint_auth_method: text,
  grant_types: texts,
  client_name: text,
  client_uri: text,
  logo_uri: text,
})
export type RegisterClient = z.infer<typeof RegisterClient>

/** Missing and null properties are unchanged. */
export const UpdateClient = z.object({
  redirect_uris: texts,
  grant_types: texts,
  client_name: z.string().nullish(),
  client_uri: z.string().nullish(),
  logo_uri: z.string().nullish(),
  token_endpoint_auth_method: z.string().nullish(),
})
export type UpdateClient = z.infer<typeof UpdateClient>

const AUTH_METHODS: readonly AuthMethod[] = ['none', 'client_secret_basic', 'client_secret_post']

export const typeOfMethod = (method: string): ClientType => (method === 'none' ? 'public' : 'confidential')

/** Returns what's wrong with a registration, in upstream's order, or null.
 *  @see supabase/auth internal/api/oauthserver/service.go */
export function registrationFault(params: RegisterClient): string | null {
  const { client_type: type, token_endpoint_auth_method: method } = params
  const uris = params.redirect_uris ?? []
  if (uris.length === 0) return 'redirect_uris is required'
  const fault = redirectsFault(uris) ?? grantsFault(params.grant_types) ?? detailsFault(params)
  if (fault) return fault
  if (!['', 'public', 'confidential'].includes(type)) return "client_type must be 'public' or 'confidential'"
  if (method !== '' && !AUTH_METHODS.some((one) => one === method)) {
    return `token_endpoint_auth_method must be one of: [${AUTH_METHODS.join(' ')}]`
  }
  const expected = typeOfMethod(method)
  return type !== '' && method !== '' && type !== expected
    ? `client_type '${type}' is inconsistent with token_endpoint_auth_method '${method}' (expected client_type '${expected}')`
    : null
}

export function updateFault(params: UpdateClient, type: ClientType): string | null {
  const { redirect_uris: uris, grant_types: grants, token_endpoint_auth_method: method } = params
  const fault =
    (uris ? redirectsFault(uris) : null) ??
    (grants ? (grants.length === 0 ? 'grant_types cannot be empty' : grantsFault(grants)) : null) ??
    detailsFault(params)
  if (fault) return fault
  if (method === null || method === undefined) return null
  if (!AUTH_METHODS.some((one) => one === method)) {
    return `invalid token_endpoint_auth_method: must be one of [${AUTH_METHODS.join(' ')}]`
  }
  const valid = AUTH_METHODS.filter((one) => typeOfMethod(one) === type)
  return typeOfMethod(method) === type
    ? null
    : `token_endpoint_auth_method '${method}' is not valid for client_type '${type}'; valid methods: [${valid.join(' ')}]`
}

function redirectsFault(uris: readonly string[]): string | null {
  if (uris.length === 0) return 'redirect_uris cannot be empty'
  if (uris.length > 10) return 'redirect_uris cannot exceed 10 items'
  for (const uri of uris) {
    const fault = redirectFault(uri)
    if (fault) return `invalid redirect_uri '${uri}': ${fault}`
  }
  return null
}

/** Schemes that run code or read data in the page after the redirect. */
const DANGEROUS = new Set(['javascript:', 'data:', 'file:', 'vbscript:', 'about:', 'blob:'])

function redirectFault(uri: string): string | null {
  if (uri === '') return 'redirect URI cannot be empty'
  // Parsers of URLs remove some of these silently and read others as a slash, so that each would see another address. The
  // list is stored separated by commas: a URI that contains one would be read as two.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[\u0000-\u0020\u007f-\u009f\\,]|\s/.test(uri)) return 'invalid URL format'
  const url = URL.parse(uri)
  if (url && DANGEROUS.has(url.protocol))
    return `scheme '${url.protocol.slice(0, -1)}' is not allowed for security reasons`
  if (!url || url.host === '') return 'must have scheme and host'
  if (url.username !== '' || url.password !== '') return 'user name and password not allowed in redirect URI'
  if (!hasPlainHost(uri, url)) return 'the host may contain only letters, digits, dots, hyphens and underscores'
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  if (url.protocol === 'http:' && !isLocal) return 'HTTP scheme only allowed for localhost'
  return uri.includes('#') ? 'fragment not allowed in redirect URI' : null
}

/** Returns whether the host is an IPv6 address, or has no wildcards and no characters that browsers convert to others. */
function hasPlainHost(uri: string, { hostname }: URL): boolean {
  const [, written = ''] = /^[^:]+:\/\/(\[[^\]]*\]|[^/?#:]*)/.exec(uri) ?? []
  if (written.startsWith('[')) return isIP(written.slice(1, -1)) === 6
  return /^[a-z0-9._-]+$/i.test(written) && written.toLowerCase() === hostname.toLowerCase()
}

function grantsFault(grants: readonly string[] | null | undefined): string | null {
  const isKnown = (grant: string) => grant === 'authorization_code' || grant === 'refresh_token'
  return (grants ?? []).every(isKnown)
    ? null
    : "grant_types must only contain 'authorization_code' and/or 'refresh_token'"
}

type Details = Pick<UpdateClient, 'client_name' | 'client_uri' | 'logo_uri'>

function detailsFault({ client_name: name, client_uri, logo_uri }: Details): string | null {
  if (Buffer.byteLength(name ?? '') > 1024) return 'client_name cannot exceed 1024 characters'
  for (const [field, uri] of Object.entries({ client_uri, logo_uri })) {
    if (!uri) continue
    if (Buffer.byteLength(uri) > 2048) return `${field} cannot exceed 2048 characters`
    // The consent page shows this URI, and anyone who may register can set it. Upstream also accepts script URLs.
    const url = URL.parse(uri)
    if (url ? DANGEROUS.has(url.protocol) : !uri.startsWith('/')) return `${field} must be a valid URL`
  }
  return null
}
