import { randomUUID } from 'node:crypto'
import { execute, queryRows } from '../../database/db.ts'
import type { Queryable } from '../models/auth-db.ts'

export type Consent = {
  readonly id: string
  readonly client_id: string
  readonly scopes: string
  readonly granted_at: Date
}

/** Returns unrevoked consents, newest first. */
export async function listConsents(db: Queryable, userId: string, clientId: string | null = null): Promise<Consent[]> {
  return queryRows<Consent>(db)`select id, client_id, scopes, granted_at from auth.oauth_consents
    where user_id = ${userId} and revoked_at is null and client_id = coalesce(${clientId}::uuid, client_id)
    order by granted_at desc, id`
}

/** Saves a consent, replacing an earlier or revoked one to the same client. */
export async function saveConsent(
  tx: Queryable,
  {
    userId,
    clientId,
    scopes,
    now,
  }: { readonly userId: string; readonly clientId: string; readonly scopes: string; readonly now: Date },
) {
  await execute(tx)`insert into auth.oauth_consents (id, user_id, client_id, scopes, granted_at)
    values (${randomUUID()}, ${userId}, ${clientId}, ${scopes}, ${now})
    on conflict (user_id, client_id) do update set scopes = excluded.scopes, granted_at = excluded.granted_at,
      revoked_at = null`
}

export async function revokeConsent(tx: Queryable, id: string, now: Date): Promise<void> {
  await execute(tx)`update auth.oauth_consents set revoked_at = greatest(${now}, granted_at) where id = ${id}`
}

/** Ends the sessions; their refresh tokens are deleted too. */
export async function deleteSessionsOfClient(tx: Queryable, userId: string, clientId: string): Promise<void> {
  await execute(tx)`delete from auth.sessions where user_id = ${userId} and oauth_client_id = ${clientId}`
}
