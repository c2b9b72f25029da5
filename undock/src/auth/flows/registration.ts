import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { checkPassword, hashPassword } from '../credentials/passwords.ts'
import type { AuthConfig, AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import { beforeUserCreated, withHooks } from '../hooks/hooks.ts'
import type { Call } from '../http/call.ts'
import { captchaParams } from '../http/captcha.ts'
import { newConfirmation } from '../mail/link-tokens.ts'
import { type LinkMail, sendLinkMail } from '../mail/messages.ts'
import { audit } from '../models/audit.ts'
import type { Queryable } from '../models/auth-db.ts'
import { startMailFlow } from '../models/flow-states.ts'
import {
  deleteOtherIdentities,
  findIdentity,
  insertIdentity,
  ownIdentity,
  updateProviders,
} from '../models/identities.ts'
import { checkPkce, metadata, pkce, text, validEmail, validPhone } from '../models/params.ts'
import { blankUser, presentUser, type User } from '../models/user.ts'
import { findByAnyEmail, findUser, insertUser, phoneIs, reloadUser, updateUser } from '../models/users.ts'
import { checkChannel, newPhoneCode, type PhoneCode, sendPhoneCode } from '../sms/phone-codes.ts'
import { confirmEmail, confirmPhone, withAccountRollback } from './account.ts'

export const Signup = z.object({
  ...captchaParams,
  ...pkce,
  email: text,
  phone: text,
  password: text,
  data: metadata,
  channel: text,
})
export type Signup = z.infer<typeof Signup>

/** Creates an account, or requests verification of an unconfirmed address again.
 *  @returns null if the address already has a confirmed account */
export async function register(deps: AuthDeps, call: Call, body: Signup): Promise<User | null> {
  const { config, db } = deps
  if (!config.enable_signup) throw authError('signupDisabled')
  const signup = checkSignup(body, config)
  // Hashed for known addresses too, so that the response time doesn't reveal who has an account.
  const passwordHash = await hashPassword(body.password)
  const existing = await findExisting(db, signup, call.aud)
  if (existing && isConfirmed(existing, signup.provider)) {
    await audit(
      db,
      { actor: existing, action: 'user_repeated_signup', traits: { provider: signup.provider } },
      call.now,
    )
    return null
  }
  const fresh = existing ? null : newUser(signup, call, passwordHash)
  if (fresh) await beforeUserCreated(deps, call, presentUser(fresh))
  const sends = [signup.provider === 'email' ? 'send_email' : 'send_sms'] as const
  const create = async (deps: AuthDeps): Promise<User> => {
    const { user, proof } = await deps.db.transaction(async (tx) => {
      if (fresh) await insertUser(tx, fresh, call.now)
      const account = await ensureIdentity(tx, fresh ?? (existing as User), signup, call.now)
      return { user: account, proof: await requestProof(deps, call, tx, { user: account, signup }) }
    })
    if (proof.mail) await sendLinkMail(deps, call, user, proof.mail)
    if (proof.phoneCode) await sendPhoneCode(deps, call, user, { phoneCode: proof.phoneCode, channel: signup.channel })
    return reloadUser(deps.db, user.id)
  }
  return withAccountRollback(deps, call, fresh, () => withHooks(deps, sends, create))
}

type CheckedSignup = Signup & { readonly provider: 'email' | 'phone'; readonly email: string; readonly phone: string }

/** Checks a sign-up, in upstream's order. */
export function checkSignup(body: Signup, config: AuthConfig): CheckedSignup {
  if (body.password === '') throw authError('signupPasswordMissing')
  checkPassword(body.password, config)
  if (body.email !== '' && body.phone !== '') throw authError('signupOneAddress')
  if (body.phone !== '') checkChannel(config, body.channel)
  if (body.phone !== '' && body.code_challenge !== '') throw authError('signupPhonePkce')
  checkPkce(body)
  if (body.email !== '') {
    if (!config.email.enabled) throw authError('emailSignupDisabled')
    return { ...body, provider: 'email', email: validEmail(body.email) }
  }
  if (!config.sms.enabled) throw authError('phoneSignupDisabled')
  return { ...body, provider: 'phone', phone: validPhone(body.phone) }
}

const findExisting = (db: Queryable, { provider, email, phone }: CheckedSignup, aud: string) =>
  provider === 'email' ? findByAnyEmail(db, email, aud, null) : findUser(db, phoneIs(phone, aud))

export const isConfirmed = (user: User, provider: CheckedSignup['provider']): boolean =>
  (provider === 'email' ? user.email_confirmed_at : user.phone_confirmed_at) !== null

function newUser({ provider, email, phone, data }: CheckedSignup, { aud, now }: Call, passwordHash: string): User {
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

/** A first sign-up creates an identity, whose claims become the user's metadata. */
async function ensureIdentity(tx: Queryable, user: User, { provider, data }: CheckedSignup, now: Date): Promise<User> {
  if (!(await findIdentity(tx, user.id, provider))) {
    const own = ownIdentity(user.id, { email: user.email })
    const claims = { ...data, ...own }
    const id = await insertIdentity(tx, { userId: user.id, provider, data: claims, now })
    await updateUser(tx, user.id, { raw_user_meta_data: claims }, now)
    // The account's creator never verified an address, so their identities must no longer sign in to it.
    if (!user.confirmed_at) await deleteOtherIdentities(tx, await reloadUser(tx, user.id), id)
    await updateProviders(tx, user, now)
  }
  return reloadUser(tx, user.id)
}

type Proof = { readonly mail?: LinkMail; readonly phoneCode?: PhoneCode }

/** Confirms the account if the project requires no verification, otherwise stores a code. */
async function requestProof(
  deps: AuthDeps,
  call: Call,
  tx: Queryable,
  { user, signup }: { readonly user: User; readonly signup: CheckedSignup },
): Promise<Proof> {
  const { config } = deps
  const { now } = call
  const asksProof = signup.provider === 'email' ? config.email.enable_confirmations : config.sms.enable_confirmations
  const traits = { provider: signup.provider }
  await audit(tx, { actor: user, action: asksProof ? 'user_confirmation_requested' : 'user_signedup', traits }, now)
  if (signup.provider === 'phone') {
    if (asksProof)
      return { phoneCode: await newPhoneCode(deps, tx, { user, phone: signup.phone, kind: 'confirmation' }, now) }
    await confirmPhone(tx, user.id, now)
    return {}
  }
  if (!asksProof) {
    await confirmEmail(tx, user, now)
    return {}
  }
  const flow = { providerType: 'email', method: 'email/signup', pkce: signup } as const
  const isPkce = await startMailFlow(tx, user, flow, now)
  return { mail: await newConfirmation(tx, config, user, { isPkce, now }) }
}

/** Returns a user that looks new, so that signing up with a known address doesn't reveal the account. Without
 *  confirmations, new addresses get a session, which can't be imitated.
 *  @throws `user_already_exists` */
export function decoyUser(config: AuthConfig, call: Call, signup: CheckedSignup) {
  const reveals = !config.email.enable_confirmations || (config.sms.enabled && !config.sms.enable_confirmations)
  if (reveals) throw authError('userExists')
  return presentUser({ ...newUser(signup, call, ''), role: '', confirmation_sent_at: call.now })
}
