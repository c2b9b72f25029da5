import { newRefreshToken } from '../credentials/one-time-codes.ts'
import type { AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import { withHooks } from '../hooks/hooks.ts'
import type { AuthenticatedCall } from '../http/call.ts'
import { notify } from '../mail/messages.ts'
import { audit } from '../models/audit.ts'
import type { Queryable } from '../models/auth-db.ts'
import { deleteUnverified, verifyFactor } from '../models/factors.ts'
import { findActiveToken, insertRefreshToken, revokeToken } from '../models/refresh-tokens.ts'
import {
  addAmr,
  appGrantOf,
  assuranceOf,
  deleteSessionsBelow,
  findSession,
  METHOD_OF_FACTOR,
  type Session,
  setAssuranceLevel,
} from '../models/sessions.ts'
import type { Factor, User } from '../models/user.ts'
import { reloadUser } from '../models/users.ts'
import { issueAccessToken } from './access-token.ts'
import { type TokenResponse, tokenResponse } from './start-session.ts'

export type SecondFactor = {
  readonly user: User
  readonly session: Session
  readonly factor: Factor
}

/** Raises the session to `aal2` and ends the user's other `aal1` sessions.
 *  @param use Consumes the challenge or code in the same transaction; throws if another request did first. */
export async function upgradeSession(
  deps: AuthDeps,
  call: AuthenticatedCall,
  proved: SecondFactor,
  use: (tx: Queryable) => Promise<void>,
): Promise<TokenResponse> {
  const { factor } = proved
  const method = METHOD_OF_FACTOR[factor.factor_type]
  const { raised, access } = await withHooks(deps, ['custom_access_token'], async (deps) => {
    const raised = await deps.db.transaction(async (tx) => {
      await use(tx)
      return raise(tx, call, proved)
    })
    const proof = { sessionId: raised.session.id, amr: raised.session.amr, method, grant: appGrantOf(raised.session) }
    return { raised, access: await issueAccessToken(deps, call, raised.user, proof) }
  })
  if (factor.status !== 'verified') {
    await notify(deps, call, {
      kind: 'mfa_factor_enrolled',
      to: raised.user.email,
      user: raised.user,
      details: { FactorType: factor.factor_type },
    })
  }
  return tokenResponse(access, raised.refreshToken, raised.user, call.now)
}

async function raise(tx: Queryable, { now }: AuthenticatedCall, { user, session, factor }: SecondFactor) {
  if (factor.status !== 'verified') await verifyFactor(tx, factor.id, now)
  await addAmr(tx, session.id, METHOD_OF_FACTOR[factor.factor_type], now)
  const refreshToken = await replaceRefreshToken(tx, user, session, now)
  const current = await findSession(tx, session.id)
  if (!current) throw authError('sessionUnknown')
  await setAssuranceLevel(tx, session.id, { aal: assuranceOf(current.amr), factorId: factor.id, now })
  await deleteSessionsBelow(tx, user.id, 'aal2')
  await deleteUnverified(tx, user.id, factor.factor_type)
  return { user: await reloadUser(tx, user.id), session: current, refreshToken }
}

/** Tokens issued before the second factor must not open an `aal2` session. */
async function replaceRefreshToken(tx: Queryable, user: User, session: Session, now: Date): Promise<string> {
  const current = await findActiveToken(tx, session.id)
  await audit(tx, { actor: user, action: 'token_revoked' }, now)
  if (current) await revokeToken(tx, current.id, now)
  const token = newRefreshToken()
  await insertRefreshToken(tx, { token, userId: user.id, sessionId: session.id, parent: current?.token ?? '' }, now)
  return token
}
