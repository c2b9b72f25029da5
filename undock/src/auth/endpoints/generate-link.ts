import { z } from 'zod'
import { newCode, tokenHash } from '../credentials/one-time-codes.ts'
import { checkPassword, hashPassword, randomPassword } from '../credentials/passwords.ts'
import type { AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import { insertEmailUser, newEmailUser, withAccountRollback } from '../flows/account.ts'
import { beforeUserCreated, withHooks } from '../hooks/hooks.ts'
import { type Call, json } from '../http/call.ts'
import { newInvitation } from '../mail/link-tokens.ts'
import { actionLink, sendLinkMail } from '../mail/messages.ts'
import { adminActor, audit } from '../models/audit.ts'
import type { Queryable } from '../models/auth-db.ts'
import { saveOneTimeToken } from '../models/one-time-tokens.ts'
import { metadata, text, validEmail } from '../models/params.ts'
import { presentUser, type User } from '../models/user.ts'
import { emailIs, findByAnyEmail, findUser, merged, reloadUser, updateUser } from '../models/users.ts'

export const GenerateLink = z.object({
  type: text,
  email: text,
  new_email: text,
  password: text,
  data: metadata,
  redirect_to: text,
})
type GenerateLink = z.infer<typeof GenerateLink>

const TYPES = ['signup', 'invite', 'magiclink', 'recovery', 'email_change_current', 'email_change_new'] as const
type LinkType = (typeof TYPES)[number]

/** POST /admin/generate_link: returns a mail's content, for projects that send their own.
 *  @see supabase/auth internal/api/mail.go, adminGenerateLink */
export async function generateLink(deps: AuthDeps, call: Call, body: GenerateLink): Promise<Response> {
  const email = validEmail(body.email)
  const redirectTo = deps.redirects.allows(body.redirect_to) ? body.redirect_to : call.redirectTo
  const existing = await findUser(deps.db, emailIs(email, call.aud))
  const type = typeFor(body.type, existing)
  const fresh = await newAccount(deps, call, { type, known: existing, body: { ...body, email } })
  const code = newCode(deps.config.email.otp_length)
  const newEmail = type.startsWith('email_change') ? validEmail(body.new_email) : ''
  const hash = tokenHash(type === 'email_change_new' ? newEmail : email, code)
  const userId = await deps.db.transaction(async (tx) => {
    const user = existing ?? (await insertEmailUser(tx, fresh as User, call.now))
    await storeToken(deps, call, tx, { user, type, hash, body: { ...body, new_email: newEmail } })
    return user.id
  })
  return json({
    ...presentUser(await reloadUser(deps.db, userId)),
    action_link: actionLink(
      deps,
      type.startsWith('email_change') ? 'email_change' : (type as 'signup'),
      hash,
      redirectTo,
    ),
    email_otp: code,
    hashed_token: hash,
    verification_type: type,
    redirect_to: redirectTo,
  })
}

/** A magic link for an unknown address signs up. */
function typeFor(asked: string, known: User | null): LinkType {
  const type = TYPES.find((one) => one === asked)
  if (!known && type === 'magiclink') return 'signup'
  if (!known && (type === 'recovery' || type?.startsWith('email_change'))) throw authError('userByEmailUnknown')
  if (!type) throw authError('linkType', [asked])
  return type
}

async function newAccount(
  deps: AuthDeps,
  call: Call,
  { type, known, body }: { readonly type: LinkType; readonly known: User | null; readonly body: GenerateLink },
) {
  const makes = type === 'signup' || type === 'invite'
  if (known) {
    if (makes && known.email_confirmed_at) throw authError('emailTaken')
    return null
  }
  const password = type === 'invite' ? '' : body.type === 'magiclink' ? randomPassword() : body.password
  if (type === 'signup') {
    if (password === '') throw authError('signupPasswordMissing')
    checkPassword(password, deps.config)
  }
  const user = newEmailUser(call, body.email, body.data ?? {}, password === '' ? '' : await hashPassword(password))
  await beforeUserCreated(deps, call, presentUser(user))
  return user
}

type LinkToken = { readonly user: User; readonly type: LinkType; readonly hash: string; readonly body: GenerateLink }

async function storeToken(deps: AuthDeps, { now }: Call, tx: Queryable, token: LinkToken) {
  const { user, type, hash, body } = token
  switch (type) {
    case 'magiclink':
    case 'recovery':
      await audit(tx, { actor: user, action: 'user_recovery_requested' }, now)
      await updateUser(tx, user.id, { recovery_token: hash, recovery_sent_at: now }, now)
      return saveOneTimeToken(tx, { userId: user.id, type: 'recovery_token', hash, relatesTo: user.email }, now)
    case 'invite': {
      const traits = { user_id: user.id, user_email: user.email }
      await audit(tx, { actor: adminActor, action: 'user_invited', traits }, now)
      await updateUser(tx, user.id, { confirmation_token: hash, confirmation_sent_at: now, invited_at: now }, now)
      return saveOneTimeToken(tx, { userId: user.id, type: 'confirmation_token', hash, relatesTo: user.email }, now)
    }
    case 'signup': {
      const raw_user_meta_data = merged(user.raw_user_meta_data, body.data ?? {})
      await updateUser(tx, user.id, { confirmation_token: hash, confirmation_sent_at: now, raw_user_meta_data }, now)
      return saveOneTimeToken(tx, { userId: user.id, type: 'confirmation_token', hash, relatesTo: user.email }, now)
    }
    case 'email_change_current':
    case 'email_change_new':
      return storeEmailChange(deps, tx, token, now)
  }
}

async function storeEmailChange(
  deps: AuthDeps,
  tx: Queryable,
  { user, type, hash, body: { new_email: newEmail } }: LinkToken,
  now: Date,
): Promise<void> {
  const isCurrent = type === 'email_change_current'
  if (isCurrent && !deps.config.email.double_confirm_changes) throw authError('linkSecureChange')
  if (await findByAnyEmail(tx, newEmail, user.aud, user.id)) throw authError('emailTaken')
  const column = isCurrent ? 'email_change_token_current' : 'email_change_token_new'
  const change = { email_change: newEmail, email_change_sent_at: now, email_change_confirm_status: 0 }
  await updateUser(tx, user.id, { ...change, [column]: hash }, now)
  await saveOneTimeToken(tx, { userId: user.id, type: column, hash, relatesTo: isCurrent ? user.email : newEmail }, now)
}

export const Invite = z.object({ email: text, data: metadata })

/** POST /invite: creates an account without a password and mails its owner. @see supabase/auth internal/api/invite.go */
export async function invite(deps: AuthDeps, call: Call, body: z.infer<typeof Invite>): Promise<Response> {
  const email = validEmail(body.email)
  const existing = await findUser(deps.db, emailIs(email, call.aud))
  if (existing?.email_confirmed_at) throw authError('emailTaken')
  const fresh = existing ? null : newEmailUser(call, email, body.data ?? {}, '')
  if (fresh) await beforeUserCreated(deps, call, presentUser(fresh))
  const send = async (deps: AuthDeps): Promise<User> => {
    const { account, mail } = await deps.db.transaction(async (tx) => {
      const account = existing ?? (await insertEmailUser(tx, fresh as User, call.now))
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
