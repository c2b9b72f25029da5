import { issueAccessToken } from './access-token.ts'
import { audit } from './audit.ts'
import type { Queryable } from './auth-db.ts'
import type { CallerCall } from './call.ts'
import type { AuthDeps } from './deps.ts'
import { authError } from './errors.ts'
import { deleteUnverified, verifyFactor } from './factors.ts'
import { withHooks } from './hook-transaction.ts'
import { notify } from './mails.ts'
import { newRefreshToken } from './one-time-code.ts'
import { findActiveToken, insertRefreshToken, revokeToken } from './refresh-tokens.ts'
import {
  addAmr,
  assuranceOf,
  deleteSessionsBelow,
  findSession,
  grantOf,
  raiseAssurance,
  type Session,
} from './sessions.ts'
import { type TokenResponse, tokenResponse } from './start-session.ts'
import type { Factor, User } from './user.ts'
import { reloadUser } from './users.ts'

export type SecondFactor = {
  readonly user: User
  readonly session: Session
  readonly factor: Factor
  readonly challengeId: string
  readonly method: 'totp' | 'mfa/phone' | 'mfa/webauthn'
}

/** The session becomes `aal2` and the user's other `aal1` sessions end.
 *  @param use Uses the challenge up, in the same transaction; throws when another request was faster. */
export async function raiseSession(
  deps: AuthDeps,
  call: CallerCall,
  proved: SecondFactor,
  use: (tx: Queryable) => Promise<void>,
): Promise<TokenResponse> {
  const { factor, method } = proved
  const { raised, access } = await withHooks(deps, ['custom_access_token'], async (deps) => {
    const raised = await deps.db.transaction(async (tx) => {
      await use(tx)
      return raise(tx, call, proved)
    })
    const proof = { sessionId: raised.session.id, amr: raised.session.amr, method, grant: grantOf(raised.session) }
    return { raised, access: await issueAccessToken(deps, call, raised.user, proof) }
  })
  if (factor.status !== 'verified') {
    await notify(deps, call, 'mfa_factor_enrolled', raised.user.email, raised.user, { FactorType: factor.factor_type })
  }
  return tokenResponse(access, raised.refreshToken, raised.user, call.now)
}

async function raise(
  tx: Queryable,
  { now, client }: CallerCall,
  { user, session, factor, challengeId, method }: SecondFactor,
) {
  const traits = { factor_id: factor.id, challenge_id: challengeId, factor_type: factor.factor_type }
  await audit(tx, { actor: user, action: 'verification_attempted', traits, address: client.address }, now)
  if (factor.status !== 'verified') await verifyFactor(tx, factor.id, now)
  await addAmr(tx, session.id, method, now)
  const refreshToken = await swapRefreshToken(tx, user, session, now)
  const current = await findSession(tx, session.id)
  if (!current) throw authError('sessionUnknown')
  await raiseAssurance(tx, session.id, assuranceOf(current.amr), factor.id, now)
  await deleteSessionsBelow(tx, user.id, 'aal2')
  await deleteUnverified(tx, user.id, factor.factor_type)
  return { user: await reloadUser(tx, user.id), session: current, refreshToken }
}

/** The token of before the second factor must not lead to what came after it. */
async function swapRefreshToken(tx: Queryable, user: User, session: Session, now: Date): Promise<string> {
  const current = await findActiveToken(tx, session.id)
  await audit(tx, { actor: user, action: 'token_revoked' }, now)
  if (current) await revokeToken(tx, current.id, now)
  const token = newRefreshToken()
  await insertRefreshToken(tx, { token, userId: user.id, sessionId: session.id, parent: current?.token ?? '' }, now)
  return token
}
