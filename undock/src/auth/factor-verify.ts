import { z } from 'zod'
import { audit } from './audit.ts'
import { type CallerCall, json } from './call.ts'
import { CHALLENGE_EXPIRY, insertChallenge, openChallenge, useChallenge } from './challenges.ts'
import type { AuthConfig, AuthDeps } from './deps.ts'
import { authError } from './errors.ts'
import { judgeFactor } from './factor-attempt.ts'
import { challengePhone, verifyPhone } from './factor-phone.ts'
import { challengeWebauthn, verifyWebauthn, WebauthnAnswer } from './factor-webauthn.ts'
import { factorOfPath } from './factors.ts'
import { text } from './params.ts'
import { raiseSession } from './session-raise.ts'
import { totpMatches } from './totp.ts'
import type { Factor } from './user.ts'

/** POST /factors/{factor_id}/challenge @see supabase/auth internal/api/mfa.go */
export async function challengeFactor(deps: AuthDeps, call: CallerCall): Promise<Response> {
  const { user } = call.caller
  const { now, client } = call
  const factor = factorOfPath(user, call)
  checkVerifiable(deps.config, factor)
  if (factor.factor_type === 'webauthn') return challengeWebauthn(deps, call, factor)
  if (factor.factor_type === 'phone') return challengePhone(deps, call, factor)
  const id = await deps.db.transaction(async (tx) => {
    const traits = { factor_id: factor.id, factor_status: factor.status }
    await audit(tx, { actor: user, action: 'challenge_created', traits, address: client.address }, now)
    return insertChallenge(tx, factor.id, client.address, now)
  })
  return json({ id, type: factor.factor_type, expires_at: Math.floor(now.getTime() / 1000) + CHALLENGE_EXPIRY })
}

export const VerifyFactor = z.object({ challenge_id: text, code: text, webauthn: WebauthnAnswer })
type VerifyFactor = z.infer<typeof VerifyFactor>

/** POST /factors/{factor_id}/verify */
export async function verifyFactorAnswer(deps: AuthDeps, call: CallerCall, body: VerifyFactor): Promise<Response> {
  const factor = factorOfPath(call.caller.user, call)
  if (body.code === '' && factor.factor_type !== 'webauthn') throw authError('codeMissing')
  checkVerifiable(deps.config, factor)
  switch (factor.factor_type) {
    case 'webauthn':
      return verifyWebauthn(deps, call, factor, body.challenge_id, body.webauthn)
    case 'phone':
      return verifyPhone(deps, call, factor, body)
    case 'totp':
      return verifyTotp(deps, call, factor, body)
  }
}

function checkVerifiable({ mfa }: AuthConfig, { factor_type: type }: Factor): void {
  if (type === 'phone' && !mfa.phone.verify_enabled) throw authError('phoneVerifyDisabled')
  if (type === 'webauthn' && !mfa.web_authn.verify_enabled) throw authError('webauthnVerifyDisabled')
  if (type === 'totp' && !mfa.totp.verify_enabled) throw authError('totpVerifyDisabled')
}

async function verifyTotp(deps: AuthDeps, call: CallerCall, factor: Factor, body: VerifyFactor): Promise<Response> {
  const { user, session } = call.caller
  if (!session) throw authError('sessionNeeded')
  const { id: challengeId } = await openChallenge(deps, call, factor, body.challenge_id)
  const valid = await totpMatches(factor.secret ?? '', body.code, call.now)
  await judgeFactor(deps, call, factor, valid)
  if (!valid) throw authError('totpInvalid')
  const proved = { user, session, factor, challengeId, method: 'totp' } as const
  return json(await raiseSession(deps, call, proved, (tx) => useChallenge(tx, call, factor, challengeId)))
}
