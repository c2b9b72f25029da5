import { z } from 'zod'
import { issueAccessToken } from './access-token.ts'
import { audit } from './audit.ts'
import type { Queryable } from './auth-db.ts'
import { type CallerCall, json } from './call.ts'
import type { AuthConfig, AuthDeps } from './deps.ts'
import { authError } from './errors.ts'
import {
  CHALLENGE_EXPIRY,
  type Challenge,
  deleteChallenge,
  deleteUnverified,
  factorOfPath,
  inetOf,
  insertChallenge,
  lockChallenge,
  useChallenge,
  verifyFactor,
} from './factors.ts'
import { judgeAttempt } from './hooks.ts'
import { notify } from './mails.ts'
import { newRefreshToken } from './one-time-code.ts'
import { isUuid, text } from './params.ts'
import { findActiveToken, insertRefreshToken, revokeToken } from './refresh-tokens.ts'
import {
  addAmr,
  assuranceOf,
  deleteSessionsBelow,
  deleteSessionsOf,
  findSession,
  raiseAssurance,
  type Session,
} from './sessions.ts'
import { tokenResponse } from './start-session.ts'
import { totpMatches } from './totp.ts'
import type { Factor, User } from './user.ts'
import { reloadUser } from './users.ts'

export const ChallengeFactor = z.object({ channel: text })

/** POST /factors/{factor_id}/challenge @see supabase/auth internal/api/mfa.go */
export async function challengeFactor(deps: AuthDeps, call: CallerCall): Promise<Response> {
  const { user } = call.caller
  const { now, client } = call
  const factor = factorOfPath(user, call)
  checkVerifiable(deps.config, factor)
  const id = await deps.db.transaction(async (tx) => {
    const traits = { factor_id: factor.id, factor_status: factor.status }
    await audit(tx, { actor: user, action: 'challenge_created', traits, address: client.address }, now)
    return insertChallenge(tx, factor.id, client.address, now)
  })
  return json({ id, type: factor.factor_type, expires_at: Math.floor(now.getTime() / 1000) + CHALLENGE_EXPIRY })
}

export const VerifyFactor = z.object({ challenge_id: text, code: text })
type VerifyFactor = z.infer<typeof VerifyFactor>

/** POST /factors/{factor_id}/verify: the session becomes `aal2`, the user's other `aal1` sessions end. */
export async function verifyFactorCode(deps: AuthDeps, call: CallerCall, body: VerifyFactor): Promise<Response> {
  const { user, session } = call.caller
  const factor = factorOfPath(user, call)
  if (body.code === '') throw authError('codeMissing')
  checkVerifiable(deps.config, factor)
  if (!session) throw authError('sessionNeeded')
  await checkChallenge(deps, call, factor, body.challenge_id)
  const valid = totpMatches(factor.secret ?? '', body.code, call.now)
  const attempt = { user_id: user.id, factor_id: factor.id, factor_type: factor.factor_type, valid }
  const rejection = await judgeAttempt(deps, call, 'mfa_verification_attempt', attempt)
  if (rejection) {
    await deleteSessionsOf(deps.db, user.id)
    throw authError('mfaAttemptRejected', [rejection.message])
  }
  if (!valid) throw authError('totpInvalid')
  const raised = await deps.db.transaction((tx) => raiseSession(tx, call, { user, session, factor, body }))
  const proof = { sessionId: session.id, amr: raised.session.amr, method: 'totp' } as const
  const access = await issueAccessToken(deps, call, raised.user, proof)
  if (factor.status !== 'verified') {
    await notify(deps, call, 'mfa_factor_enrolled', user.email, raised.user, { FactorType: factor.factor_type })
  }
  return json(tokenResponse(access, raised.refreshToken, raised.user, call.now))
}

function checkVerifiable({ mfa }: AuthConfig, { factor_type: type }: Factor): void {
  if (type === 'phone') throw authError('phoneVerifyDisabled')
  if (type === 'webauthn') throw authError('webauthnVerifyDisabled')
  if (!mfa.totp.verify_enabled) throw authError('totpVerifyDisabled')
}

async function checkChallenge(deps: AuthDeps, call: CallerCall, factor: Factor, id: string): Promise<void> {
  if (!isUuid(id)) throw authError('challengeUnknown')
  const expired = await deps.db.transaction(async (tx) => {
    const challenge = openChallenge(await lockChallenge(tx, id, factor.id), call)
    const isExpired = call.now.getTime() > challenge.created_at.getTime() + CHALLENGE_EXPIRY * 1000
    if (isExpired) await deleteChallenge(tx, challenge.id)
    return isExpired
  })
  if (expired) throw authError('challengeExpired', [id])
}

/** @throws `mfa_ip_address_mismatch` also for a challenge that was used, as upstream does */
function openChallenge(challenge: Challenge | null, { client }: CallerCall): Challenge {
  if (!challenge) throw authError('challengeUnknown')
  if (challenge.verified_at || challenge.ip_address !== inetOf(client.address)) throw authError('challengeAddress')
  return challenge
}

type Attempt = { readonly user: User; readonly session: Session; readonly factor: Factor; readonly body: VerifyFactor }

async function raiseSession(tx: Queryable, call: CallerCall, { user, session, factor, body }: Attempt) {
  const { now, client } = call
  // Once more, now to be used up: another request may have answered it since.
  const challenge = openChallenge(await lockChallenge(tx, body.challenge_id, factor.id), call)
  const traits = { factor_id: factor.id, challenge_id: challenge.id, factor_type: factor.factor_type }
  await audit(tx, { actor: user, action: 'verification_attempted', traits, address: client.address }, now)
  await useChallenge(tx, challenge.id, now)
  if (factor.status !== 'verified') await verifyFactor(tx, factor.id, now)
  await addAmr(tx, session.id, 'totp', now)
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
