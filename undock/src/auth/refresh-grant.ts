import { z } from 'zod'
import type { ServiceError } from '../kernel/service-error.ts'
import { issueAccessToken } from './access-token.ts'
import { audit } from './audit.ts'
import type { Queryable } from './auth-db.ts'
import type { Call } from './call.ts'
import type { AuthDeps } from './deps.ts'
import { authError, oauthError } from './errors.ts'
import { withHooks } from './hook-transaction.ts'
import { newRefreshToken } from './one-time-code.ts'
import { text } from './params.ts'
import { type Held, readHeld, swapFresh } from './refresh-swap.ts'
import {
  findActiveToken,
  insertRefreshToken,
  lockRefreshToken,
  type RefreshToken,
  revokeFamily,
  revokeToken,
} from './refresh-tokens.ts'
import { findSession, grantOf, noteRefresh, type Session, sessionFault } from './sessions.ts'
import { type TokenResponse, tokenResponse } from './start-session.ts'
import { isBanned, type User } from './user.ts'
import { findUser, idIs } from './users.ts'

export const RefreshGrant = z.object({ refresh_token: text })

/** What a transaction that must be kept ends with: the token to hand out, or the refusal that made us revoke tokens. */
type Outcome = { readonly next: string; readonly user: User; readonly session: Session } | ServiceError

/** Exchanges a refresh token for the next one. A token that was used before is answered with the session's active
 *  token while that is its direct successor (the client never saw it) or the reuse interval runs; otherwise the whole
 *  family is revoked. @param clientId The app that calls the OAuth server's token endpoint.
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
  const held = usable(await readHeld(deps, given), deps, call)
  checkApp(held.session, clientId)
  // The usual case takes two crossings; only a token that was used before needs a transaction to decide in.
  const swapped = held.token.revoked ? null : await swapFresh(deps, call, held.token, held.user, held.session)
  const outcome = swapped ? { ...held, next: swapped } : await reuse(deps, call, given)
  if (outcome instanceof Error) return outcome
  const { next, user, session } = outcome
  const proof = { sessionId: session.id, amr: session.amr, method: 'token_refresh', grant: grantOf(session) } as const
  return tokenResponse(await issueAccessToken(deps, call, user, proof), next, user, call.now)
}

type Usable = Held & { readonly session: Session }

/** @throws what makes the token useless whether it was used before or not */
function usable(held: Held | null, { config }: AuthDeps, { now }: Call): Usable {
  if (!held) throw authError('refreshUnknown')
  const { token, user, session } = held
  if (isBanned(user, now)) throw authError('refreshBanned')
  if (!session) throw authError('refreshNoSession')
  const fault = sessionFault(session, config.sessions, now, token.updated_at)
  if (fault) throw authError(fault === 'inactive' ? 'refreshInactive' : 'refreshExpired')
  return { token, user, session }
}

/** A session that was opened for an app is refreshed by that app alone, and any other by none. */
function checkApp({ oauth_client_id: owner }: Session, clientId: string | null): void {
  if (owner === clientId) return
  if (!owner) throw oauthError('invalid_client', 'Client authentication not allowed for non-OAuth session')
  throw oauthError(
    'invalid_client',
    clientId ? "Client does not match the session's OAuth client" : 'Client authentication required for OAuth session',
  )
}

function reuse(deps: AuthDeps, call: Call, given: string): Promise<Outcome> {
  return deps.db.transaction(async (tx): Promise<Outcome> => {
    const token = await lockRefreshToken(tx, given)
    const user = token && (await findUser(tx, idIs(token.user_id)))
    const session = token?.session_id ? await findSession(tx, token.session_id) : null
    return rotate(deps, call, tx, usable(token && user && { token, user, session }, deps, call))
  })
}

async function rotate(deps: AuthDeps, call: Call, tx: Queryable, { token, user, session }: Usable): Promise<Outcome> {
  const { now } = call
  const successor = token.revoked ? await findActiveToken(tx, session.id) : null
  const lostAnswer = successor?.parent === token.token
  if (token.revoked && !lostAnswer && !withinReuseInterval(token, deps.config.refresh_token_reuse_interval, now)) {
    if (deps.config.enable_refresh_token_rotation) await revokeFamily(tx, session.id, now)
    return authError('refreshUsed')
  }
  await audit(tx, { actor: user, action: 'token_refreshed' }, now)
  const next = lostAnswer && successor ? successor.token : await replace(tx, user, session, token, now)
  await noteRefresh(tx, session.id, call.client, now)
  return { next, user, session }
}

async function replace(tx: Queryable, user: User, session: Session, token: RefreshToken, now: Date): Promise<string> {
  await audit(tx, { actor: user, action: 'token_revoked' }, now)
  await revokeToken(tx, token.id, now)
  const next = newRefreshToken()
  await insertRefreshToken(tx, { token: next, userId: user.id, sessionId: session.id, parent: token.token }, now)
  return next
}

/** A token's `updated_at` is when it was revoked. @param interval seconds */
export function withinReuseInterval(token: Pick<RefreshToken, 'updated_at'>, interval: number, now: Date): boolean {
  return now.getTime() <= token.updated_at.getTime() + interval * 1000
}
