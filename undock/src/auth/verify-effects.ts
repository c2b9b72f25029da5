import { confirmEmail, confirmPhone } from './account.ts'
import { audit } from './audit.ts'
import type { Queryable } from './auth-db.ts'
import type { Call } from './call.ts'
import type { AuthConfig } from './deps.ts'
import { authError } from './errors.ts'
import { saveOwnIdentity, updateIdentityData, updateProviders } from './identities.ts'
import { PKCE_PREFIX } from './one-time-code.ts'
import { clearOneTimeTokens } from './one-time-tokens.ts'
import type { User } from './user.ts'
import { findByAnyEmail, findUser, phoneIs, reloadUser, updateUser } from './users.ts'
import type { VerifyParams, VerifyType } from './verify-token.ts'

/** The account as it is now, and what of it has changed. */
export type Accepted = {
  readonly user: User
  readonly before: Pick<User, 'email' | 'phone'>
  readonly linkedPhone: boolean
}

type Params = VerifyParams & { readonly type: VerifyType }

/** Does what a redeemed token stands for. `half` is the first of the two confirmations of a change of address. */
export async function acceptProof(
  tx: Queryable,
  config: AuthConfig,
  call: Pick<Call, 'now'>,
  params: Params,
  user: User,
): Promise<Accepted | 'half'> {
  const { now } = call
  let linkedPhone = false
  switch (params.type) {
    case 'signup':
    case 'invite':
      await acceptSignUp(tx, user, now)
      break
    case 'recovery':
    case 'magiclink':
      await acceptRecovery(tx, user, now)
      break
    case 'email_change':
      if (needsOtherMailbox(config, user)) {
        await noteFirstMailbox(tx, params, user, now)
        return 'half'
      }
      await changeEmail(tx, user, user.email_change, now)
      break
    case 'sms':
      await audit(tx, { actor: user, action: 'user_signedup', traits: { provider: 'phone' } }, now)
      await confirmPhone(tx, user.id, now)
      if (user.is_anonymous) await updateUser(tx, user.id, { is_anonymous: false }, now)
      break
    case 'phone_change':
      linkedPhone = await changePhone(tx, user, params.phone, now)
      break
  }
  await updateProviders(tx, await reloadUser(tx, user.id), now)
  return { user: await reloadUser(tx, user.id), before: user, linkedPhone }
}

async function acceptSignUp(tx: Queryable, user: User, now: Date): Promise<void> {
  await audit(tx, { actor: user, action: 'user_signedup', traits: { provider: 'email' } }, now)
  await confirmEmail(tx, user, now)
  for (const identity of user.identities) {
    if (user.email !== '' && identity.email === user.email) {
      await updateIdentityData(tx, identity, { email_verified: true }, now)
    }
  }
}

async function acceptRecovery(tx: Queryable, user: User, now: Date): Promise<void> {
  await updateUser(tx, user.id, { recovery_token: '' }, now)
  await clearOneTimeTokens(tx, user.id)
  if (user.email_confirmed_at) {
    await audit(tx, { actor: user, action: 'login' }, now)
    return
  }
  await audit(tx, { actor: user, action: 'user_signedup', traits: { provider: 'email' } }, now)
  await confirmEmail(tx, user, now)
}

/** Without confirmations (or a current address) the new mailbox alone is enough. */
function needsOtherMailbox({ email }: AuthConfig, user: User): boolean {
  const isFirst = user.email_change_confirm_status === 0
  return email.enable_confirmations && email.double_confirm_changes && isFirst && user.email !== ''
}

async function noteFirstMailbox(tx: Queryable, { hash }: Params, user: User, now: Date): Promise<void> {
  const isCurrent = [hash, PKCE_PREFIX + hash].includes(user.email_change_token_current)
  const column = isCurrent ? 'email_change_token_current' : 'email_change_token_new'
  await clearOneTimeTokens(tx, user.id, column)
  await updateUser(tx, user.id, { email_change_confirm_status: 1, [column]: '' }, now)
}

/** The account moves to a new, proven address. @throws `email_exists` when another account was faster */
export async function changeEmail(tx: Queryable, user: User, email: string, now: Date): Promise<void> {
  if (await findByAnyEmail(tx, email, user.aud, user.id)) throw authError('emailTaken')
  await audit(tx, { actor: user, action: 'user_modified' }, now)
  await saveOwnIdentity(tx, user.id, 'email', { email, email_verified: true }, now)
  await updateUser(
    tx,
    user.id,
    {
      email,
      email_change: '',
      email_change_token_current: '',
      email_change_token_new: '',
      email_change_confirm_status: 0,
      is_anonymous: false,
    },
    now,
  )
  await clearOneTimeTokens(tx, user.id)
  if (!user.email_confirmed_at) await confirmEmail(tx, user, now)
}

/** The account gets a new, proven number. True when it had no phone identity before. */
export async function changePhone(tx: Queryable, user: User, phone: string, now: Date): Promise<boolean> {
  const holder = await findUser(tx, phoneIs(phone, user.aud))
  if (holder && holder.id !== user.id) throw authError('phoneTaken')
  await audit(tx, { actor: user, action: 'user_modified' }, now)
  const isNew = await saveOwnIdentity(tx, user.id, 'phone', { phone, phone_verified: true }, now)
  await updateUser(
    tx,
    user.id,
    { phone, phone_change: '', phone_change_token: '', phone_confirmed_at: now, is_anonymous: false },
    now,
  )
  await clearOneTimeTokens(tx, user.id)
  return isNew
}
