import { z } from 'zod'
import { audit } from './audit.ts'
import { type Call, json } from './call.ts'
import { guarded } from './captcha.ts'
import type { AuthDeps } from './deps.ts'
import { authError } from './errors.ts'
import { withHooks } from './hook-transaction.ts'
import { MagicLink, magicLink } from './magic-link.ts'
import { checkPkce, metadata, pkce, text, validEmail, validPhone } from './params.ts'
import { unguessablePassword } from './passwords.ts'
import { checkChannel, newPhoneCode, sendPhoneCode } from './phone-codes.ts'
import { register } from './signup.ts'
import { emailIs, findUser, phoneIs } from './users.ts'

export const Otp = z.object({
  ...guarded,
  ...pkce,
  email: text,
  phone: text,
  create_user: z
    .boolean()
    .nullish()
    .transform((value) => value ?? true),
  data: metadata,
  channel: text,
})
type Otp = z.infer<typeof Otp>

/** POST /otp: a code by mail (with a link) or by SMS. @see supabase/auth internal/api/otp.go */
export async function otp(deps: AuthDeps, call: Call, body: Otp): Promise<Response> {
  if (body.email !== '' && body.phone !== '') throw authError('otpOneAddress')
  if (body.email !== '' && body.channel !== '') throw authError('otpChannel')
  checkPkce(body)
  if (!body.create_user && !(await hasAccount(deps, call, body))) throw authError('otpNoSignup')
  if (body.email !== '') return magicLink(deps, call, MagicLink.parse({ ...body, gotrue_meta_security: null }))
  if (body.phone !== '') return smsCode(deps, call, body)
  throw authError('otpAddressMissing')
}

async function hasAccount({ db }: AuthDeps, { aud }: Call, { email, phone }: Otp): Promise<boolean> {
  if (email === '' && phone === '') return true
  const where = email !== '' ? emailIs(validEmail(email), aud) : phoneIs(validPhone(phone), aud)
  return (await findUser(db, where)) !== null
}

async function smsCode(deps: AuthDeps, call: Call, body: Otp): Promise<Response> {
  const { config, db } = deps
  if (!config.sms.enable_signup) throw authError('phoneOtpDisabled')
  const phone = validPhone(body.phone)
  checkChannel(config, body.channel)
  const known = await findUser(db, phoneIs(phone, call.aud))
  if (!known?.phone_confirmed_at) {
    const wish = {
      ...body,
      phone,
      email: '',
      password: unguessablePassword(),
      code_challenge: '',
      code_challenge_method: '',
    }
    await register(deps, call, wish)
    // The sign-up itself has sent a code then.
    if (config.sms.enable_confirmations) return json({})
  }
  const user = known?.phone_confirmed_at ? known : await findUser(db, phoneIs(phone, call.aud))
  if (!user) throw authError('userUnknown')
  const messageId = await withHooks(deps, ['send_sms'], async (deps) => {
    const sent = await deps.db.transaction(async (tx) => {
      const traits = { channel: body.channel || 'sms' }
      await audit(tx, { actor: user, action: 'user_recovery_requested', traits }, call.now)
      return newPhoneCode(deps, tx, user, phone, 'confirmation', call.now)
    })
    return sendPhoneCode(deps, call, user, sent, body.channel)
  })
  return json(messageId ? { message_id: messageId } : {})
}
