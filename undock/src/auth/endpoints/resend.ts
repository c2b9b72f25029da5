import { z } from 'zod'
import type { AuthConfig, AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import { withHooks } from '../hooks/hooks.ts'
import { type Call, json } from '../http/call.ts'
import { captchaParams } from '../http/captcha.ts'
import { newConfirmation, newEmailChange } from '../mail/link-tokens.ts'
import { sendEmailChangeMails, sendLinkMail } from '../mail/messages.ts'
import { audit } from '../models/audit.ts'
import { startMailFlow } from '../models/flow-states.ts'
import { checkPkce, pkce, text, validEmail, validPhone } from '../models/params.ts'
import type { User } from '../models/user.ts'
import { emailIs, findUser, phoneIs } from '../models/users.ts'
import { answerWithCode } from '../sms/phone-codes.ts'

export const Resend = z.object({ ...captchaParams, ...pkce, type: text, email: text, phone: text })
type Resend = z.infer<typeof Resend>

const TYPES = ['signup', 'email_change', 'sms', 'phone_change'] as const
type ResendType = (typeof TYPES)[number]

/** POST /resend: resends the pending code. Answers alike if nothing is pending or no such user exists. */
export async function resend(deps: AuthDeps, call: Call, body: Resend): Promise<Response> {
  const type = TYPES.find((known) => known === body.type)
  if (!type) throw authError('resendType')
  const where = addressOf(deps.config, call, type, body)
  const user = await findUser(deps.db, where)
  if (!user || !isPending(user, type)) return json({})
  switch (type) {
    case 'signup':
      await resendConfirmation(deps, call, user, body)
      return json({})
    case 'email_change':
      await resendEmailChange(deps, call, user, body)
      return json({})
    case 'sms': {
      const entry = { action: 'user_recovery_requested' } as const
      return answerWithCode(deps, call, { user, phone: user.phone, kind: 'confirmation' }, { entry })
    }
    case 'phone_change':
      return answerWithCode(deps, call, { user, phone: user.phone_change, kind: 'phone_change' }, { entry: null })
  }
}

function addressOf(config: AuthConfig, { aud }: Call, type: ResendType, body: Resend) {
  if (type === 'signup' || type === 'email_change') checkPkce(body)
  if (body.email === '' && type === 'signup') throw authError('resendEmailMissing')
  if (body.phone === '' && type === 'sms') throw authError('resendPhoneMissing')
  if (body.email !== '' && body.phone !== '') throw authError('resendOneAddress')
  if (body.email !== '') {
    if (!config.email.enabled) throw authError('emailLoginRefused')
    return emailIs(validEmail(body.email), aud)
  }
  if (body.phone === '') throw authError('resendAddressMissing')
  if (!config.sms.enabled) throw authError('phoneLoginRefused')
  return phoneIs(validPhone(body.phone), aud)
}

function isPending(user: User, type: ResendType): boolean {
  switch (type) {
    case 'signup':
      return user.email_confirmed_at === null
    case 'sms':
      return user.phone_confirmed_at === null
    case 'email_change':
      return user.email_change !== ''
    case 'phone_change':
      return user.phone_change !== ''
  }
}

async function resendConfirmation(deps: AuthDeps, call: Call, user: User, body: Resend): Promise<void> {
  await withHooks(deps, ['send_email'], async (deps) => {
    const mail = await deps.db.transaction(async (tx) => {
      await audit(tx, { actor: user, action: 'user_confirmation_requested' }, call.now)
      const isPkce = await startMailFlow(tx, user, { method: 'email/signup', pkce: body }, call.now)
      return newConfirmation(tx, deps.config, user, { isPkce, now: call.now })
    })
    await sendLinkMail(deps, call, user, mail)
  })
}

async function resendEmailChange(deps: AuthDeps, call: Call, user: User, body: Resend): Promise<void> {
  await withHooks(deps, ['send_email'], async (deps) => {
    const change = await deps.db.transaction(async (tx) => {
      const isPkce = await startMailFlow(tx, user, { method: 'email_change', pkce: body }, call.now)
      return newEmailChange(tx, deps.config, user, { newEmail: user.email_change, isPkce, now: call.now })
    })
    await sendEmailChangeMails(deps, call, { user, newEmail: user.email_change, change })
  })
}
