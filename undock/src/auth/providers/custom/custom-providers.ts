import { execute, queryRow, queryRows } from '../../../database/db.ts'
import { identifier, join, sql } from '../../../kernel/sql.ts'
import type { Queryable } from '../../models/auth-db.ts'
import type { Json } from '../../models/params.ts'
import { identityClaims, oidcProfile, type Profile } from '../profile.ts'

export type CustomProvider = {
  readonly id: string
  readonly provider_type: ProviderType
  readonly identifier: string
  readonly name: string
  readonly client_id: string
  readonly client_secret: string
  readonly acceptable_client_ids: string[]
  readonly scopes: string[]
  readonly pkce_enabled: boolean
  readonly attribute_mapping: Json
  readonly custom_claims_allowlist: string[]
  readonly authorization_params: Json
  readonly enabled: boolean
  readonly email_optional: boolean
  readonly issuer: string | null
  readonly discovery_url: string | null
  readonly skip_nonce_check: boolean
  readonly cached_discovery: Json | null
  readonly discovery_cached_at: Date | null
  readonly authorization_url: string | null
  readonly token_url: string | null
  readonly userinfo_url: string | null
  readonly jwks_uri: string | null
  readonly created_at: Date
  readonly updated_at: Date
}

export type ProviderType = 'oauth2' | 'oidc'

const COLUMNS = sql`id, provider_type, identifier, name, client_id, client_secret, acceptable_client_ids, scopes,
  pkce_enabled, attribute_mapping, custom_claims_allowlist, authorization_params, enabled, email_optional, issuer,
  discovery_url, skip_nonce_check, cached_discovery, discovery_cached_at, authorization_url, token_url, userinfo_url,
  jwks_uri, created_at, updated_at`

export async function listCustomProviders(db: Queryable, type: ProviderType | null): Promise<CustomProvider[]> {
  return queryRows<CustomProvider>(db)`select ${COLUMNS} from auth.custom_oauth_providers
    where provider_type = coalesce(${type}::text, provider_type) order by created_at desc, id`
}

/** @param name Includes the prefix `custom:`. */
export async function findCustomProvider(db: Queryable, name: string): Promise<CustomProvider | null> {
  return queryRow<CustomProvider>(db)`select ${COLUMNS} from auth.custom_oauth_providers where identifier = ${name}`
}

export async function insertCustomProvider(db: Queryable, provider: CustomProvider): Promise<void> {
  const entries = Object.entries(provider)
  await execute(db)`insert into auth.custom_oauth_providers (${join(entries.map(([name]) => identifier(name)))})
    values (${join(entries.map(([, value]) => sql`${value}`))})`
}

export async function updateCustomProvider(
  db: Queryable,
  { id, created_at: _, ...row }: CustomProvider,
): Promise<void> {
  const changes = Object.entries(row).map(([name, value]) => sql`${identifier(name)} = ${value}`)
  await execute(db)`update auth.custom_oauth_providers set ${join(changes)} where id = ${id}`
}

export async function deleteCustomProvider(db: Queryable, id: string): Promise<void> {
  await execute(db)`delete from auth.custom_oauth_providers where id = ${id}`
}

/** Returns what admins see: everything except the secret. */
export function presentCustomProvider(provider: CustomProvider): Json {
  const { client_secret: _secret, discovery_cached_at: _at, cached_discovery, ...shown } = provider
  const optional = { ...shown, discovery_document: cached_discovery }
  return Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== null))
}

/** Makes a profile from raw claims: copies listed ones, then maps claims from others (by name) or to fixed values.
 *  @see supabase/auth internal/api/provider/custom_oauth.go */
export function mappedProfile(
  raw: Json,
  iss: string,
  { custom_claims_allowlist: allowed, attribute_mapping: mapping }: CustomProvider,
): Profile {
  const custom = Object.fromEntries(allowed.flatMap((name) => (Object.hasOwn(raw, name) ? [[name, raw[name]]] : [])))
  const claims: Json = {
    ...identityClaims(raw),
    ...(Object.keys(custom).length > 0 ? { custom_claims: custom } : {}),
  }
  const mapped: Json = { ...claims }
  for (const [target, source] of Object.entries(mapping)) {
    if (typeof source !== 'string') mapped[target] = source
    else if (Object.hasOwn(claims, source)) mapped[target] = claims[source]
  }
  return oidcProfile(mapped, typeof mapped.iss === 'string' ? mapped.iss : iss)
}
