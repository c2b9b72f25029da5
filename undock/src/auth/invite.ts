import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { adminActor, audit } from './audit.ts'
import type { Queryable } from './auth-db.ts'
import { blankUser } from './blank-user.ts'
import { type Call, json } from './call.ts'
import type { AuthDeps } from './deps.ts'
import { authError } from './errors.ts'
import { orNoAccount } from './fresh-account.ts'
import { withHooks } from './hook-transaction.ts'
import { beforeUserCreated } from './hooks.ts'
import { insertIdentity, ownIdentity } from './identities.ts'
import { newInvitation } from './link-tokens.ts'
import { sendLinkMail } from './mails.ts'
import { type Json, metadata, text, validEmail } from './params.ts'
import { presentUser, type User } from './user.ts'
import { emailIs, findUser, insertUser, reloadUser } from './users.ts'

export const Invite = z.object({ email: text, data: metadata })

/** POST /invite: an account without a password, and a mail to its owner. @see supabase/auth internal/api/invite.go */
export async function invite(deps: AuthDeps, call: Call, body: z.infer<typeof Invite>): Promise<Response> {
  const email = validEmail(body.email)
  const known = await findUser(deps.db, emailIs(email, call.aud))
  if (known?.email_confirmed_at) throw authError('emailTaken')
  const fresh = known ? null : newMailUser(call, email, body.data ?? {}, '')
  if (fresh) await beforeUserCreated(deps, call, presentUser(fresh))
  const send = async (deps: AuthDeps): Promise<User> => {
    const { account, mail } = await deps.db.transaction(async (tx) => {
      const account = known ?? (await insertMailUser(tx, fresh as User, call.now))
      const traits = { user_id: account.id, user_email: account.email }
      await audit(tx, { actor: adminActor, action: 'user_invited', traits }, call.now)
      return { account, mail: await newInvitation(tx, deps.config, account, call.now) }
    })
    await sendLinkMail(deps, call, account, mail)
    return account
  }
  const user = await orNoAccount(deps, call, fresh, () => withHooks(deps, ['send_email'], send))
  return json(presentUser(await reloadUser(deps.db, user.id)))
}

/** A user known by a mail address alone. */
export function newMailUser({ aud, now }: Call, email: string, data: Json, passwordHash: string): User {
  return blankUser({
    id: randomUUID(),
    aud,
    email,
    encrypted_password: passwordHash,
    raw_app_meta_data: { provider: 'email', providers: ['email'] },
    raw_user_meta_data: data,
    created_at: now,
    updated_at: now,
  })
}

export async function insertMailUser(tx: Queryable, user: User, now: Date): Promise<User> {
  await insertUser(tx, user, now)
  await insertIdentity(tx, user.id, 'email', ownIdentity(user.id, { email: user.email }), now)
  return reloadUser(tx, user.id)
}
