import { createHash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import { execute, queryRow, queryRows } from '../../database/db.ts'
import { identifier, join, sql } from '../../kernel/sql.ts'
import type { Queryable } from '../models/auth-db.ts'

/** An app that signs users in through this project. Like upstream, lists are stored comma-separated. */
export type OAuthClient = {
  readonly id: string
  readonly client_secret_hash: string | null
  readonly registration_type: 'dynamic' | 'manual'
  readonly redirect_uris: string
  readonly grant_types: string
  readonly client_name: string | null
  readonly client_uri: string | null
  readonly logo_uri: string | null
  readonly client_type: ClientType
  readonly token_endpoint_auth_method: AuthMethod
  readonly created_at: Date
  readonly updated_at: Date
}

export type ClientType = 'public' | 'confidential'

export type AuthMethod = 'none' | 'client_secret_basic' | 'client_secret_post'

const COLUMNS = sql`id, client_secret_hash, registration_type, redirect_uris, grant_types, client_name, client_uri,
  logo_uri, client_type, token_endpoint_auth_method, created_at, updated_at`

/** Returns a client, unless deleted. */
export async function findClient(db: Queryable, id: string): Promise<OAuthClient | null> {
  return queryRow<OAuthClient>(db)`select ${COLUMNS} from auth.oauth_clients where id = ${id} and deleted_at is null`
}

export async function listClients(db: Queryable): Promise<OAuthClient[]> {
  return queryRows<OAuthClient>(db)`select ${COLUMNS} from auth.oauth_clients where deleted_at is null
    order by created_at desc, id`
}

export type NewClient = Omit<OAuthClient, 'id' | 'created_at' | 'updated_at'>

export async function insertClient(db: Queryable, client: NewClient, now: Date): Promise<OAuthClient> {
  const row = { ...client, id: randomUUID(), created_at: now, updated_at: now }
  const entries = Object.entries(row)
  await execute(db)`insert into auth.oauth_clients (${join(entries.map(([name]) => identifier(name)))})
    values (${join(entries.map(([, value]) => sql`${value}`))})`
  return row
}

export async function updateClient(
  db: Queryable,
  id: string,
  patch: Partial<NewClient> & { readonly deleted_at?: Date },
  now: Date,
): Promise<void> {
  const changes = Object.entries({ ...patch, updated_at: now }).map(
    ([name, value]) => sql`${identifier(name)} = ${value}`,
  )
  await execute(db)`update auth.oauth_clients set ${join(changes)} where id = ${id}`
}

export const listOf = (stored: string): string[] => (stored === '' ? [] : stored.split(','))

/** Shown once; only its hash is stored. */
export const newClientSecret = (): string => randomBytes(32).toString('base64url')

export const hashClientSecret = (secret: string): string => createHash('sha256').update(secret).digest('base64url')

export function clientSecretMatches(secret: string, stored: string): boolean {
  const expected = Buffer.from(stored)
  const actual = Buffer.from(hashClientSecret(secret))
  return expected.length === actual.length && timingSafeEqual(expected, actual)
}

export function presentClient(client: OAuthClient, secret: string | null = null) {
  return {
    client_id: client.id,
    ...(secret ? { client_secret: secret } : {}),
    client_type: client.client_type,
    redirect_uris: listOf(client.redirect_uris),
    token_endpoint_auth_method: client.token_endpoint_auth_method,
    grant_types: listOf(client.grant_types),
    response_types: ['code'],
    ...(client.client_name ? { client_name: client.client_name } : {}),
    ...(client.client_uri ? { client_uri: client.client_uri } : {}),
    ...(client.logo_uri ? { logo_uri: client.logo_uri } : {}),
    registration_type: client.registration_type,
    created_at: client.created_at,
    updated_at: client.updated_at,
  }
}

/** Returns what the consent page shows of a client. */
export function presentClientForConsent({ id, client_name, client_uri, logo_uri }: OAuthClient) {
  return {
    id,
    ...(client_name ? { name: client_name } : {}),
    ...(client_uri ? { uri: client_uri } : {}),
    ...(logo_uri ? { logo_uri } : {}),
  }
}
