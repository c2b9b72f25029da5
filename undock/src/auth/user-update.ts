import { z } from 'zod'
import { setPassword } from './account.ts'
import { audit } from './audit.ts'
import type { Queryable } from './auth-db.ts'
import { type CallerCall, json } from './call.ts'
import type { AuthConfig, AuthDeps } from './deps.ts'
import { authError } from './errors.ts'
import { insertFlowState } from './flow-states.ts'
import { withHooks } from './hook-transaction.ts'
import { updateProviders } from './identities.ts'
import { newEmailChange } from './link-tokens.ts'
import { type EmailChange, notify, sendEmailChangeMails } from './mails.ts'
import { checkPkce, metadata, pkce, text, validEmail, validPhone } from './params.ts'
import { checkPassword, hashPassword, passwordMatches } from './passwords.ts'
import { askSender, checkChannel, newPhoneCode, type PhoneCode, sendPhoneCode } from './phone-codes.ts'
import { consumeNonce } from './reauthenticate.ts'
import type { AuthenticationMethod } from './sessions.ts'
import { hasVerifiedFactor, presentUser, type User } from './user.ts'
import { findByAnyEmail, findUser, merged, phoneIs, reloadUser, updateUser } from './users.ts'
import { changeEmail, changePhone } from './verify-effects.ts'

export const UserUpdate = z.object({
  ...pkce,
  email: text,
  phone: text,
  password: z.string().nullish(),
  current_password: text,
  nonce: text,
  data: metadata,
  app_metadata: metadata,
  channel: text,
})
type UserUpdate = z.infer<typeof UserUpdate>

const DAY = 24 * 60 * 60 * 1000

/** PUT /user @see supabase/auth internal/api/user.go */
export async function updateOwnUser(deps: AuthDeps, call: CallerCall, body: UserUpdate): Promise<Response> {
  const { user, session } = call.caller
  const wish = readWish(deps.config, user, body)
  checkMayChange(call, wish)
  await checkAvailable(deps.db, user, wish)
  const passwordHash = await newPasswordHash(deps, call, wish)
  const nonceNeeded = passwordHash !== null && needsNonce(deps.config, call)
  const vouched = nonceNeeded && user.email === '' ? await askSender(deps, user.phone, body.nonce) : null
  const sends = [
    ...(wish.email !== '' ? (['send_email'] as const) : []),
    ...(wish.phone !== '' ? (['send_sms'] as const) : []),
  ]
  await withHooks(deps, sends, async (deps) => {
    const sent = await deps.db.transaction(async (tx): Promise<Proofs> => {
      if (passwordHash) {
        if (nonceNeeded) await consumeNonce(tx, deps.config, user, body.nonce, call.now, vouched)
        await setPassword(tx, user.id, passwordHash, session?.id ?? null, call.now)
        await audit(tx, { actor: user, action: 'user_updated_password' }, call.now)
      }
      if (wish.data)
        await updateUser(tx, user.id, { raw_user_meta_data: merged(user.raw_user_meta_data, wish.data) }, call.now)
      const proofs = await changeAddresses(deps, call, tx, await reloadUser(tx, user.id), wish)
      await audit(tx, { actor: user, action: 'user_modified' }, call.now)
      return proofs
    })
    if (sent.emailChange) await sendEmailChangeMails(deps, call, user, wish.email, sent.emailChange)
    if (sent.phoneCode) await sendPhoneCode(deps, call, user, sent.phoneCode, wish.channel)
  })
  if (passwordHash) await notify(deps, call, 'password_changed', user.email, user)
  return json(presentUser(await reloadUser(deps.db, user.id)))
}

/** `email` and `phone` are empty when they stay as they are. */
type Wish = UserUpdate

function readWish(config: AuthConfig, user: User, body: UserUpdate): Wish {
  const email = body.email === '' ? '' : validEmail(body.email)
  const phone = body.phone === '' ? '' : validPhone(body.phone)
  if (phone !== '') checkChannel(config, body.channel)
  if (typeof body.password === 'string') checkPassword(body.password, config)
  checkPkce(body)
  if (body.app_metadata) throw authError('appMetadataForbidden')
  return { ...body, email: email === user.email ? '' : email, phone: phone === user.phone ? '' : phone }
}

function checkMayChange({ caller: { user, session } }: CallerCall, { email, phone, password, nonce }: Wish): void {
  const changesAccess = Boolean(password) || email !== '' || phone !== ''
  if (changesAccess && hasVerifiedFactor(user) && session?.aal !== 'aal2') throw authError('updateNeedsAal2')
  if (user.is_anonymous && password && email === '' && phone === '') throw authError('anonymousPassword')
  if (user.is_sso_user && (changesAccess || nonce !== '')) throw authError('ssoManaged')
}

async function checkAvailable(db: Queryable, user: User, { email, phone }: Wish): Promise<void> {
  if (email !== '' && (await findByAnyEmail(db, email, user.aud, user.id))) throw authError('emailTaken')
  if (phone !== '' && (await findUser(db, phoneIs(phone, user.aud)))) throw authError('phoneTaken')
}

/** @returns null when the password stays */
async function newPasswordHash(
  { config }: AuthDeps,
  call: CallerCall,
  { password, nonce, current_password: current }: Wish,
): Promise<string | null> {
  if (typeof password !== 'string') return null
  if (needsNonce(config, call) && nonce === '') throw authError('reauthNeeded')
  const { encrypted_password: stored } = call.caller.user
  if (stored !== '' && config.email.require_current_password && !recovers(call)) {
    if (current === '') throw authError('currentPasswordMissing')
    if (!(await passwordMatches(current, stored))) throw authError('currentPasswordWrong')
  }
  if (stored !== '' && (await passwordMatches(password, stored))) throw authError('samePassword')
  return hashPassword(password)
}

/** Whoever came by a link or code to a forgotten password cannot name it. */
const recovers = ({ caller: { session } }: CallerCall): boolean =>
  session?.amr.some(({ method }) => RECOVERY_METHODS.has(method)) ?? false

const RECOVERY_METHODS = new Set<string>(['recovery', 'otp', 'magiclink'] satisfies AuthenticationMethod[])

/** A session older than a day must prove again whose it is, where the project asks for that. */
function needsNonce({ email }: AuthConfig, { caller: { session }, now }: CallerCall): boolean {
  return email.secure_password_change && (!session || now.getTime() > session.created_at.getTime() + DAY)
}

/** What is to be sent once the transaction has ended. */
type Proofs = { emailChange?: EmailChange; phoneCode?: PhoneCode }

async function changeAddresses(
  deps: AuthDeps,
  call: CallerCall,
  tx: Queryable,
  user: User,
  wish: Wish,
): Promise<Proofs> {
  const { config } = deps
  const proofs: Proofs = {}
  if (wish.email !== '') {
    // An anonymous user's first address is a sign-up; any other change must be proved.
    if (user.is_anonymous && !config.email.enable_confirmations) await changeEmail(tx, user, wish.email, call.now)
    else {
      const isPkce = wish.code_challenge !== ''
      if (isPkce) await insertFlowState(tx, user.id, 'email_change', 'email_change', wish, call.now)
      proofs.emailChange = await newEmailChange(tx, config, user, wish.email, isPkce, call.now)
    }
  }
  if (wish.phone !== '') {
    if (config.sms.enable_confirmations)
      proofs.phoneCode = await newPhoneCode(deps, tx, user, wish.phone, 'phone_change', call.now)
    else await changePhone(tx, user, wish.phone, call.now)
  }
  if (wish.email !== '' || wish.phone !== '') await updateProviders(tx, await reloadUser(tx, user.id), call.now)
  return proofs
}
