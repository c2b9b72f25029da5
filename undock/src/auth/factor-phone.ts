import { timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { audit } from './audit.ts'
import { parseBody, readText } from './body.ts'
import { type CallerCall, json } from './call.ts'
import { CHALLENGE_EXPIRY, insertChallenge, openChallenge, useChallenge } from './challenges.ts'
import type { AuthDeps } from './deps.ts'
import { authError } from './errors.ts'
import { judgeFactor } from './factor-attempt.ts'
import { callHook, hookEnabled } from './hooks.ts'
import { newCode } from './one-time-code.ts'
import { text } from './params.ts'
import { checkSmsFrequency } from './send-limits.ts'
import { raiseSession } from './session-raise.ts'
import { type Channel, channelAllowed, senderOf } from './sms/sender.ts'
import { compileTemplate } from './template.ts'
import { type Factor, presentUser } from './user.ts'

const PhoneChallenge = z.object({ channel: text })

/** Sends a code to the factor's phone; only one that was sent is kept.
 *  @see supabase/auth internal/api/mfa.go, challengePhoneFactor */
export async function challengePhone(deps: AuthDeps, call: CallerCall, factor: Factor): Promise<Response> {
  const { user } = call.caller
  const { now, client } = call
  const { mfa } = deps.config
  const { channel } = parseBody((await readText(call.request)) || '{}', PhoneChallenge)
  const asked = channel || 'sms'
  if (!channelAllowed(deps.config, asked)) throw authError('channelInvalid')
  const challengedAt = factor.last_challenged_at === null ? null : new Date(factor.last_challenged_at)
  checkSmsFrequency(challengedAt, mfa.phone.max_frequency, now)
  const code = newCode(mfa.phone.otp_length)
  await send(deps, call, factor.phone ?? '', code, asked)
  const id = await deps.db.transaction(async (tx) => {
    const traits = { factor_id: factor.id, factor_status: factor.status }
    await audit(tx, { actor: user, action: 'challenge_created', traits, address: client.address }, now)
    return insertChallenge(tx, factor.id, client.address, now, { code })
  })
  return json({ id, type: 'phone', expires_at: Math.floor(now.getTime() / 1000) + CHALLENGE_EXPIRY })
}

async function send(deps: AuthDeps, call: CallerCall, phone: string, code: string, channel: Channel): Promise<void> {
  const message = compileTemplate(deps.config.mfa.phone.template)({ Code: code })
  if (hookEnabled(deps.config, 'send_sms')) {
    const sms = { otp: code, sms_type: 'mfa', phone, message }
    await callHook(deps, call, 'send_sms', { user: presentUser(call.caller.user), sms })
    return
  }
  const sender = senderOf(deps)
  if (!sender) throw authError('factorSmsProvider')
  try {
    await sender.send({ phone, message, channel })
  } catch (error) {
    throw authError('factorSmsFailed', [], { cause: error })
  }
}

/** @see supabase/auth internal/api/mfa.go, verifyPhoneFactor */
export async function verifyPhone(
  deps: AuthDeps,
  call: CallerCall,
  factor: Factor,
  answer: { readonly challenge_id: string; readonly code: string },
): Promise<Response> {
  const { user, session } = call.caller
  if (!session) throw authError('sessionNeeded')
  const challenge = await openChallenge(deps, call, factor, answer.challenge_id)
  const verify = hookEnabled(deps.config, 'send_sms') ? undefined : senderOf(deps)?.verify
  if (verify && !(await verify(factor.phone ?? '', answer.code))) throw authError('otpInvalid')
  const valid = verify !== undefined || isSame(challenge.otp_code ?? '', answer.code)
  await judgeFactor(deps, call, factor, valid)
  if (!valid) throw authError('phoneCodeInvalid')
  const proved = { user, session, factor, challengeId: challenge.id, method: 'mfa/phone' } as const
  return json(await raiseSession(deps, call, proved, (tx) => useChallenge(tx, call, factor, challenge.id)))
}

function isSame(sent: string, typed: string): boolean {
  const [expected, actual] = [Buffer.from(sent), Buffer.from(typed)]
  return expected.length > 0 && expected.length === actual.length && timingSafeEqual(expected, actual)
}
