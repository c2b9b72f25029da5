import { z } from 'zod'
import { randomPassword } from '../credentials/passwords.ts'
import type { AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import { register } from '../flows/registration.ts'
import { type Call, json } from '../http/call.ts'
import { captchaParams } from '../http/captcha.ts'
import { checkPkce, metadata, pkce, text, validEmail, validPhone } from '../models/params.ts'
import { emailIs, findUser, phoneIs } from '../models/users.ts'
import { answerWithCode, checkChannel } from '../sms/phone-codes.ts'
import { MagicLink, magicLink } from './magic-link.ts'

export const Otp = z.object({
  ...captchaParams,
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

/** POST /otp: sends a code by mail (with a link) or SMS. @see supabase/auth internal/api/otp.go */
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
  if (!config.sms.enabled) throw authError('phoneOtpDisabled')
  const phone = validPhone(body.phone)
  checkChannel(config, body.channel)
  const existing = await findUser(db, phoneIs(phone, call.aud))
  if (!existing?.phone_confirmed_at) {
    const signup = {
      ...body,
      phone,
      email: '',
      password: randomPassword(),
      code_challenge: '',
      code_challenge_method: '',
    }
    await register(deps, call, signup)
    // The sign-up already sent a code.
    if (config.sms.enable_confirmations) return json({})
  }
  const user = existing?.phone_confirmed_at ? existing : await findUser(db, phoneIs(phone, call.aud))
  if (!user) throw authError('userUnknown')
  const entry = { action: 'user_recovery_requested', traits: { channel: body.channel || 'sms' } } as const
  return answerWithCode(deps, call, { user, phone, kind: 'confirmation' }, { entry, channel: body.channel })
}
