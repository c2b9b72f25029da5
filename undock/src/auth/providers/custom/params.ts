import { z } from 'zod'
import { object, text } from '../../models/params.ts'
import type { CustomProvider, ProviderType } from './custom-providers.ts'

const texts = z.array(z.string()).nullish()
const maybe = z.boolean().nullish()

export const CustomProviderBody = z.object({
  provider_type: text,
  identifier: text,
  name: text,
  client_id: text,
  client_secret: text,
  acceptable_client_ids: texts,
  scopes: texts,
  pkce_enabled: maybe,
  attribute_mapping: object.nullish(),
  custom_claims_allowlist: texts,
  authorization_params: object.nullish(),
  enabled: maybe,
  email_optional: maybe,
  issuer: text,
  discovery_url: text,
  skip_nonce_check: maybe,
  authorization_url: text,
  token_url: text,
  userinfo_url: text,
  jwks_uri: text,
})
export type CustomProviderBody = z.infer<typeof CustomProviderBody>

const RESERVED = new Set(
  'client_id client_secret redirect_uri response_type state code_challenge code_challenge_method code_verifier nonce'.split(
    ' ',
  ),
)

const PROTECTED = new Set(
  `id aud role app_metadata created_at updated_at confirmed_at email_confirmed_at phone_confirmed_at email_verified
  phone_verified banned_until is_super_admin`.split(/\s+/),
)

/** Returns what's wrong with a new provider, in upstream's order, or null. */
export function creationFault(body: CustomProviderBody): string | null {
  const { provider_type: type } = body
  if (type !== 'oauth2' && type !== 'oidc') return "provider_type must be either 'oauth2' or 'oidc'"
  if (body.identifier === '') return 'identifier is required'
  const required = ['name', 'client_id', 'client_secret'] as const
  const fault = identifierFault(body.identifier) ?? missing(body, required)
  if (fault) return fault
  if (type === 'oidc' && body.issuer === '') return 'issuer is required for OIDC providers'
  const endpoint = missing(body, type === 'oauth2' ? ['authorization_url', 'token_url', 'userinfo_url'] : [])
  return endpoint ? `${endpoint} for OAuth2 providers` : (contentFault(body) ?? shapeFault(body))
}

const missing = (body: CustomProviderBody, names: readonly (keyof CustomProviderBody)[]): string | null => {
  const name = names.find((one) => body[one] === '')
  return name ? `${name} is required` : null
}

export function identifierFault(identifier: string): string | null {
  return identifier.startsWith('custom:')
    ? null
    : `identifier must start with 'custom:' prefix, e.g. 'custom:${identifier}'`
}

/** Returns what's wrong with the authorization parameters, the mapping or the listed claims. */
export function contentFault(body: CustomProviderBody): string | null {
  for (const [name, value] of Object.entries(body.authorization_params ?? {})) {
    if (RESERVED.has(name)) return `Cannot override reserved OAuth parameter: ${name}`
    if (typeof value !== 'string') return `Authorization parameter ${JSON.stringify(name)} must be a string`
  }
  const target = Object.keys(body.attribute_mapping ?? {}).find((name) => PROTECTED.has(name))
  if (target) return `Cannot map to protected system field: ${target}`
  const isBlank = (body.custom_claims_allowlist ?? []).some((claim) => claim.trim() === '')
  return isBlank ? 'custom_claims_allowlist entries must be non-empty strings' : null
}

/** Returns what the table would refuse; upstream answers 500 in these cases. */
export function shapeFault({ identifier, name, client_id: id }: CustomProviderBody): string | null {
  if (identifier !== '' && !/^[a-z0-9][a-z0-9:-]{0,48}[a-z0-9]$/.test(identifier)) {
    return 'identifier may hold up to 50 lower-case letters, digits, colons and hyphens'
  }
  if ([...name].length > 100) return 'name cannot exceed 100 characters'
  return [...id].length > 512 ? 'client_id cannot exceed 512 characters' : null
}

const NOTHING = {
  acceptable_client_ids: [],
  scopes: [],
  pkce_enabled: true,
  attribute_mapping: {},
  custom_claims_allowlist: [],
  authorization_params: {},
  enabled: true,
  email_optional: false,
  skip_nonce_check: false,
  name: '',
  client_id: '',
  client_secret: '',
  issuer: null,
  discovery_url: null,
  authorization_url: null,
  token_url: null,
  userinfo_url: null,
  jwks_uri: null,
}

type Settings = Pick<CustomProvider, keyof typeof NOTHING>

/** Applies a body to the previous settings: missing and empty fields are unchanged. */
export function settingsOf(type: ProviderType, body: CustomProviderBody, before: Settings = NOTHING): Settings {
  const scopes = body.scopes ?? before.scopes
  const isOidc = type === 'oidc'
  const endpoint = (name: 'authorization_url' | 'token_url' | 'userinfo_url' | 'jwks_uri') =>
    isOidc ? null : body[name] || before[name]
  return {
    name: body.name || before.name,
    client_id: body.client_id || before.client_id,
    client_secret: body.client_secret || before.client_secret,
    acceptable_client_ids: body.acceptable_client_ids ?? before.acceptable_client_ids,
    scopes: isOidc && !scopes.includes('openid') ? ['openid', ...scopes] : scopes,
    pkce_enabled: body.pkce_enabled ?? before.pkce_enabled,
    attribute_mapping: body.attribute_mapping ?? before.attribute_mapping,
    custom_claims_allowlist: body.custom_claims_allowlist ?? before.custom_claims_allowlist,
    authorization_params: body.authorization_params ?? before.authorization_params,
    enabled: body.enabled ?? before.enabled,
    email_optional: body.email_optional ?? before.email_optional,
    skip_nonce_check: isOidc ? (body.skip_nonce_check ?? before.skip_nonce_check) : false,
    issuer: isOidc ? body.issuer || before.issuer : null,
    discovery_url: isOidc ? body.discovery_url || before.discovery_url : null,
    authorization_url: endpoint('authorization_url'),
    token_url: endpoint('token_url'),
    userinfo_url: endpoint('userinfo_url'),
    jwks_uri: endpoint('jwks_uri'),
  }
}

/** Returns the URLs that a provider of this type uses. */
export function urlsOf(type: ProviderType, body: CustomProviderBody): string[] {
  const named =
    type === 'oidc'
      ? [body.issuer, body.discovery_url]
      : [body.authorization_url, body.token_url, body.userinfo_url, body.jwks_uri]
  return named.filter((url) => url !== '')
}
