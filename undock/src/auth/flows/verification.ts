import { PKCE_PREFIX } from '../credentials/one-time-codes.ts'
import type { AuthConfig, AuthDeps } from '../deps.ts'
import { withHooks } from '../hooks/hooks.ts'
import type { Call } from '../http/call.ts'
import { notify } from '../mail/messages.ts'
import { audit } from '../models/audit.ts'
import type { Queryable } from '../models/auth-db.ts'
import { updateIdentityData, updateProviders } from '../models/identities.ts'
import { clearOneTimeTokens } from '../models/one-time-tokens.ts'
import type { User } from '../models/user.ts'
import { findUser, phoneChangeIs, phoneIs, reloadUser, updateUser } from '../models/users.ts'
import { verifyWithSender } from '../sms/phone-codes.ts'
import { changeEmail, changePhone, confirmEmail, confirmPhone } from './account.ts'
import { type VerifyParams, type VerifyType, verifyAddressAndCode, verifyHash } from './verify-token.ts'

/** Redeems a one-time token and applies what it confirms, in one transaction. `half` is the first of two confirmations.
 *  @param open Produces the result for the account's owner, such as a session. */
export async function redeem<T>(
  deps: AuthDeps,
  call: Call,
  params: VerifyParams,
  open: (deps: AuthDeps, user: User) => Promise<T>,
): Promise<(AppliedVerification & { readonly opened: T }) | 'half'> {
  const senderVerdict = await senderVerdictFor(deps, call, params)
  const isHash = params.token === '' || params.email + params.phone === ''
  // A wrong hash names no account whose attempts could be counted.
  if (isHash) await deps.limits.checkWrongCodes(call.client.address)
  return withHooks(deps, ['custom_access_token'], async (deps) => {
    const accepted = await deps.db.transaction(async (tx) => {
      const { user, type } = isHash
        ? await verifyHash(tx, deps, params, call.now).catch(async (error: unknown) => {
            await deps.limits.countWrongCode(call.client.address)
            throw error
          })
        : await verifyAddressAndCode(tx, deps, params, { aud: call.aud, now: call.now, senderVerdict })
      return applyVerification(tx, deps.config, call, { params: { ...params, type }, user })
    })
    return accepted === 'half' ? accepted : { ...accepted, opened: await open(deps, accepted.user) }
  })
}

/** Asks the SMS provider that generated the code, outside any transaction and only for existing users. */
async function senderVerdictFor(
  deps: AuthDeps,
  { aud }: Call,
  { type, phone, token }: VerifyParams,
): Promise<boolean | null> {
  if (phone === '' || token === '') return null
  const where = type === 'phone_change' ? phoneChangeIs(phone, aud) : phoneIs(phone, aud)
  return (await findUser(deps.db, where)) ? verifyWithSender(deps, phone, token) : null
}

export async function notifyOfChanges(
  deps: AuthDeps,
  call: Call,
  { user, before, linkedPhone }: AppliedVerification,
): Promise<void> {
  const moved = (from: string, to: string) => from !== '' && to !== '' && from !== to
  const notifications: Promise<void>[] = []
  if (moved(before.email, user.email)) {
    notifications.push(
      notify(deps, call, { kind: 'email_changed', to: before.email, user, details: { OldEmail: before.email } }),
    )
  }
  if (moved(before.phone, user.phone)) {
    notifications.push(
      notify(deps, call, { kind: 'phone_changed', to: user.email, user, details: { OldPhone: before.phone } }),
    )
  }
  if (linkedPhone)
    notifications.push(
      notify(deps, call, { kind: 'identity_linked', to: user.email, user, details: { Provider: 'phone' } }),
    )
  await Promise.all(notifications)
}

type AppliedVerification = {
  readonly user: User
  readonly before: Pick<User, 'email' | 'phone'>
  readonly linkedPhone: boolean
}

type Params = VerifyParams & { readonly type: VerifyType }

/** Applies what a redeemed token confirms. `half` is the first of two confirmations of an address change. */
async function applyVerification(
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
