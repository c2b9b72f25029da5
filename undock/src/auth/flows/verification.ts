import type { AuthDeps } from '../deps.ts'
import { withHooks } from '../hooks/hook-transaction.ts'
import type { Call } from '../http/call.ts'
import { notify } from '../mail/messages.ts'
import type { User } from '../models/user.ts'
import { findUser, phoneChangeIs, phoneIs } from '../models/users.ts'
import { verifyWithSender } from '../sms/phone-codes.ts'
import { type AppliedVerification, applyVerification } from './apply-verification.ts'
import { type VerifyParams, verifyAddressAndCode, verifyHash } from './verify-token.ts'

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
