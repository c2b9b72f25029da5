import { timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { newCode, totpMatches } from '../credentials/one-time-codes.ts'
import type { AuthConfig, AuthDeps } from '../deps.ts'
import { type AuthErrorName, authError } from '../errors.ts'
import { upgradeSession } from '../flows/session-upgrade.ts'
import { checkSmsFrequency } from '../guards/rate-limits.ts'
import { callHook, hookEnabled } from '../hooks/hooks.ts'
import { parseBody, readText } from '../http/body.ts'
import { type AuthenticatedCall, json } from '../http/call.ts'
import { factorOfPath } from '../http/caller.ts'
import { audit } from '../models/audit.ts'
import { text } from '../models/params.ts'
import { type Factor, type FactorType, presentUser } from '../models/user.ts'
import { channelAllowed, senderOf } from '../sms/sender.ts'
import type { Channel } from '../sms/sms.ts'
import { compileTemplate } from '../templates/template.ts'
import {
  CHALLENGE_EXPIRY,
  callFactorAttemptHook,
  consumeChallenge,
  findOpenChallenge,
  insertChallenge,
  lockFactor,
  touchFactor,
  wasCodeUsed,
} from './challenges.ts'
import { isVerifyEnabled } from './other-factors.ts'
import { challengeWebauthn, verifyWebauthn, WebauthnAnswer } from './webauthn.ts'

/** POST /factors/{factor_id}/challenge @see supabase/auth internal/api/mfa.go */
export async function challengeFactor(deps: AuthDeps, call: AuthenticatedCall): Promise<Response> {
  const { user } = call.caller
  const { now, client } = call
  const factor = factorOfPath(user, call)
  checkVerifiable(deps.config, factor)
  if (factor.factor_type === 'webauthn') return challengeWebauthn(deps, call, factor)
  if (factor.factor_type === 'phone') return challengePhone(deps, call, factor)
  const id = await deps.db.transaction(async (tx) => {
    const traits = { factor_id: factor.id, factor_status: factor.status }
    await audit(tx, { actor: user, action: 'challenge_created', traits, address: client.address }, now)
    return insertChallenge(tx, { factorId: factor.id, address: client.address, now })
  })
  return json({ id, type: factor.factor_type, expires_at: Math.floor(now.getTime() / 1000) + CHALLENGE_EXPIRY })
}

export const VerifyFactor = z.object({ challenge_id: text, code: text, webauthn: WebauthnAnswer })
type VerifyFactor = z.infer<typeof VerifyFactor>

/** POST /factors/{factor_id}/verify */
export async function verifyFactorAnswer(
  deps: AuthDeps,
  call: AuthenticatedCall,
  body: VerifyFactor,
): Promise<Response> {
  const factor = factorOfPath(call.caller.user, call)
  if (body.code === '' && factor.factor_type !== 'webauthn') throw authError('codeMissing')
  checkVerifiable(deps.config, factor)
  if (factor.factor_type === 'webauthn')
    return verifyWebauthn(deps, call, { factor, challengeId: body.challenge_id, answer: body.webauthn })
  if (factor.factor_type === 'phone') return verifyPhone(deps, call, factor, body)
  return verifyTotp(deps, call, factor, body)
}

const VERIFY_DISABLED = {
  totp: 'totpVerifyDisabled',
  phone: 'phoneVerifyDisabled',
  webauthn: 'webauthnVerifyDisabled',
  // Recovery codes have no challenges.
  recovery_code: 'factorType',
} as const satisfies Record<FactorType, AuthErrorName>

function checkVerifiable(config: AuthConfig, { factor_type: type }: Factor): void {
  if (type === 'recovery_code' || !isVerifyEnabled(config, type)) throw authError(VERIFY_DISABLED[type])
}

async function verifyTotp(
  deps: AuthDeps,
  call: AuthenticatedCall,
  factor: Factor,
  body: VerifyFactor,
): Promise<Response> {
  const { user, session } = call.caller
  if (!session) throw authError('sessionNeeded')
  const { id: challengeId } = await findOpenChallenge(deps, call, factor, body.challenge_id)
  const giveBack = await deps.limits.takeFactorAttempt(user.id)
  const matches = await totpMatches(factor.secret ?? '', body.code, call.now)
  const valid = matches && !(await wasCodeUsed(deps.db, factor, body.code, call.now))
  if (valid) await giveBack()
  await callFactorAttemptHook(deps, call, { factor, valid })
  if (!valid) throw authError('totpInvalid')
  const response = await upgradeSession(deps, call, { user, session, factor }, async (tx) => {
    await lockFactor(tx, factor)
    // Another request with the same code may have been accepted in the meantime.
    if (await wasCodeUsed(tx, factor, body.code, call.now)) throw authError('totpInvalid')
    await consumeChallenge(tx, call, { factor, id: challengeId, code: body.code })
  })
  return json(response)
}

const PhoneChallenge = z.object({ channel: text })

/** Sends a code to the factor's phone, and stores the challenge only if that worked.
 *  @see supabase/auth internal/api/mfa.go, challengePhoneFactor */
async function challengePhone(deps: AuthDeps, call: AuthenticatedCall, factor: Factor): Promise<Response> {
  const { user } = call.caller
  const { now, client } = call
  const { mfa } = deps.config
  const { channel } = parseBody((await readText(call.request)) || '{}', PhoneChallenge)
  const asked = channel || 'sms'
  if (!channelAllowed(deps.config, asked)) throw authError('channelInvalid')
  await deps.db.transaction((tx) =>
    touchFactor(tx, factor.id, now, (last) => checkSmsFrequency(last, mfa.phone.max_frequency, now)),
  )
  const code = newCode(mfa.phone.otp_length)
  await send(deps, call, { phone: factor.phone ?? '', code, channel: asked })
  const id = await deps.db.transaction(async (tx) => {
    const traits = { factor_id: factor.id, factor_status: factor.status }
    await audit(tx, { actor: user, action: 'challenge_created', traits, address: client.address }, now)
    return insertChallenge(tx, { factorId: factor.id, address: client.address, now, expected: { code } })
  })
  return json({ id, type: 'phone', expires_at: Math.floor(now.getTime() / 1000) + CHALLENGE_EXPIRY })
}

async function send(
  deps: AuthDeps,
  call: AuthenticatedCall,
  { phone, code, channel }: { readonly phone: string; readonly code: string; readonly channel: Channel },
): Promise<void> {
  const message = compileTemplate(deps.config.mfa.phone.template)({ Code: code })
  if (hookEnabled(deps.config, 'send_sms')) {
    const sms = { otp: code, sms_type: 'mfa', phone, message }
    await callHook(deps, call, 'send_sms', { user: presentUser(call.caller.user), sms })
    return
  }
  const sender = senderOf(deps)
  if (!sender) throw authError('factorSmsProvider')
  try {
    await sender.send({ phone, message, code, channel })
  } catch (error) {
    throw authError('factorSmsFailed', [], { cause: error })
  }
}

/** @see supabase/auth internal/api/mfa.go, verifyPhoneFactor */
async function verifyPhone(
  deps: AuthDeps,
  call: AuthenticatedCall,
  factor: Factor,
  answer: { readonly challenge_id: string; readonly code: string },
): Promise<Response> {
  const { user, session } = call.caller
  if (!session) throw authError('sessionNeeded')
  const challenge = await findOpenChallenge(deps, call, factor, answer.challenge_id)
  if (!(await deps.codeAttempts.take(challenge.id))) throw authError('challengeExpired', [challenge.id])
  const giveBack = await deps.limits.takeFactorAttempt(user.id)
  const verify = hookEnabled(deps.config, 'send_sms') ? undefined : senderOf(deps)?.verify
  if (verify && !(await verify(factor.phone ?? '', answer.code))) throw authError('otpInvalid')
  const valid = verify !== undefined || isSame(challenge.otp_code ?? '', answer.code)
  await callFactorAttemptHook(deps, call, { factor, valid })
  if (!valid) throw authError('phoneCodeInvalid')
  await giveBack()
  await deps.codeAttempts.forget(challenge.id)
  return json(
    await upgradeSession(deps, call, { user, session, factor }, (tx) =>
      consumeChallenge(tx, call, { factor, id: challenge.id }),
    ),
  )
}

function isSame(sent: string, typed: string): boolean {
  const [expected, actual] = [Buffer.from(sent), Buffer.from(typed)]
  return expected.length > 0 && expected.length === actual.length && timingSafeEqual(expected, actual)
}
