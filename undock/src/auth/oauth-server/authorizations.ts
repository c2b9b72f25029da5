import { randomInt, randomUUID } from 'node:crypto'
import { execute, queryRow } from '../../database/db.ts'
import { sql } from '../../kernel/sql.ts'
import type { Queryable } from '../models/auth-db.ts'
import type { PkceParams } from '../models/params.ts'

/** A client's request for a user's consent, and the code issued after it. */
export type Authorization = {
  readonly id: string
  readonly authorization_id: string
  readonly client_id: string
  readonly user_id: string | null
  readonly redirect_uri: string
  readonly scope: string
  readonly state: string | null
  readonly resource: string | null
  readonly code_challenge: string | null
  readonly code_challenge_method: 's256' | 'plain' | null
  readonly status: 'pending' | 'approved' | 'denied' | 'expired'
  readonly authorization_code: string | null
  readonly expires_at: Date
  readonly nonce: string | null
}

/** Seconds; upstream's default for GOTRUE_OAUTH_SERVER_AUTHORIZATION_TTL. */
const LIFETIME = 600

const COLUMNS = sql`id, authorization_id, client_id, user_id, redirect_uri, scope, state, resource, code_challenge,
  code_challenge_method, status, authorization_code, expires_at, nonce`

export type NewAuthorization = PkceParams & {
  readonly clientId: string
  readonly redirectUri: string
  readonly scope: string
  readonly state: string
  readonly resource: string
  readonly nonce: string
}

/** @returns the id that the consent page uses */
export async function insertAuthorization(db: Queryable, given: NewAuthorization, now: Date): Promise<string> {
  const authorizationId = randomName(32)
  const expires = new Date(now.getTime() + LIFETIME * 1000)
  await execute(db)`insert into auth.oauth_authorizations (id, authorization_id, client_id, redirect_uri, scope, state,
      resource, code_challenge, code_challenge_method, nonce, created_at, expires_at)
    values (${randomUUID()}, ${authorizationId}, ${given.clientId}, ${given.redirectUri}, ${given.scope},
      ${given.state || null}, ${given.resource || null}, ${given.code_challenge},
      ${given.code_challenge_method.toLowerCase()}::auth.code_challenge_method, ${given.nonce || null}, ${now}, ${expires})`
  return authorizationId
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789'

const randomName = (length: number): string =>
  Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')

/** Locks the row, so that of two concurrent decisions the second sees the first. */
export async function lockAuthorization(tx: Queryable, authorizationId: string): Promise<Authorization | null> {
  return queryRow<Authorization>(tx)`select ${COLUMNS} from auth.oauth_authorizations
    where authorization_id = ${authorizationId} limit 1 for update`
}

/** Locks the row, so that a code is exchanged only once. */
export async function lockApproved(tx: Queryable, code: string): Promise<Authorization | null> {
  return queryRow<Authorization>(tx)`select ${COLUMNS} from auth.oauth_authorizations
    where authorization_code = ${code} and status = 'approved' limit 1 for update`
}

export async function assignUser(tx: Queryable, id: string, userId: string): Promise<void> {
  await execute(tx)`update auth.oauth_authorizations set user_id = ${userId} where id = ${id}`
}

/** @returns the authorization code that the client exchanges for tokens */
export async function approve(tx: Queryable, id: string, now: Date): Promise<string> {
  const code = randomUUID()
  await execute(tx)`update auth.oauth_authorizations set status = 'approved', approved_at = ${now},
    authorization_code = ${code} where id = ${id}`
  return code
}

export async function close(tx: Queryable, id: string, status: 'denied' | 'expired'): Promise<void> {
  await execute(tx)`update auth.oauth_authorizations set status = ${status}::auth.oauth_authorization_status
    where id = ${id}`
}

export async function deleteAuthorization(tx: Queryable, id: string): Promise<void> {
  await execute(tx)`delete from auth.oauth_authorizations where id = ${id}`
}
