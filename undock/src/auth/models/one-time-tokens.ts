import { randomUUID } from 'node:crypto'
import { execute, queryRows } from '../../database/db.ts'
import { sql } from '../../kernel/sql.ts'
import type { Queryable } from './auth-db.ts'
import type { User } from './user.ts'
import { findUser, idIs } from './users.ts'

export type OneTimeTokenType =
  | 'confirmation_token'
  | 'reauthentication_token'
  | 'recovery_token'
  | 'email_change_token_new'
  | 'email_change_token_current'
  | 'phone_change_token'

export type NewOneTimeToken = {
  readonly userId: string
  readonly type: OneTimeTokenType
  readonly hash: string
  readonly relatesTo: string
}

/** Saves a token, replacing the user's previous one of this type. */
export async function saveOneTimeToken(
  db: Queryable,
  { userId, type, hash, relatesTo }: NewOneTimeToken,
  now: Date,
): Promise<void> {
  // The columns have no time zone; upstream writes UTC.
  const at = now.toISOString().slice(0, -1)
  await execute(db)`insert into auth.one_time_tokens (id, user_id, token_type, token_hash, relates_to, created_at,
    updated_at)
    values (${randomUUID()}, ${userId}, ${type}::auth.one_time_token_type, ${hash}, ${relatesTo.toLowerCase()},
      ${at}::timestamp, ${at}::timestamp)
    on conflict (user_id, token_type) do update set id = excluded.id, token_hash = excluded.token_hash,
      relates_to = excluded.relates_to, created_at = excluded.created_at, updated_at = excluded.updated_at`
}

export async function clearOneTimeTokens(db: Queryable, userId: string, type?: OneTimeTokenType): Promise<void> {
  const ofType = type ? sql`and token_type = ${type}::auth.one_time_token_type` : sql``
  await execute(db)`delete from auth.one_time_tokens where user_id = ${userId} ${ofType}`
}

/** Returns the user a token was sent to. Locks the user first, as redeeming a code does, so that of two parallel redemptions
 *  the second finds the token gone. */
export async function findUserByToken(
  tx: Queryable,
  hashes: readonly string[],
  types: readonly OneTimeTokenType[],
): Promise<User | null> {
  const find = () => queryRows<{ user_id: string }>(tx)`select user_id from auth.one_time_tokens
    where token_hash = any(${hashes}::text[]) and token_type = any(${types}::text[]::auth.one_time_token_type[]) limit 1`
  const [token] = await find()
  const user = token ? await findUser(tx, idIs(token.user_id), { lock: true }) : null
  return (await find()).length > 0 ? user : null
}
