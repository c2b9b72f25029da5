import { z } from 'zod'
import { readBody } from './body.ts'
import { type Call, json } from './call.ts'
import type { AuthDeps } from './deps.ts'
import { authError } from './errors.ts'
import { withHooks } from './hook-transaction.ts'
import { notify } from './mails.ts'
import { tokenHash } from './one-time-code.ts'
import { text, validEmail, validPhone } from './params.ts'
import { askSender } from './phone-codes.ts'
import { startSession } from './start-session.ts'
import type { User } from './user.ts'
import { findUser, phoneChangeIs, phoneIs } from './users.ts'
import { type Accepted, acceptProof } from './verify-effects.ts'
import { type VerifyParams, verifyAddressAndCode, verifyHash } from './verify-token.ts'

const VerifyBody = z.object({ type: text, token: text, token_hash: text, email: text, phone: text, redirect_to: text })

/** Half of a change of address that both mailboxes must confirm. */
export const SINGLE_CONFIRMATION = 'Confirmation link accepted. Please proceed to confirm link sent to the other email'

/** POST /verify: a code with its address, or a token's hash, for a session.
 *  @see supabase/auth internal/api/verify.go */
export async function verifyPost(deps: AuthDeps, call: Call): Promise<Response> {
  const params = await readParams(call)
  const accepted = await redeem(deps, call, params, (deps, user) => startSession(deps, call, user, 'otp'))
  if (accepted === 'half') return json({ msg: SINGLE_CONFIRMATION, code: '200' })
  await notifyOfChanges(deps, call, accepted)
  return json(accepted.opened)
}

/** Redeems a token and does what it stands for, all or nothing. `half` is the first of two confirmations.
 *  @param open What the account's owner gets for it. */
export async function redeem<T>(
  deps: AuthDeps,
  call: Call,
  params: VerifyParams,
  open: (deps: AuthDeps, user: User) => Promise<T>,
): Promise<(Accepted & { readonly opened: T }) | 'half'> {
  const vouched = await vouchedFor(deps, call, params)
  return withHooks(deps, ['custom_access_token'], async (deps) => {
    const accepted = await deps.db.transaction(async (tx) => {
      const isHash = params.token === '' || params.email + params.phone === ''
      const { user, type } = isHash
        ? await verifyHash(tx, deps.config, params, call.now)
        : await verifyAddressAndCode(tx, deps.config, params, call.aud, call.now, vouched)
      return acceptProof(tx, deps.config, call, { ...params, type }, user)
    })
    return accepted === 'half' ? accepted : { ...accepted, opened: await open(deps, accepted.user) }
  })
}

/** Asks the provider that made up a phone's code, outside of any transaction and only for someone who is there. */
async function vouchedFor(
  deps: AuthDeps,
  { aud }: Call,
  { type, phone, token }: VerifyParams,
): Promise<boolean | null> {
  if (phone === '' || token === '') return null
  const where = type === 'phone_change' ? phoneChangeIs(phone, aud) : phoneIs(phone, aud)
  return (await findUser(deps.db, where)) ? askSender(deps, phone, token) : null
}

/** Mails about what has changed, to the address that it concerns. */
export async function notifyOfChanges(
  deps: AuthDeps,
  call: Call,
  { user, before, linkedPhone }: Accepted,
): Promise<void> {
  const moved = (from: string, to: string) => from !== '' && to !== '' && from !== to
  const told: Promise<void>[] = []
  if (moved(before.email, user.email)) {
    told.push(notify(deps, call, 'email_changed', before.email, user, { OldEmail: before.email }))
  }
  if (moved(before.phone, user.phone)) {
    told.push(notify(deps, call, 'phone_changed', user.email, user, { OldPhone: before.phone }))
  }
  if (linkedPhone) told.push(notify(deps, call, 'identity_linked', user.email, user, { Provider: 'phone' }))
  await Promise.all(told)
}

async function readParams({ request }: Call): Promise<VerifyParams> {
  const body = await readBody(request, VerifyBody)
  if (body.type === '') throw authError('verifyTypeMissing')
  if ((body.token === '') === (body.token_hash === '')) throw authError('verifyOneToken')
  if (body.token_hash !== '') {
    if (body.email + body.phone + body.redirect_to !== '') throw authError('verifyHashOnly')
    return { type: body.type, token: '', hash: body.token_hash, email: '', phone: '' }
  }
  const { type, token } = body
  if (body.phone !== '' && body.email === '') {
    const phone = validPhone(body.phone)
    return { type, token, hash: tokenHash(phone, token), email: '', phone }
  }
  if (body.email === '' || body.phone !== '') throw authError('verifyOneAddress')
  const email = readEmail(body.email)
  return { type, token, hash: tokenHash(email, token), email, phone: '' }
}

function readEmail(email: string): string {
  try {
    return validEmail(email)
  } catch (error) {
    throw authError('verifyEmailInvalid', [], { cause: error })
  }
}
