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
import { checkPkce, pkce, text, validEmail } from './params.ts'
import { emailIs, findUser } from './users.ts'

export const Recover = z.object({ ...guarded, ...pkce, email: text })

/** POST /recover: mails a link to choose a new password, if there is such an account; the answer does not tell. */
export async function recover(deps: AuthDeps, call: Call, body: z.infer<typeof Recover>): Promise<Response> {
  if (body.email === '') throw authError('recoveryEmailMissing')
  const email = validEmail(body.email)
  checkPkce(body)
  const user = await findUser(deps.db, emailIs(email, call.aud))
  if (!user) return json({})
  const isPkce = body.code_challenge !== ''
  await withHooks(deps, ['send_email'], async (deps) => {
    const mail = await deps.db.transaction(async (tx) => {
      if (isPkce) await insertFlowState(tx, user.id, 'recovery', 'recovery', body, call.now)
      await audit(tx, { actor: user, action: 'user_recovery_requested' }, call.now)
      return newRecovery(tx, deps.config, user, 'recovery', isPkce, call.now)
    })
    await sendLinkMail(deps, call, user, mail)
  })
  return json({})
}
