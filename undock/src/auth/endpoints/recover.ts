import { z } from 'zod'
import type { AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import { withHooks } from '../hooks/hook-transaction.ts'
import { type Call, json } from '../http/call.ts'
import { captchaParams } from '../http/captcha.ts'
import { newRecovery } from '../mail/link-tokens.ts'
import { sendLinkMail } from '../mail/messages.ts'
import { audit } from '../models/audit.ts'
import { insertFlowState } from '../models/flow-states.ts'
import { checkPkce, pkce, text, validEmail } from '../models/params.ts'
import { emailIs, findUser } from '../models/users.ts'

export const Recover = z.object({ ...captchaParams, ...pkce, email: text })

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
      if (isPkce)
        await insertFlowState(
          tx,
          { userId: user.id, providerType: 'recovery', method: 'recovery', pkce: body },
          call.now,
        )
      await audit(tx, { actor: user, action: 'user_recovery_requested' }, call.now)
      return newRecovery(tx, deps.config, user, { kind: 'recovery', isPkce, now: call.now })
    })
    await sendLinkMail(deps, call, user, mail)
  })
  return json({})
}
