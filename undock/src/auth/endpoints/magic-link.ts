import { z } from 'zod'
import { randomPassword } from '../credentials/passwords.ts'
import type { AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import { register } from '../flows/registration.ts'
import { withHooks } from '../hooks/hooks.ts'
import { type Call, json } from '../http/call.ts'
import { captchaParams } from '../http/captcha.ts'
import { newRecovery } from '../mail/link-tokens.ts'
import { sendLinkMail } from '../mail/messages.ts'
import { audit } from '../models/audit.ts'
import { startMailFlow } from '../models/flow-states.ts'
import { checkPkce, metadata, pkce, text, validEmail } from '../models/params.ts'
import type { User } from '../models/user.ts'
import { emailIs, findUser } from '../models/users.ts'

export const MagicLink = z.object({ ...captchaParams, ...pkce, email: text, data: metadata })

/** POST /magiclink: signs in by mail, and signs up unknown addresses first.
 *  @see supabase/auth internal/api/magic_link.go */
export async function magicLink(deps: AuthDeps, call: Call, body: z.infer<typeof MagicLink>): Promise<Response> {
  const { config, db } = deps
  if (!config.email.enabled) throw authError('emailLoginDisabled')
  if (body.email === '') throw authError('magicLinkEmailMissing')
  const email = validEmail(body.email)
  checkPkce(body)
  const existing = await findUser(db, emailIs(email, call.aud))
  if (!existing?.email_confirmed_at) {
    await register(deps, call, { ...body, email, phone: '', channel: '', password: randomPassword() })
    // The confirmation mail already contains the link.
    if (config.email.enable_confirmations) return json({})
  }
  const user = existing?.email_confirmed_at ? existing : await findUser(db, emailIs(email, call.aud))
  if (!user) throw authError('userExists')
  return sendRecovery(deps, call, user, { method: 'magiclink', kind: 'magic_link', pkce: body })
}

export const Recover = z.object({ ...captchaParams, ...pkce, email: text })

/** POST /recover: mails a link to set a new password. The answer doesn't reveal whether the account exists. */
export async function recover(deps: AuthDeps, call: Call, body: z.infer<typeof Recover>): Promise<Response> {
  if (body.email === '') throw authError('recoveryEmailMissing')
  const email = validEmail(body.email)
  checkPkce(body)
  const user = await findUser(deps.db, emailIs(email, call.aud))
  return user ? sendRecovery(deps, call, user, { method: 'recovery', kind: 'recovery', pkce: body }) : json({})
}

type Recovery = {
  readonly method: 'magiclink' | 'recovery'
  readonly kind: 'magic_link' | 'recovery'
  readonly pkce: Parameters<typeof checkPkce>[0]
}

async function sendRecovery(deps: AuthDeps, call: Call, user: User, { method, kind, pkce }: Recovery) {
  await withHooks(deps, ['send_email'], async (deps) => {
    const mail = await deps.db.transaction(async (tx) => {
      const isPkce = await startMailFlow(tx, user, { method, pkce }, call.now)
      await audit(tx, { actor: user, action: 'user_recovery_requested' }, call.now)
      return newRecovery(tx, deps.config, user, { kind, isPkce, now: call.now })
    })
    await sendLinkMail(deps, call, user, mail)
  })
  return json({})
}
