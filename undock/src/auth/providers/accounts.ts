import { randomUUID } from 'node:crypto'
import { execute } from '../../database/db.ts'
import type { AuthConfig, AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import { confirmEmail } from '../flows/account.ts'
import { beforeUserCreated, withHooks } from '../hooks/hooks.ts'
import type { Call } from '../http/call.ts'
import { newConfirmation } from '../mail/link-tokens.ts'
import { type LinkMail, sendLinkMail } from '../mail/messages.ts'
import { audit } from '../models/audit.ts'
import type { Queryable } from '../models/auth-db.ts'
import { deleteOtherIdentities, findIdentity, insertIdentity, updateProviders } from '../models/identities.ts'
import { blankUser, isBanned, presentUser, type User } from '../models/user.ts'
import {
  findByAnyEmail,
  findBySsoEmail,
  findUser,
  idIs,
  insertUser,
  merged,
  reloadUser,
  updateUser,
} from '../models/users.ts'
import { identityData, type Profile } from './profile.ts'

/** Which account an external identity belongs to. @see supabase/auth internal/models/linking.go */
type Decision =
  | { readonly kind: 'exists'; readonly user: User; readonly identityId: string }
  | { readonly kind: 'link'; readonly user: User }
  | { readonly kind: 'create'; readonly email: string }

async function decide(
  db: Queryable,
  {
    config,
    aud,
    provider,
    profile,
  }: { readonly config: AuthConfig; readonly aud: string; readonly provider: string; readonly profile: Profile },
): Promise<Decision> {
  const identity = await findIdentity(db, profile.sub, provider)
  const owner = identity && (await findUser(db, idIs(identity.user_id)))
  if (identity && owner) return { kind: 'exists', user: owner, identityId: identity.id }
  const candidate = profile.emails.find(({ primary }) => primary)?.email.toLowerCase() ?? ''
  if (provider.startsWith('sso:')) {
    const user = await findBySsoEmail(db, candidate, aud, provider)
    return user ? { kind: 'link', user } : { kind: 'create', email: candidate }
  }
  const trusted = profile.emails.filter(({ verified }) => verified || !config.email.enable_confirmations)
  // Only addresses verified by the provider link to an existing account.
  for (const { email } of trusted) {
    const user = await findByAnyEmail(db, email, aud, null)
    if (user) return { kind: 'link', user }
  }
  const taken = candidate !== '' && trusted.length === 0 && (await findByAnyEmail(db, candidate, aud, null))
  return { kind: 'create', email: taken ? '' : candidate }
}

export type ExternalIdentity = {
  readonly provider: string
  readonly profile: Profile
  readonly emailOptional: boolean
}

/** Signs in with an external identity: finds, links or creates the account.
 *  @param open Produces the result for the account's owner, such as a session.
 *  @throws `provider_email_needs_verification` after a confirmation mail, `signup_disabled`, `user_banned` */
export async function accountFor<T>(
  deps: AuthDeps,
  call: Call,
  identity: ExternalIdentity,
  open: (deps: AuthDeps, user: User) => Promise<T>,
): Promise<T> {
  const { provider } = identity
  const fresh = await freshUser(deps, call, identity)
  const entered = await withHooks(deps, ['custom_access_token'], async (deps) => {
    const settled = await deps.db.transaction(async (tx) => {
      const account = await attach(tx, deps, call, { identity, fresh })
      if (isBanned(account.user, call.now)) throw authError('verifyBanned')
      return settle(tx, deps, call, { identity, attached: account })
    })
    return settled.unverified ? settled : { opened: await open(deps, settled.user) }
  })
  if ('opened' in entered) return entered.opened
  const { user, mail } = entered
  if (mail) await sendLinkMail(deps, call, user, mail)
  throw authError(mail ? 'providerEmailMailed' : 'providerEmailUnverified', [provider, provider])
}

async function freshUser(deps: AuthDeps, call: Call, { provider, profile }: ExternalIdentity): Promise<User | null> {
  const decision = await decide(deps.db, { config: deps.config, aud: call.aud, provider, profile })
  if (decision.kind !== 'create') return null
  if (!deps.config.enable_signup) throw authError('signupDisabled')
  const { now, aud } = call
  const user = blankUser({
    id: randomUUID(),
    aud,
    email: decision.email,
    raw_app_meta_data: { provider, providers: [provider] },
    raw_user_meta_data: identityData(profile),
    is_sso_user: provider.startsWith('sso:'),
    created_at: now,
    updated_at: now,
  })
  await beforeUserCreated(deps, call, presentUser(user))
  return user
}

type Attached = { readonly user: User; readonly identityId: string }

async function attach(
  tx: Queryable,
  deps: AuthDeps,
  call: Call,
  { identity: { provider, profile }, fresh }: { readonly identity: ExternalIdentity; readonly fresh: User | null },
): Promise<Attached> {
  const { now } = call
  const data = identityData(profile)
  const decision = await decide(tx, { config: deps.config, aud: call.aud, provider, profile })
  if (decision.kind === 'exists') {
    await execute(tx)`update auth.identities set identity_data = ${data}, last_sign_in_at = ${now}, updated_at = ${now}
      where id = ${decision.identityId}`
    await refreshMetadata(tx, decision.user, data, now)
    return { user: await reloadUser(tx, decision.user.id), identityId: decision.identityId }
  }
  const user = decision.kind === 'link' ? decision.user : fresh
  // The account was deleted in the meantime; clients should retry.
  if (!user) throw authError('unexpected')
  if (decision.kind === 'create') await insertUser(tx, user, now)
  const identityId = await insertIdentity(tx, { userId: user.id, provider, data, now })
  if (decision.kind === 'link') {
    await refreshMetadata(tx, user, data, now)
    const traits = { identity_id: identityId, provider, provider_id: profile.sub }
    await audit(tx, { actor: user, action: 'identity_linked', traits, address: call.client.address }, now)
  }
  return { user: await reloadUser(tx, user.id), identityId }
}

async function refreshMetadata(tx: Queryable, user: User, data: Record<string, unknown>, now: Date): Promise<void> {
  await updateUser(tx, user.id, { raw_user_meta_data: merged(user.raw_user_meta_data, data) }, now)
  await updateProviders(tx, await reloadUser(tx, user.id), now)
}

type Settled = { readonly user: User; readonly mail: LinkMail | null; readonly unverified: boolean }

/** Confirms addresses verified by the provider; for others, sends a confirmation mail first. */
async function settle(
  tx: Queryable,
  { config }: AuthDeps,
  { now }: Call,
  {
    identity: { provider, profile, emailOptional },
    attached: { user, identityId },
  }: { readonly identity: ExternalIdentity; readonly attached: Attached },
): Promise<Settled> {
  const isVerified = profile.emails.some(({ email, verified }) => verified && email.toLowerCase() === user.email)
  if (user.email_confirmed_at || (emailOptional && user.email === '')) {
    await audit(tx, { actor: user, action: 'login', traits: { provider } }, now)
    return { user, mail: null, unverified: false }
  }
  await deleteUnprovenCredentials(tx, user, { identityId, profile, now })
  if (isVerified || (!config.email.enable_confirmations && user.email !== '')) {
    await audit(tx, { actor: user, action: 'user_signedup', traits: { provider } }, now)
    await confirmEmail(tx, await reloadUser(tx, user.id), now)
    return { user: await reloadUser(tx, user.id), mail: null, unverified: false }
  }
  const mail = user.email === '' ? null : await newConfirmation(tx, config, user, { isPkce: false, now })
  return { user, mail, unverified: true }
}

/** The account's creator never verified its address, so their password and identities must no longer sign in. */
export async function deleteUnprovenCredentials(
  tx: Queryable,
  user: User,
  { identityId, profile, now }: { readonly identityId: string; readonly profile: Profile; readonly now: Date },
): Promise<void> {
  await updateUser(tx, user.id, { encrypted_password: null, raw_user_meta_data: identityData(profile) }, now)
  await deleteOtherIdentities(tx, user, identityId)
  await updateProviders(tx, await reloadUser(tx, user.id), now)
}
