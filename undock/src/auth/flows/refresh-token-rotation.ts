import { randomUUID } from 'node:crypto'
import { sql, statement } from '../../kernel/sql.ts'
import { newRefreshToken } from '../credentials/one-time-codes.ts'
import type { AuthDeps } from '../deps.ts'
import type { Call } from '../http/call.ts'
import { auditPayload } from '../models/audit.ts'
import { type RefreshToken, selectRefreshToken } from '../models/refresh-tokens.ts'
import { inetOf, type Session, selectSession } from '../models/sessions.ts'
import type { User } from '../models/user.ts'
import { INSTANCE_ID, selectUser } from '../models/users.ts'

export type LoadedRefreshToken = { readonly token: RefreshToken; readonly user: User; readonly session: Session | null }

/** Loads a refresh token with its user and session in one round trip, without a lock. */
export async function loadRefreshToken({ db }: AuthDeps, token: string): Promise<LoadedRefreshToken | null> {
  const of = sql`select user_id::uuid from auth.refresh_tokens where token = ${token}`
  const results = await db.run([
    statement(selectRefreshToken(token)),
    statement(selectUser(sql`u.id = (${of})`)),
    statement(selectSession(sql`s.id = (select session_id from auth.refresh_tokens where token = ${token})`)),
  ])
  const [found, user, session] = results.map(({ rows }) => rows[0])
  return found && user
    ? { token: found as RefreshToken, user: user as User, session: (session as Session) ?? null }
    : null
}

/** Replaces a valid refresh token in one statement.
 *  @returns null if another request replaced it first; nothing has changed then */
export async function rotateRefreshToken(
  deps: AuthDeps,
  { now, client }: Call,
  { token, user, session }: { readonly token: RefreshToken; readonly user: User; readonly session: Session },
) {
  const next = newRefreshToken()
  const at = now.toISOString().slice(0, -1)
  const refreshed = auditPayload({ actor: user, action: 'token_refreshed' })
  const revoked = auditPayload({ actor: user, action: 'token_revoked' })
  const { rows } = await deps.db.query(
    statement(sql`
      with old as (
        update auth.refresh_tokens set revoked = true, updated_at = ${now}
        where id = ${token.id}::bigint and revoked is not true returning id
      ), added as (
        insert into auth.refresh_tokens (instance_id, token, user_id, parent, session_id, revoked, created_at, updated_at)
        select ${INSTANCE_ID}::uuid, ${next}::text, ${user.id}::text, ${token.token}::text, ${session.id}::uuid, false,
          ${now}::timestamptz, ${now}::timestamptz from old
      ), audited as (
        insert into auth.audit_log_entries (instance_id, id, payload, created_at, ip_address)
        select ${INSTANCE_ID}::uuid, entry.id, entry.payload, ${now}::timestamptz, '' from old, (values
          (${randomUUID()}::uuid, ${JSON.stringify(refreshed)}::json),
          (${randomUUID()}::uuid, ${JSON.stringify(revoked)}::json)
        ) as entry (id, payload)
      ), touched as (
        update auth.sessions set refreshed_at = ${at}::timestamp, user_agent = ${client.userAgent || null}::text,
          ip = ${inetOf(client.address)}::inet, updated_at = ${now}
        where id = ${session.id}::uuid and exists (select from old)
      )
      select id from old`),
  )
  return rows.length > 0 ? next : null
}
