import { randomUUID } from 'node:crypto'
import { newRefreshToken } from '../credentials/one-time-codes.ts'
import type { Weakness } from '../credentials/passwords.ts'
import type { AuthDeps } from '../deps.ts'
import { isFunctionHook, withHooks } from '../hooks/hooks.ts'
import type { Call } from '../http/call.ts'
import { type AuditEntry, audit } from '../models/audit.ts'
import { batchWrites } from '../models/auth-db.ts'
import { insertRefreshToken } from '../models/refresh-tokens.ts'
import { type AuthenticationMethod, addAmr, insertSession, type SessionOptions } from '../models/sessions.ts'
import { type PresentedUser, presentUser, type User } from '../models/user.ts'
import { updateUser } from '../models/users.ts'
import { type AccessToken, issueAccessToken } from './access-token.ts'

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

/** Opens a session for a user who has just authenticated. All rows are written in one round trip, after the project's
 *  custom_access_token hook, or before it if that's a Postgres function, which may read them.
 *  @param entry The audit log's entry; null for none.
 *  @param options The session's OAuth app, or when it expires. */
export async function startSession(
  deps: AuthDeps,
  call: Call,
  {
    user,
    method,
    entry = null,
    options = {},
  }: {
    readonly user: User
    readonly method: AuthenticationMethod
    readonly entry?: Pick<AuditEntry, 'action' | 'traits'> | null
    readonly options?: SessionOptions
  },
): Promise<TokenResponse> {
  const { now } = call
  const sessionId = randomUUID()
  const refreshToken = newRefreshToken()
  const amr = [{ method, timestamp: Math.floor(now.getTime() / 1000) }]
  const proof = { sessionId, amr, method, grant: options.grant ?? null }
  const access = await withHooks(deps, ['custom_access_token'], async (deps) => {
    const isFirst = !isFunctionHook(deps.config, 'custom_access_token')
    const agreed = isFirst ? await issueAccessToken(deps, call, user, proof) : null
    await batchWrites(deps.db, async (batch) => {
      if (entry) await audit(batch, { actor: user, ...entry }, now)
      await insertSession(batch, { ...options, id: sessionId, userId: user.id, client: call.client }, now)
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

/** Returns the session as a URL's fragment, for clients of the implicit flow. */
export function tokenFragment(response: TokenResponse, extra: Record<string, string>): string {
  const fields = new URLSearchParams({
    ...extra,
    access_token: response.access_token,
    token_type: response.token_type,
    expires_in: String(response.expires_in),
    expires_at: String(response.expires_at),
    refresh_token: response.refresh_token,
    // Clients recognize Auth's fragments by this parameter.
    sb: '',
  })
  fields.sort()
  return fields.toString()
}
