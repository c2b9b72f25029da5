import { newCode, tokenHash } from '../credentials/one-time-codes.ts'
import type { AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import { checkMailFrequency } from '../guards/rate-limits.ts'
import { withHooks } from '../hooks/hook-transaction.ts'
import { type AuthenticatedCall, json } from '../http/call.ts'
import { sendReauthenticationMail } from '../mail/messages.ts'
import { audit } from '../models/audit.ts'
import { saveOneTimeToken } from '../models/one-time-tokens.ts'
import type { User } from '../models/user.ts'
import { updateUser } from '../models/users.ts'
import { newPhoneCode, sendPhoneCode } from '../sms/phone-codes.ts'

/** GET /reauthenticate: sends the nonce that a password change may need.
 *  @see supabase/auth internal/api/reauthenticate.go */
export async function reauthenticate(deps: AuthDeps, call: AuthenticatedCall): Promise<Response> {
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
      return newPhoneCode(deps, tx, { user, phone: user.phone, kind: 'reauthentication', now: call.now })
    })
    return sendPhoneCode(deps, call, user, { phoneCode: sent })
  })
  return json(messageId ? { message_id: messageId } : {})
}

async function mailNonce(deps: AuthDeps, call: AuthenticatedCall, user: User): Promise<void> {
  checkMailFrequency(user.reauthentication_sent_at, deps.config.email.max_frequency, call.now)
  const code = newCode(deps.config.email.otp_length)
  const hash = tokenHash(user.email, code)
  await withHooks(deps, ['send_email'], async (deps) => {
    await deps.db.transaction(async (tx) => {
      await audit(tx, { actor: user, action: 'user_reauthenticate_requested' }, call.now)
      await updateUser(tx, user.id, { reauthentication_token: hash, reauthentication_sent_at: call.now }, call.now)
      await saveOneTimeToken(
        tx,
        { userId: user.id, type: 'reauthentication_token', hash, relatesTo: user.email },
        call.now,
      )
    })
    await sendReauthenticationMail(deps, call, { user, code, hash })
  })
}
