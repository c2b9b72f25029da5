import { timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { newCode } from '../credentials/one-time-codes.ts'
import type { AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import { upgradeSession } from '../flows/session-upgrade.ts'
import { checkSmsFrequency } from '../guards/rate-limits.ts'
import { callHook, hookEnabled } from '../hooks/hooks.ts'
import { parseBody, readText } from '../http/body.ts'
import { type AuthenticatedCall, json } from '../http/call.ts'
import { audit } from '../models/audit.ts'
import { text } from '../models/params.ts'
import { type Factor, presentUser } from '../models/user.ts'
import { channelAllowed, senderOf } from '../sms/sender.ts'
import type { Channel } from '../sms/sms.ts'
import { compileTemplate } from '../templates/template.ts'
import {
  CHALLENGE_EXPIRY,
  callFactorAttemptHook,
  consumeChallenge,
  findOpenChallenge,
  insertChallenge,
} from './challenges.ts'

const PhoneChallenge = z.object({ channel: text })

/** Sends a code to the factor's phone, and stores the challenge only if that worked.
 *  @see supabase/auth internal/api/mfa.go, challengePhoneFactor */
export async function challengePhone(deps: AuthDeps, call: AuthenticatedCall, factor: Factor): Promise<Response> {
  const { user } = call.caller
  const { now, client } = call
  const { mfa } = deps.config
  const { channel } = parseBody((await readText(call.request)) || '{}', PhoneChallenge)
  const asked = channel || 'sms'
  if (!channelAllowed(deps.config, asked)) throw authError('channelInvalid')
  const challengedAt = factor.last_challenged_at === null ? null : new Date(factor.last_challenged_at)
  checkSmsFrequency(challengedAt, mfa.phone.max_frequency, now)
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
export async function verifyPhone(
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
