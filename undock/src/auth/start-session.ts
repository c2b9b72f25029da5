import { randomUUID } from 'node:crypto'
import { type AccessToken, issueAccessToken } from './access-token.ts'
import { type AuditEntry, audit } from './audit.ts'
import { writeTogether } from './auth-db.ts'
import type { Call } from './call.ts'
import type { AuthDeps } from './deps.ts'
import { withHooks } from './hook-transaction.ts'
import { isFunctionHook } from './hooks.ts'
import { newRefreshToken } from './one-time-code.ts'
import type { Weakness } from './passwords.ts'
import { insertRefreshToken } from './refresh-tokens.ts'
import { type AuthenticationMethod, addAmr, insertSession, type Opening } from './sessions.ts'
import { type PresentedUser, presentUser, type User } from './user.ts'
import { updateUser } from './users.ts'

/** The answer to every sign-in. */
export type TokenResponse = {
  readonly access_token: string
  readonly token_type: 'bearer'
  readonly expires_in: number
  readonly expires_at: number
  readonly refresh_token: string
  readonly user: PresentedUser
  readonly provider_token?: string
  readonly provider_refresh_token?: string
  readonly weak_password?: Weakness
}

/** Opens a session for someone who has just proved who they are. All that is written crosses to the database at once,
 *  after the project's hook has agreed to the token; before, if that is a Postgres function and may look at it.
 *  @param opening The app of the OAuth server that the session is for, or its end. */
export async function startSession(
  deps: AuthDeps,
  call: Call,
  user: User,
  method: AuthenticationMethod,
  entry: Pick<AuditEntry, 'action' | 'traits'> | null = null,
  opening: Opening = {},
): Promise<TokenResponse> {
  const now = deps.clock.now()
  const sessionId = randomUUID()
  const refreshToken = newRefreshToken()
  const amr = [{ method, timestamp: Math.floor(now.getTime() / 1000) }]
  const proof = { sessionId, amr, method, grant: opening.grant ?? null }
  const access = await withHooks(deps, ['custom_access_token'], async (deps) => {
    const isFirst = !isFunctionHook(deps.config, 'custom_access_token')
    const agreed = isFirst ? await issueAccessToken(deps, call, user, proof) : null
    await writeTogether(deps.db, async (batch) => {
      if (entry) await audit(batch, { actor: user, ...entry }, now)
      await insertSession(batch, sessionId, user.id, call.client, opening, now)
      await insertRefreshToken(batch, { token: refreshToken, userId: user.id, sessionId, parent: '' }, now)
      await updateUser(batch, user.id, { last_sign_in_at: now }, now)
      await addAmr(batch, sessionId, method, now)
    })
    return agreed ?? issueAccessToken(deps, call, user, proof)
  })
  return tokenResponse(access, refreshToken, { ...user, last_sign_in_at: now, updated_at: now }, now)
}

export function tokenResponse(access: AccessToken, refreshToken: string, user: User, now: Date): TokenResponse {
  return {
    access_token: access.token,
    token_type: 'bearer',
    expires_in: access.expiresAt - Math.floor(now.getTime() / 1000),
    expires_at: access.expiresAt,
    refresh_token: refreshToken,
    user: presentUser(user),
  }
}

/** The session in a URL's fragment, for clients of the implicit flow. */
export function tokenFragment(response: TokenResponse, extra: Record<string, string>): string {
  const fields = new URLSearchParams({
    ...extra,
    access_token: response.access_token,
    token_type: response.token_type,
    expires_in: String(response.expires_in),
    expires_at: String(response.expires_at),
    refresh_token: response.refresh_token,
    // Tells the client that this fragment is Auth's.
    sb: '',
  })
  fields.sort()
  return fields.toString()
}
