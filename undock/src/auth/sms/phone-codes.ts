import { newCode, tokenHash } from '../credentials/one-time-codes.ts'
import type { AuthConfig, AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import { checkSmsFrequency } from '../guards/rate-limits.ts'
import { callHook, hookEnabled, withHooks } from '../hooks/hooks.ts'
import { type Call, json } from '../http/call.ts'
import { type AuditEntry, audit } from '../models/audit.ts'
import type { Queryable } from '../models/auth-db.ts'
import { saveOneTimeToken } from '../models/one-time-tokens.ts'
import { presentUser, type User } from '../models/user.ts'
import { reloadUser, updateUser } from '../models/users.ts'
import { compileTemplate } from '../templates/template.ts'
import { channelAllowed, senderOf } from './sender.ts'

type PhoneCodeKind = 'confirmation' | 'phone_change' | 'reauthentication'

/** GOTRUE_SMS_OTP_LENGTH and GOTRUE_SMS_OTP_EXP (seconds) under `supabase start`; config.toml has no key. */
const CODE_LENGTH = 6
export const PHONE_CODE_EXPIRY = 6000

const SENT_AT = {
  confirmation: 'confirmation_sent_at',
  phone_change: 'phone_change_sent_at',
  reauthentication: 'reauthentication_sent_at',
} as const

/** Returns a number's fixed code from `[auth.sms.test_otp]`, or null. */
export function testCode(config: AuthConfig, phone: string): string | null {
  return Object.hasOwn(config.sms.test_otp, phone) ? (config.sms.test_otp[phone] ?? null) : null
}

export type PhoneCode = {
  readonly kind: PhoneCodeKind
  readonly phone: string
  readonly code: string
  readonly isTest: boolean
}

type PhoneCodeRequest = { readonly user: User; readonly phone: string; readonly kind: PhoneCodeKind }

/** Stores a new code for a phone; `sendPhoneCode` sends it after the transaction.
 *  @throws `over_sms_send_rate_limit`
 *  @see supabase/auth internal/api/phone.go */
export async function newPhoneCode(
  deps: AuthDeps,
  tx: Queryable,
  request: PhoneCodeRequest,
  now: Date,
): Promise<PhoneCode> {
  const { user, phone, kind } = request
  const current = await reloadUser(tx, user.id, { lock: true })
  checkSmsFrequency(current[SENT_AT[kind]], deps.config.sms.max_frequency, now)
  const fixed = testCode(deps.config, phone)
  if (fixed === null) await checkSender(deps)
  const code = fixed ?? newCode(CODE_LENGTH)
  await storeCode(tx, request, tokenHash(phone, code), now)
  return { kind, phone, code, isTest: fixed !== null }
}

/** @param channel Empty is "sms". @returns the provider's message id, or empty
 *  @throws `sms_send_failed` in the provider's words */
export async function sendPhoneCode(
  deps: AuthDeps,
  call: Call,
  user: User,
  {
    phoneCode: { kind, phone, code, isTest },
    channel = '',
  }: { readonly phoneCode: PhoneCode; readonly channel?: string },
): Promise<string> {
  if (isTest) return 'test-otp'
  const message = compileTemplate(deps.config.sms.template)({ Code: code })
  if (hookEnabled(deps.config, 'send_sms')) {
    await callHook(deps, call, 'send_sms', { user: presentUser(user), sms: { otp: code, phone, message } })
    return ''
  }
  const sender = senderOf(deps)
  if (!sender) throw authError('smsProviderMissing')
  try {
    return await sender.send({ phone, message, code, channel: channel === 'whatsapp' ? 'whatsapp' : 'sms' })
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unknown'
    throw authError('smsSendFailed', [kind, why], { cause: error })
  }
}

/** Sends a new code to a user who asked for it. @param entry What the audit log says about it; null if nothing. */
export async function answerWithCode(
  deps: AuthDeps,
  call: Call,
  request: PhoneCodeRequest,
  { entry, channel = '' }: { readonly entry: Omit<AuditEntry, 'actor'> | null; readonly channel?: string },
): Promise<Response> {
  const { user } = request
  const messageId = await withHooks(deps, ['send_sms'], async (deps) => {
    const phoneCode = await deps.db.transaction(async (tx) => {
      if (entry) await audit(tx, { actor: user, ...entry }, call.now)
      return newPhoneCode(deps, tx, request, call.now)
    })
    return sendPhoneCode(deps, call, user, { phoneCode, channel })
  })
  return json(messageId ? { message_id: messageId } : {})
}

async function checkSender(deps: AuthDeps): Promise<void> {
  if (!hookEnabled(deps.config, 'send_sms') && !senderOf(deps)) throw authError('smsProviderMissing')
  await deps.limits.takeSms()
}

async function storeCode(db: Queryable, { user, phone, kind }: PhoneCodeRequest, hash: string, now: Date) {
  switch (kind) {
    case 'confirmation':
      await updateUser(db, user.id, { confirmation_token: hash, confirmation_sent_at: now }, now)
      return saveOneTimeToken(db, { userId: user.id, type: 'confirmation_token', hash, relatesTo: user.phone }, now)
    case 'phone_change':
      await updateUser(db, user.id, { phone_change: phone, phone_change_token: hash, phone_change_sent_at: now }, now)
      return saveOneTimeToken(db, { userId: user.id, type: 'phone_change_token', hash, relatesTo: phone }, now)
    case 'reauthentication':
      await updateUser(db, user.id, { reauthentication_token: hash, reauthentication_sent_at: now }, now)
      return saveOneTimeToken(db, { userId: user.id, type: 'reauthentication_token', hash, relatesTo: user.phone }, now)
  }
}

/** Asks the provider that generated a code whether it's correct; null if we generated it. */
export async function verifyWithSender(deps: AuthDeps, phone: string, code: string): Promise<boolean | null> {
  if (hookEnabled(deps.config, 'send_sms') || testCode(deps.config, phone) !== null) return null
  return (await senderOf(deps)?.verify?.(phone, code)) ?? null
}

/** @throws `validation_failed`; WhatsApp needs Twilio */
export function checkChannel(config: AuthConfig, channel: string): void {
  if (channel !== '' && !channelAllowed(config, channel)) throw authError('channelInvalid')
}
