import { execute, queryRow } from '../../database/db.ts'
import { type Sql, sql } from '../../kernel/sql.ts'
import type { Queryable } from './auth-db.ts'
import { INSTANCE_ID } from './users.ts'

export type RefreshToken = {
  readonly id: string
  readonly token: string
  readonly user_id: string
  readonly parent: string
  readonly session_id: string | null
  readonly revoked: boolean
  readonly updated_at: Date
}

const COLUMNS = sql`id, token, user_id, coalesce(parent, '') as parent, session_id, coalesce(revoked, false) as revoked,
  coalesce(updated_at, 'epoch') as updated_at`

/** Returns the statement that reads a token, to batch with others. */
export const selectRefreshToken = (token: string): Sql =>
  sql`select ${COLUMNS} from auth.refresh_tokens where token = ${token} limit 1`

/** Locks the token, so that parallel refreshes run one after the other. */
export async function lockRefreshToken(tx: Queryable, token: string): Promise<RefreshToken | null> {
  return queryRow<RefreshToken>(tx)`${selectRefreshToken(token)} for update`
}

/** Returns the session's newest valid token. */
export async function findActiveToken(db: Queryable, sessionId: string): Promise<RefreshToken | null> {
  return queryRow<RefreshToken>(db)`select ${COLUMNS} from auth.refresh_tokens
    where session_id = ${sessionId} and revoked is false order by id desc limit 1`
}

export type NewRefreshToken = {
  readonly token: string
  readonly userId: string
  readonly sessionId: string
  /** The token that it replaces; empty for a session's first. */
  readonly parent: string
}

export async function insertRefreshToken(db: Queryable, given: NewRefreshToken, now: Date): Promise<void> {
  await execute(db)`insert into auth.refresh_tokens
    (instance_id, token, user_id, parent, session_id, revoked, created_at, updated_at)
    values (${INSTANCE_ID}, ${given.token}, ${given.userId}, ${given.parent || null}, ${given.sessionId}, false,
      ${now}, ${now})`
}

export async function revokeToken(db: Queryable, id: string, now: Date): Promise<void> {
  await execute(db)`update auth.refresh_tokens set revoked = true, updated_at = ${now} where id = ${id}::bigint`
}

/** Revokes all of the session's tokens, after one was reused outside the reuse interval. */
export async function revokeFamily(db: Queryable, sessionId: string, now: Date): Promise<void> {
  await execute(db)`update auth.refresh_tokens set revoked = true, updated_at = ${now}
    where session_id = ${sessionId} and revoked is false`
}
