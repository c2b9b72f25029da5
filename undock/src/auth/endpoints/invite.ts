import { z } from 'zod'
import type { AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import { withAccountRollback } from '../flows/account-rollback.ts'
import { insertEmailUser, newEmailUser } from '../flows/email-account.ts'
import { withHooks } from '../hooks/hook-transaction.ts'
import { beforeUserCreated } from '../hooks/hooks.ts'
import { type Call, json } from '../http/call.ts'
import { newInvitation } from '../mail/link-tokens.ts'
import { sendLinkMail } from '../mail/messages.ts'
import { adminActor, audit } from '../models/audit.ts'
import { metadata, text, validEmail } from '../models/params.ts'
import { presentUser, type User } from '../models/user.ts'
import { emailIs, findUser, reloadUser } from '../models/users.ts'

export const Invite = z.object({ email: text, data: metadata })

/** POST /invite: creates an account without a password and mails its owner. @see supabase/auth internal/api/invite.go */
export async function invite(deps: AuthDeps, call: Call, body: z.infer<typeof Invite>): Promise<Response> {
  const email = validEmail(body.email)
  const known = await findUser(deps.db, emailIs(email, call.aud))
  if (known?.email_confirmed_at) throw authError('emailTaken')
  const fresh = known ? null : newEmailUser(call, email, body.data ?? {}, '')
  if (fresh) await beforeUserCreated(deps, call, presentUser(fresh))
  const send = async (deps: AuthDeps): Promise<User> => {
    const { account, mail } = await deps.db.transaction(async (tx) => {
      const account = known ?? (await insertEmailUser(tx, fresh as User, call.now))
      const traits = { user_id: account.id, user_email: account.email }
      await audit(tx, { actor: adminActor, action: 'user_invited', traits }, call.now)
      return { account, mail: await newInvitation(tx, deps.config, account, call.now) }
    })
    await sendLinkMail(deps, call, account, mail)
    return account
  }
  const user = await withAccountRollback(deps, call, fresh, () => withHooks(deps, ['send_email'], send))
  return json(presentUser(await reloadUser(deps.db, user.id)))
}
