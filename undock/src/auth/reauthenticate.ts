import { audit } from './audit.ts'
import type { Queryable } from './auth-db.ts'
import { type CallerCall, json } from './call.ts'
import type { AuthConfig, AuthDeps } from './deps.ts'
import { authError } from './errors.ts'
import { withHooks } from './hook-transaction.ts'
import { sendReauthenticationMail } from './mails.ts'
import { matchesStored, newCode, tokenHash } from './one-time-code.ts'
import { clearOneTimeTokens, saveOneTimeToken } from './one-time-tokens.ts'
import { newPhoneCode, PHONE_CODE_EXPIRY, sendPhoneCode } from './phone-codes.ts'
import { checkMailFrequency } from './send-limits.ts'
import type { User } from './user.ts'
import { updateUser } from './users.ts'

/** GET /reauthenticate: sends the nonce that a change of password may need.
 *  @see supabase/auth internal/api/reauthenticate.go */
export async function reauthenticate(deps: AuthDeps, call: CallerCall): Promise<Response> {
  const { user } = call.caller
  if (user.email === '' && user.phone === '') throw authError('reauthAddressMissing')
  if (user.email !== '' && !user.email_confirmed_at) throw authError('reauthEmailUnconfirmed')
  if (user.email === '' && !user.phone_confirmed_at) throw authError('reauthPhoneUnconfirmed')
  if (user.email !== '') {
    await mailNonce(deps, call, user)
    return json({})
  }
  const messageId = await withHooks(deps, ['send_sms'], async (deps) => {
    const sent = await deps.db.transaction(async (tx) => {
      await audit(tx, { actor: user, action: 'user_reauthenticate_requested' }, call.now)
      return newPhoneCode(deps, tx, user, user.phone, 'reauthentication', call.now)
    })
    return sendPhoneCode(deps, call, user, sent)
  })
  return json(messageId ? { message_id: messageId } : {})
}

async function mailNonce(deps: AuthDeps, call: CallerCall, user: User): Promise<void> {
  checkMailFrequency(user.reauthentication_sent_at, deps.config.email.max_frequency, call.now)
  const code = newCode(deps.config.email.otp_length)
  const hash = tokenHash(user.email, code)
  await withHooks(deps, ['send_email'], async (deps) => {
    await deps.db.transaction(async (tx) => {
      await audit(tx, { actor: user, action: 'user_reauthenticate_requested' }, call.now)
      await updateUser(tx, user.id, { reauthentication_token: hash, reauthentication_sent_at: call.now }, call.now)
      await saveOneTimeToken(tx, user.id, 'reauthentication_token', hash, user.email, call.now)
    })
    await sendReauthenticationMail(deps, call, user, code, hash)
  })
}

/** Redeems a nonce. @throws `reauthentication_not_valid`
 *  @param vouched What the provider that made up a phone's code says of it; null when the code is ours. */
export async function consumeNonce(
  tx: Queryable,
  config: AuthConfig,
  user: User,
  nonce: string,
  now: Date,
  vouched: boolean | null,
): Promise<void> {
  const expiry = user.email !== '' ? config.email.otp_expiry : PHONE_CODE_EXPIRY
  const hash = tokenHash(user.email || user.phone, nonce)
  const matches = () => matchesStored(hash, user.reauthentication_token, user.reauthentication_sent_at, expiry, now)
  if (!(vouched ?? matches())) throw authError('nonceInvalid')
  await updateUser(tx, user.id, { reauthentication_token: '' }, now)
  await clearOneTimeTokens(tx, user.id)
}
