import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { queryRows } from '../../database/db.ts'
import type { ServiceError } from '../../kernel/service-error.ts'
import { sql } from '../../kernel/sql.ts'
import { newRefreshToken } from '../credentials/one-time-codes.ts'
import type { AuthDeps } from '../deps.ts'
import { authError, oauthError } from '../errors.ts'
import { withHooks } from '../hooks/hooks.ts'
import type { Call } from '../http/call.ts'
import { audit, auditPayload } from '../models/audit.ts'
import type { Queryable } from '../models/auth-db.ts'
import { text } from '../models/params.ts'
import {
  findActiveToken,
  insertRefreshToken,
  lockRefreshToken,
  type RefreshToken,
  revokeFamily,
  revokeToken,
  selectRefreshToken,
} from '../models/refresh-tokens.ts'
import {
  appGrantOf,
  findSession,
  inetOf,
  recordRefresh,
  type Session,
  selectSession,
  sessionFault,
} from '../models/sessions.ts'
import { isBanned, type User } from '../models/user.ts'
import { findUser, INSTANCE_ID, idIs, selectUser } from '../models/users.ts'
import { issueAccessToken } from './access-token.ts'
import { type TokenResponse, tokenResponse } from './start-session.ts'

export const RefreshGrant = z.object({ refresh_token: text })

/** Committed either way: the next token, or the error after tokens were revoked. */
type Rotation = { readonly next: string; readonly user: User; readonly session: Session } | ServiceError

/** Exchanges a refresh token for the next one. A used token gets the session's active token if that's its direct
 *  successor (the client never received it) or within the reuse interval; otherwise the whole family is revoked.
 *  @param clientId The app that calls the OAuth server's token endpoint.
 *  @see supabase/auth internal/tokens/service.go, RefreshTokenGrant */
export async function refreshGrant(
  deps: AuthDeps,
  call: Call,
  body: z.infer<typeof RefreshGrant>,
  clientId: string | null = null,
): Promise<TokenResponse> {
  const { refresh_token: given } = body
  if (!/^[a-z0-9]{12}$/.test(given)) throw authError('refreshInvalid')
  const answered = await withHooks(deps, ['custom_access_token'], (deps) => exchange(deps, call, given, clientId))
  if (answered instanceof Error) throw answered
  return answered
}

async function exchange(deps: AuthDeps, call: Call, given: string, clientId: string | null) {
  const loaded = usable(await loadRefreshToken(deps, given), deps, call)
  checkApp(loaded.session, clientId)
  // The usual case takes two round trips; only used tokens need a transaction.
  const swapped = loaded.token.revoked ? null : await rotateRefreshToken(deps, call, loaded)
  const outcome = swapped ? { ...loaded, next: swapped } : await reuse(deps, call, given)
  if (outcome instanceof Error) return outcome
  const { next, user, session } = outcome
  const proof = {
    sessionId: session.id,
    amr: session.amr,
    method: 'token_refresh',
    grant: appGrantOf(session),
  } as const
  return tokenResponse(await issueAccessToken(deps, call, user, proof), next, user, call.now)
}

type Usable = LoadedRefreshToken & { readonly session: Session }

function usable(loaded: LoadedRefreshToken | null, { config }: AuthDeps, { now }: Call): Usable {
  if (!loaded) throw authError('refreshUnknown')
  const { token, user, session } = loaded
  if (isBanned(user, now)) throw authError('refreshBanned')
  if (!session) throw authError('refreshNoSession')
  const fault = sessionFault(session, config.sessions, now, token.updated_at)
  if (fault) throw authError(fault === 'inactive' ? 'refreshInactive' : 'refreshExpired')
  return { token, user, session }
}

/** Apps may only refresh their own sessions, and only they may. */
function checkApp({ oauth_client_id: owner }: Session, clientId: string | null): void {
  if (owner === clientId) return
  if (!owner) throw oauthError('invalid_client', 'Client authentication not allowed for non-OAuth session')
  throw oauthError(
    'invalid_client',
    clientId ? "Client does not match the session's OAuth client" : 'Client authentication required for OAuth session',
  )
}

function reuse(deps: AuthDeps, call: Call, given: string): Promise<Rotation> {
  return deps.db.transaction(async (tx): Promise<Rotation> => {
    const token = await lockRefreshToken(tx, given)
    const user = token && (await findUser(tx, idIs(token.user_id)))
    const session = token?.session_id ? await findSession(tx, token.session_id) : null
    return rotate(deps, call, tx, usable(token && user && { token, user, session }, deps, call))
  })
}

async function rotate(deps: AuthDeps, call: Call, tx: Queryable, { token, user, session }: Usable): Promise<Rotation> {
  const { now } = call
  const successor = token.revoked ? await findActiveToken(tx, session.id) : null
  const lostAnswer = successor?.parent === token.token
  // The interval is for clients that exchange a token several times in parallel. A session without a valid token has
  // ended: upstream lets revoked tokens bring it back until the interval is over.
  const mayBranch = successor && withinReuseInterval(token, deps.config.refresh_token_reuse_interval, now)
  if (token.revoked && !lostAnswer && !mayBranch) {
    if (deps.config.enable_refresh_token_rotation) await revokeFamily(tx, session.id, now)
    return authError('refreshUsed')
  }
  await audit(tx, { actor: user, action: 'token_refreshed' }, now)
  const next = lostAnswer && successor ? successor.token : await replace(tx, { user, session, token, now })
  await recordRefresh(tx, session.id, call.client, now)
  return { next, user, session }
}

async function replace(
  tx: Queryable,
  {
    user,
    session,
    token,
    now,
  }: { readonly user: User; readonly session: Session; readonly token: RefreshToken; readonly now: Date },
): Promise<string> {
  await audit(tx, { actor: user, action: 'token_revoked' }, now)
  await revokeToken(tx, token.id, now)
  const next = newRefreshToken()
  await insertRefreshToken(tx, { token: next, userId: user.id, sessionId: session.id, parent: token.token }, now)
  return next
}

/** `updated_at` is when the token was revoked. @param interval seconds */
function withinReuseInterval(token: Pick<RefreshToken, 'updated_at'>, interval: number, now: Date): boolean {
  return now.getTime() <= token.updated_at.getTime() + interval * 1000
}

type LoadedRefreshToken = { readonly token: RefreshToken; readonly user: User; readonly session: Session | null }

/** Loads a refresh token with its user and session in one round trip, without a lock. */
async function loadRefreshToken({ db }: AuthDeps, token: string): Promise<LoadedRefreshToken | null> {
  const of = sql`select user_id::uuid from auth.refresh_tokens where token = ${token}`
  const results = await db.run([
    selectRefreshToken(token),
    selectUser(sql`u.id = (${of})`),
    selectSession(sql`s.id = (select session_id from auth.refresh_tokens where token = ${token})`),
  ])
  const [found, user, session] = results.map(({ rows }) => rows[0])
  return found && user
    ? { token: found as RefreshToken, user: user as User, session: (session as Session) ?? null }
    : null
}

/** Replaces a valid refresh token in one statement.
 *  @returns null if another request replaced it first; nothing has changed then */
async function rotateRefreshToken(
  deps: AuthDeps,
  { now, client }: Call,
  { token, user, session }: { readonly token: RefreshToken; readonly user: User; readonly session: Session },
) {
  const next = newRefreshToken()
  const at = now.toISOString().slice(0, -1)
  const refreshed = auditPayload({ actor: user, action: 'token_refreshed' })
  const revoked = auditPayload({ actor: user, action: 'token_revoked' })
  const rows = await queryRows(deps.db)`
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
    select id from old`
  return rows.length > 0 ? next : null
}
