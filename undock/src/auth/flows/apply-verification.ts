import { PKCE_PREFIX } from '../credentials/one-time-codes.ts'
import type { AuthConfig } from '../deps.ts'
import type { Call } from '../http/call.ts'
import { audit } from '../models/audit.ts'
import type { Queryable } from '../models/auth-db.ts'
import { updateIdentityData, updateProviders } from '../models/identities.ts'
import { clearOneTimeTokens } from '../models/one-time-tokens.ts'
import type { User } from '../models/user.ts'
import { reloadUser, updateUser } from '../models/users.ts'
import { changeEmail, changePhone, confirmEmail, confirmPhone } from './account.ts'
import type { VerifyParams, VerifyType } from './verify-token.ts'

export type AppliedVerification = {
  readonly user: User
  readonly before: Pick<User, 'email' | 'phone'>
  readonly linkedPhone: boolean
}

type Params = VerifyParams & { readonly type: VerifyType }

/** Applies what a redeemed token confirms. `half` is the first of two confirmations of an address change. */
export async function applyVerification(
  tx: Queryable,
  config: AuthConfig,
  call: Pick<Call, 'now'>,
  { params, user }: { readonly params: Params; readonly user: User },
): Promise<AppliedVerification | 'half'> {
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
        await recordFirstConfirmation(tx, params, user, now)
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

/** Without confirmations or a current address, confirming the new address suffices. */
function needsOtherMailbox({ email }: AuthConfig, user: User): boolean {
  const isFirst = user.email_change_confirm_status === 0
  return email.enable_confirmations && email.double_confirm_changes && isFirst && user.email !== ''
}

async function recordFirstConfirmation(tx: Queryable, { hash }: Params, user: User, now: Date): Promise<void> {
  const isCurrent = [hash, PKCE_PREFIX + hash].includes(user.email_change_token_current)
  const column = isCurrent ? 'email_change_token_current' : 'email_change_token_new'
  await clearOneTimeTokens(tx, user.id, column)
  await updateUser(tx, user.id, { email_change_confirm_status: 1, [column]: '' }, now)
}
