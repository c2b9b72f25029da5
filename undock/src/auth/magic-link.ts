import { z } from 'zod'
import { audit } from './audit.ts'
import { type Call, json } from './call.ts'
import { guarded } from './captcha.ts'
import type { AuthDeps } from './deps.ts'
import { authError } from './errors.ts'
import { insertFlowState } from './flow-states.ts'
import { withHooks } from './hook-transaction.ts'
import { newRecovery } from './link-tokens.ts'
import { sendLinkMail } from './mails.ts'
import { checkPkce, metadata, pkce, text, validEmail } from './params.ts'
import { unguessablePassword } from './passwords.ts'
import { register } from './signup.ts'
import { emailIs, findUser } from './users.ts'

export const MagicLink = z.object({ ...guarded, ...pkce, email: text, data: metadata })

/** POST /magiclink: signs in by mail; someone without an account gets one first.
 *  @see supabase/auth internal/api/magic_link.go */
export async function magicLink(deps: AuthDeps, call: Call, body: z.infer<typeof MagicLink>): Promise<Response> {
  const { config, db } = deps
  if (!config.email.enable_signup) throw authError('emailLoginDisabled')
  if (body.email === '') throw authError('magicLinkEmailMissing')
  const email = validEmail(body.email)
  checkPkce(body)
  const known = await findUser(db, emailIs(email, call.aud))
  if (!known?.email_confirmed_at) {
    await register(deps, call, { ...body, email, phone: '', channel: '', password: unguessablePassword() })
    // The confirmation mail holds the link then.
    if (config.email.enable_confirmations) return json({})
  }
  const user = known?.email_confirmed_at ? known : await findUser(db, emailIs(email, call.aud))
  if (!user) throw authError('userExists')
  const isPkce = body.code_challenge !== ''
  await withHooks(deps, ['send_email'], async (deps) => {
    const mail = await deps.db.transaction(async (tx) => {
      if (isPkce) await insertFlowState(tx, user.id, 'magiclink', 'magiclink', body, call.now)
      await audit(tx, { actor: user, action: 'user_recovery_requested' }, call.now)
      return newRecovery(tx, config, user, 'magic_link', isPkce, call.now)
    })
    await sendLinkMail(deps, call, user, mail)
  })
  return json({})
}
