import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { confirmEmail, confirmPhone } from './account.ts'
import { audit } from './audit.ts'
import type { Queryable } from './auth-db.ts'
import { blankUser } from './blank-user.ts'
import { type Call, json } from './call.ts'
import { guarded } from './captcha.ts'
import type { AuthConfig, AuthDeps } from './deps.ts'
import { authError } from './errors.ts'
import { insertFlowState } from './flow-states.ts'
import { orNoAccount } from './fresh-account.ts'
import { withHooks } from './hook-transaction.ts'
import { beforeUserCreated } from './hooks.ts'
import { dropOtherIdentities, findIdentity, insertIdentity, ownIdentity, updateProviders } from './identities.ts'
import { newConfirmation } from './link-tokens.ts'
import { type LinkMail, sendLinkMail } from './mails.ts'
import { checkPkce, metadata, pkce, text, validEmail, validPhone } from './params.ts'
import { checkPassword, hashPassword } from './passwords.ts'
import { checkChannel, newPhoneCode, type PhoneCode, sendPhoneCode } from './phone-codes.ts'
import { signUpAnonymously } from './signup-anonymous.ts'
import { startSession } from './start-session.ts'
import { presentUser, type User } from './user.ts'
import { findByAnyEmail, findUser, insertUser, phoneIs, reloadUser, updateUser } from './users.ts'

export const Signup = z.object({
  ...guarded,
  ...pkce,
  email: text,
  phone: text,
  password: text,
  data: metadata,
  channel: text,
})
export type Signup = z.infer<typeof Signup>

/** POST /signup @see supabase/auth internal/api/signup.go */
export async function signup(deps: AuthDeps, call: Call, body: Signup): Promise<Response> {
  if (body.email === '' && body.phone === '') return signUpAnonymously(deps, call, body.data ?? {})
  deps.limits.takeRequest('signup', call.client.address)
  const user = await register(deps, call, body)
  if (!user) return json(lookalike(deps.config, call, readWish(body, deps.config)))
  // Another address of the account that is proved does not make the one that was asked for the caller's.
  const isProved = isConfirmed(user, body.email !== '' ? 'email' : 'phone')
  if (isProved) {
    const traits = { provider: body.email !== '' ? 'email' : 'phone' }
    return json(await startSession(deps, call, user, 'password', { action: 'login', traits }))
  }
  // Whoever signs up with an invited address is not yet known to own it: show nothing of the invitation.
  return json(user.invited_at ? { ...presentUser(user), user_metadata: {}, identities: [] } : presentUser(user))
}

/** Makes an account, or asks once more for proof of an address that was never confirmed.
 *  @returns null when the address has a confirmed account already */
export async function register(deps: AuthDeps, call: Call, body: Signup): Promise<User | null> {
  const { config, db } = deps
  if (!config.enable_signup) throw authError('signupDisabled')
  const wish = readWish(body, config)
  // Hashed also for a known address: otherwise the answer's time would tell who has an account.
  const passwordHash = await hashPassword(body.password)
  const existing = await findExisting(db, wish, call.aud)
  if (existing && isConfirmed(existing, wish.provider)) {
    await audit(db, { actor: existing, action: 'user_repeated_signup', traits: { provider: wish.provider } }, call.now)
    return null
  }
  const fresh = existing ? null : newUser(wish, call, passwordHash)
  if (fresh) await beforeUserCreated(deps, call, presentUser(fresh))
  const sends = [wish.provider === 'email' ? 'send_email' : 'send_sms'] as const
  const enter = async (deps: AuthDeps): Promise<User> => {
    const { user, proof } = await deps.db.transaction(async (tx) => {
      if (fresh) await insertUser(tx, fresh, call.now)
      const account = await ensureIdentity(tx, fresh ?? (existing as User), wish, call.now)
      return { user: account, proof: await requestProof(deps, call, tx, account, wish) }
    })
    if (proof.mail) await sendLinkMail(deps, call, user, proof.mail)
    if (proof.phoneCode) await sendPhoneCode(deps, call, user, proof.phoneCode, wish.channel)
    return reloadUser(deps.db, user.id)
  }
  return orNoAccount(deps, call, fresh, () => withHooks(deps, sends, enter))
}

type Wish = Signup & { readonly provider: 'email' | 'phone'; readonly email: string; readonly phone: string }

/** Checks in upstream's order. */
function readWish(body: Signup, config: AuthConfig): Wish {
  if (body.password === '') throw authError('signupPasswordMissing')
  checkPassword(body.password, config)
  if (body.email !== '' && body.phone !== '') throw authError('signupOneAddress')
  if (body.phone !== '') checkChannel(config, body.channel)
  if (body.phone !== '' && body.code_challenge !== '') throw authError('signupPhonePkce')
  checkPkce(body)
  if (body.email !== '') {
    if (!config.email.enable_signup) throw authError('emailSignupDisabled')
    return { ...body, provider: 'email', email: validEmail(body.email) }
  }
  if (!config.sms.enable_signup) throw authError('phoneSignupDisabled')
  return { ...body, provider: 'phone', phone: validPhone(body.phone) }
}

const findExisting = (db: Queryable, { provider, email, phone }: Wish, aud: string) =>
  provider === 'email' ? findByAnyEmail(db, email, aud, null) : findUser(db, phoneIs(phone, aud))

const isConfirmed = (user: User, provider: Wish['provider']): boolean =>
  (provider === 'email' ? user.email_confirmed_at : user.phone_confirmed_at) !== null

function newUser({ provider, email, phone, data }: Wish, { aud, now }: Call, passwordHash: string): User {
  return blankUser({
    id: randomUUID(),
    aud,
    email,
    phone,
    encrypted_password: passwordHash,
    raw_app_meta_data: { provider, providers: [provider] },
    raw_user_meta_data: data ?? {},
    created_at: now,
    updated_at: now,
  })
}

/** A first sign-up gets its identity, whose claims become the user's metadata. */
async function ensureIdentity(tx: Queryable, user: User, { provider, data }: Wish, now: Date): Promise<User> {
  if (!(await findIdentity(tx, user.id, provider))) {
    const own = ownIdentity(user.id, { email: user.email })
    const claims = { ...data, ...own }
    const id = await insertIdentity(tx, user.id, provider, claims, now)
    await updateUser(tx, user.id, { raw_user_meta_data: claims }, now)
    // Whoever made this account never proved an address: their identities must not open it from now on.
    if (!user.confirmed_at) await dropOtherIdentities(tx, await reloadUser(tx, user.id), id)
    await updateProviders(tx, user, now)
  }
  return reloadUser(tx, user.id)
}

/** What is to be sent once the transaction has ended. */
type Proof = { readonly mail?: LinkMail; readonly phoneCode?: PhoneCode }

/** Confirms at once where the project asks for no proof, else stores a code. */
async function requestProof(deps: AuthDeps, call: Call, tx: Queryable, user: User, wish: Wish): Promise<Proof> {
  const { config } = deps
  const { now } = call
  const asksProof = wish.provider === 'email' ? config.email.enable_confirmations : config.sms.enable_confirmations
  const traits = { provider: wish.provider }
  await audit(tx, { actor: user, action: asksProof ? 'user_confirmation_requested' : 'user_signedup', traits }, now)
  if (wish.provider === 'phone') {
    if (asksProof) return { phoneCode: await newPhoneCode(deps, tx, user, wish.phone, 'confirmation', now) }
    await confirmPhone(tx, user.id, now)
    return {}
  }
  if (!asksProof) {
    await confirmEmail(tx, user, now)
    return {}
  }
  const isPkce = wish.code_challenge !== ''
  if (isPkce) await insertFlowState(tx, user.id, 'email', 'email/signup', wish, now)
  return { mail: await newConfirmation(tx, config, user, isPkce, now) }
}

/** The answer to a sign-up with an address that has an account: a user that looks new, so that nobody learns of it.
 *  Without confirmations a new address is answered with a session, so there is nothing left to hide behind.
 *  @throws `user_already_exists` */
function lookalike(config: AuthConfig, call: Call, wish: Wish) {
  const reveals = !config.email.enable_confirmations || (config.sms.enable_signup && !config.sms.enable_confirmations)
  if (reveals) throw authError('userExists')
  return presentUser({ ...newUser(wish, call, ''), role: '', confirmation_sent_at: call.now })
}
