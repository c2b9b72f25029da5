import { z } from 'zod'
import { adminActor, audit } from './audit.ts'
import type { Queryable } from './auth-db.ts'
import { type Call, json } from './call.ts'
import type { AuthDeps } from './deps.ts'
import { authError } from './errors.ts'
import { beforeUserCreated } from './hooks.ts'
import { insertMailUser, newMailUser } from './invite.ts'
import { actionLink } from './mails.ts'
import { newCode, tokenHash } from './one-time-code.ts'
import { saveOneTimeToken } from './one-time-tokens.ts'
import { metadata, text, validEmail } from './params.ts'
import { checkPassword, hashPassword, unguessablePassword } from './passwords.ts'
import { presentUser, type User } from './user.ts'
import { emailIs, findByAnyEmail, findUser, merged, reloadUser, updateUser } from './users.ts'

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

/** POST /admin/generate_link: what a mail would hold, for whoever sends their own.
 *  @see supabase/auth internal/api/mail.go, adminGenerateLink */
export async function generateLink(deps: AuthDeps, call: Call, body: GenerateLink): Promise<Response> {
  const email = validEmail(body.email)
  const redirectTo = deps.redirects.allows(body.redirect_to) ? body.redirect_to : call.redirectTo
  const known = await findUser(deps.db, emailIs(email, call.aud))
  const type = typeFor(body.type, known)
  const fresh = await newAccount(deps, call, type, known, { ...body, email })
  const code = newCode(deps.config.email.otp_length)
  const newEmail = type.startsWith('email_change') ? validEmail(body.new_email) : ''
  const hash = tokenHash(type === 'email_change_new' ? newEmail : email, code)
  const userId = await deps.db.transaction(async (tx) => {
    const user = known ?? (await insertMailUser(tx, fresh as User, call.now))
    await storeToken(deps, call, tx, user, type, hash, { ...body, new_email: newEmail })
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

/** Someone without an account signs up by their magic link. */
function typeFor(asked: string, known: User | null): LinkType {
  const type = TYPES.find((one) => one === asked)
  if (!known && type === 'magiclink') return 'signup'
  if (!known && (type === 'recovery' || type?.startsWith('email_change'))) throw authError('userByEmailUnknown')
  if (!type) throw authError('linkType', [asked])
  return type
}

async function newAccount(deps: AuthDeps, call: Call, type: LinkType, known: User | null, body: GenerateLink) {
  const makes = type === 'signup' || type === 'invite'
  if (known) {
    if (makes && known.email_confirmed_at) throw authError('emailTaken')
    return null
  }
  const password = type === 'invite' ? '' : body.type === 'magiclink' ? unguessablePassword() : body.password
  if (type === 'signup') {
    if (password === '') throw authError('signupPasswordMissing')
    checkPassword(password, deps.config)
  }
  const user = newMailUser(call, body.email, body.data ?? {}, password === '' ? '' : await hashPassword(password))
  await beforeUserCreated(deps, call, presentUser(user))
  return user
}

async function storeToken(
  deps: AuthDeps,
  call: Call,
  tx: Queryable,
  user: User,
  type: LinkType,
  hash: string,
  body: GenerateLink,
) {
  const { now } = call
  switch (type) {
    case 'magiclink':
    case 'recovery':
      await audit(tx, { actor: user, action: 'user_recovery_requested' }, now)
      await updateUser(tx, user.id, { recovery_token: hash, recovery_sent_at: now }, now)
      return saveOneTimeToken(tx, user.id, 'recovery_token', hash, user.email, now)
    case 'invite': {
      const traits = { user_id: user.id, user_email: user.email }
      await audit(tx, { actor: adminActor, action: 'user_invited', traits }, now)
      await updateUser(tx, user.id, { confirmation_token: hash, confirmation_sent_at: now, invited_at: now }, now)
      return saveOneTimeToken(tx, user.id, 'confirmation_token', hash, user.email, now)
    }
    case 'signup': {
      const raw_user_meta_data = merged(user.raw_user_meta_data, body.data ?? {})
      await updateUser(tx, user.id, { confirmation_token: hash, confirmation_sent_at: now, raw_user_meta_data }, now)
      return saveOneTimeToken(tx, user.id, 'confirmation_token', hash, user.email, now)
    }
    case 'email_change_current':
    case 'email_change_new':
      return storeEmailChange(deps, tx, user, type, hash, body.new_email, now)
  }
}

async function storeEmailChange(
  deps: AuthDeps,
  tx: Queryable,
  user: User,
  type: 'email_change_current' | 'email_change_new',
  hash: string,
  newEmail: string,
  now: Date,
): Promise<void> {
  const isCurrent = type === 'email_change_current'
  if (isCurrent && !deps.config.email.double_confirm_changes) throw authError('linkSecureChange')
  if (await findByAnyEmail(tx, newEmail, user.aud, user.id)) throw authError('emailTaken')
  const column = isCurrent ? 'email_change_token_current' : 'email_change_token_new'
  const change = { email_change: newEmail, email_change_sent_at: now, email_change_confirm_status: 0 }
  await updateUser(tx, user.id, { ...change, [column]: hash }, now)
  await saveOneTimeToken(tx, user.id, column, hash, isCurrent ? user.email : newEmail, now)
}
