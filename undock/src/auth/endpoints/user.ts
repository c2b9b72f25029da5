import { z } from 'zod'
import { matchesStored, newCode, tokenHash } from '../credentials/one-time-codes.ts'
import { checkPassword, hashPassword, passwordMatches } from '../credentials/passwords.ts'
import type { AuthConfig, AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import { changeEmail, changePhone, setPassword } from '../flows/account.ts'
import { codeKey } from '../guards/buckets.ts'
import { checkMailFrequency } from '../guards/rate-limits.ts'
import { withHooks } from '../hooks/hooks.ts'
import { type AuthenticatedCall, json } from '../http/call.ts'
import { isOAuthClient } from '../http/caller.ts'
import { newEmailChange } from '../mail/link-tokens.ts'
import { type EmailChange, notify, sendEmailChangeMails, sendReauthenticationMail } from '../mail/messages.ts'
import { audit } from '../models/audit.ts'
import type { Queryable } from '../models/auth-db.ts'
import { startMailFlow } from '../models/flow-states.ts'
import { updateProviders } from '../models/identities.ts'
import { clearOneTimeTokens, saveOneTimeToken } from '../models/one-time-tokens.ts'
import { checkPkce, metadata, pkce, text, validEmail, validPhone } from '../models/params.ts'
import { type AuthenticationMethod, deleteSession, deleteSessionsOf } from '../models/sessions.ts'
import { hasVerifiedFactor, presentUser, type User } from '../models/user.ts'
import { findByAnyEmail, findUser, merged, phoneIs, reloadUser, updateUser } from '../models/users.ts'
import {
  answerWithCode,
  checkChannel,
  newPhoneCode,
  PHONE_CODE_EXPIRY,
  type PhoneCode,
  sendPhoneCode,
  verifyWithSender,
} from '../sms/phone-codes.ts'

/** GET /user */
export async function getOwnUser(_deps: AuthDeps, { caller, aud }: AuthenticatedCall): Promise<Response> {
  const [claimed] = [caller.claims.aud].flat()
  if (claimed !== aud) throw authError('audienceMismatch')
  return json(presentUser(caller.user))
}

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
export async function updateOwnUser(deps: AuthDeps, call: AuthenticatedCall, body: UserUpdate): Promise<Response> {
  const { user, session } = call.caller
  const changes = readChanges(deps.config, user, body)
  checkMayChange(call, changes)
  await checkAvailable(deps.db, user, changes)
  const passwordHash = await newPasswordHash(deps, call, changes)
  const nonceNeeded = passwordHash !== null && needsNonce(deps.config, call)
  const senderVerdict = nonceNeeded && user.email === '' ? await verifyWithSender(deps, user.phone, body.nonce) : null
  const sends = [
    ...(changes.email !== '' ? (['send_email'] as const) : []),
    ...(changes.phone !== '' ? (['send_sms'] as const) : []),
  ]
  await withHooks(deps, sends, async (deps) => {
    const sent = await deps.db.transaction(async (tx): Promise<Proofs> => {
      if (passwordHash) {
        if (nonceNeeded) await consumeNonce(tx, deps, { user, nonce: body.nonce, senderVerdict, now: call.now })
        await setPassword(tx, user.id, { hash: passwordHash, keepSessionId: session?.id ?? null, now: call.now })
        await audit(tx, { actor: user, action: 'user_updated_password' }, call.now)
      }
      if (changes.data)
        await updateUser(tx, user.id, { raw_user_meta_data: merged(user.raw_user_meta_data, changes.data) }, call.now)
      const proofs = await changeAddresses(deps, call, tx, { user: await reloadUser(tx, user.id), changes })
      await audit(tx, { actor: user, action: 'user_modified' }, call.now)
      return proofs
    })
    if (sent.emailChange)
      await sendEmailChangeMails(deps, call, { user, newEmail: changes.email, change: sent.emailChange })
    if (sent.phoneCode) await sendPhoneCode(deps, call, user, { phoneCode: sent.phoneCode, channel: changes.channel })
  })
  if (passwordHash) await notify(deps, call, { kind: 'password_changed', to: user.email, user })
  return json(presentUser(await reloadUser(deps.db, user.id)))
}

type UserChanges = UserUpdate

function readChanges(config: AuthConfig, user: User, body: UserUpdate): UserChanges {
  const email = body.email === '' ? '' : validEmail(body.email)
  const phone = body.phone === '' ? '' : validPhone(body.phone)
  if (phone !== '') checkChannel(config, body.channel)
  if (typeof body.password === 'string') checkPassword(body.password, config)
  checkPkce(body)
  if (body.app_metadata) throw authError('appMetadataForbidden')
  return { ...body, email: email === user.email ? '' : email, phone: phone === user.phone ? '' : phone }
}

function checkMayChange(
  { caller: { user, session } }: AuthenticatedCall,
  { email, phone, password, nonce }: UserChanges,
): void {
  const changesAccess = Boolean(password) || email !== '' || phone !== ''
  if (changesAccess && hasVerifiedFactor(user) && session?.aal !== 'aal2') throw authError('updateNeedsAal2')
  if (user.is_anonymous && password && email === '' && phone === '') throw authError('anonymousPassword')
  if (user.is_sso_user && (changesAccess || nonce !== '')) throw authError('ssoManaged')
}

async function checkAvailable(db: Queryable, user: User, { email, phone }: UserChanges): Promise<void> {
  if (email !== '' && (await findByAnyEmail(db, email, user.aud, user.id))) throw authError('emailTaken')
  if (phone !== '' && (await findUser(db, phoneIs(phone, user.aud)))) throw authError('phoneTaken')
}

async function newPasswordHash(
  { config }: AuthDeps,
  call: AuthenticatedCall,
  { password, nonce, current_password: current }: UserChanges,
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

/** Users who recover their account can't name the forgotten password. */
const recovers = ({ caller: { session } }: AuthenticatedCall): boolean =>
  session?.amr.some(({ method }) => RECOVERY_METHODS.has(method)) ?? false

const RECOVERY_METHODS = new Set<string>(['recovery', 'otp', 'magiclink'] satisfies AuthenticationMethod[])

/** If the project asks for it, sessions older than a day must reauthenticate. */
function needsNonce({ email }: AuthConfig, { caller: { session }, now }: AuthenticatedCall): boolean {
  return email.secure_password_change && (!session || now.getTime() > session.created_at.getTime() + DAY)
}

type Proofs = { emailChange?: EmailChange; phoneCode?: PhoneCode }

async function changeAddresses(
  deps: AuthDeps,
  call: AuthenticatedCall,
  tx: Queryable,
  { user, changes }: { readonly user: User; readonly changes: UserChanges },
): Promise<Proofs> {
  const { config } = deps
  const proofs: Proofs = {}
  if (changes.email !== '') {
    // An anonymous user's first address is a sign-up; any other change must be confirmed.
    if (user.is_anonymous && !config.email.enable_confirmations) await changeEmail(tx, user, changes.email, call.now)
    else {
      const isPkce = await startMailFlow(tx, user, { method: 'email_change', pkce: changes }, call.now)
      proofs.emailChange = await newEmailChange(tx, config, user, { newEmail: changes.email, isPkce, now: call.now })
    }
  }
  if (changes.phone !== '') {
    const request = { user, phone: changes.phone, kind: 'phone_change' } as const
    if (config.sms.enable_confirmations) proofs.phoneCode = await newPhoneCode(deps, tx, request, call.now)
    else await changePhone(tx, user, changes.phone, call.now)
  }
  if (changes.email !== '' || changes.phone !== '') await updateProviders(tx, await reloadUser(tx, user.id), call.now)
  return proofs
}

type NonceAttempt = {
  readonly user: User
  readonly nonce: string
  /** The verdict of the SMS provider that generated the code; null if we did. */
  readonly senderVerdict: boolean | null
  readonly now: Date
}

async function consumeNonce(
  tx: Queryable,
  { config, codeAttempts }: AuthDeps,
  { user, nonce, senderVerdict, now }: NonceAttempt,
): Promise<void> {
  const expiry = user.email !== '' ? config.email.otp_expiry : PHONE_CODE_EXPIRY
  const hash = tokenHash(user.email || user.phone, nonce)
  const matches = () =>
    matchesStored(hash, { stored: user.reauthentication_token, sentAt: user.reauthentication_sent_at, expiry, now })
  const code = codeKey(user, 'reauthentication')
  if (!(await codeAttempts.take(code)) || !(senderVerdict ?? matches())) throw authError('nonceInvalid')
  await codeAttempts.forget(code)
  await updateUser(tx, user.id, { reauthentication_token: '' }, now)
  await clearOneTimeTokens(tx, user.id)
}

/** POST /logout?scope=global|local|others. An OAuth client can only end its own session.
 *  @see supabase/auth internal/api/logout.go */
export async function logout(deps: AuthDeps, { caller, query, now }: AuthenticatedCall): Promise<Response> {
  const { user, session } = caller
  const scope = query.get('scope') || 'global'
  if (!['global', 'local', 'others'].includes(scope)) throw authError('logoutScope', [scope])
  if (scope !== 'local' && isOAuthClient(caller)) throw authError('logoutClientScope')
  await deps.db.transaction(async (tx) => {
    await audit(tx, { actor: user, action: 'logout' }, now)
    if (session && scope === 'local') await deleteSession(tx, session.id)
    else await deleteSessionsOf(tx, user.id, session && scope === 'others' ? session.id : null)
  })
  return new Response(null, { status: 204 })
}

/** GET /reauthenticate: sends the nonce that a password change may need.
 *  @see supabase/auth internal/api/reauthenticate.go */
export async function reauthenticate(deps: AuthDeps, call: AuthenticatedCall): Promise<Response> {
  const { user } = call.caller
  if (user.email === '' && user.phone === '') throw authError('reauthAddressMissing')
  if (user.email !== '' && !user.email_confirmed_at) throw authError('reauthEmailUnconfirmed')
  if (user.email === '' && !user.phone_confirmed_at) throw authError('reauthPhoneUnconfirmed')
  if (user.email !== '') {
    await mailNonce(deps, call, user)
    return json({})
  }
  const entry = { action: 'user_reauthenticate_requested' } as const
  return answerWithCode(deps, call, { user, phone: user.phone, kind: 'reauthentication' }, { entry })
}

async function mailNonce(deps: AuthDeps, call: AuthenticatedCall, user: User): Promise<void> {
  const code = newCode(deps.config.email.otp_length)
  const hash = tokenHash(user.email, code)
  await withHooks(deps, ['send_email'], async (deps) => {
    await deps.db.transaction(async (tx) => {
      const { reauthentication_sent_at: sentAt } = await reloadUser(tx, user.id, { lock: true })
      checkMailFrequency(sentAt, deps.config.email.max_frequency, call.now)
      await audit(tx, { actor: user, action: 'user_reauthenticate_requested' }, call.now)
      await updateUser(tx, user.id, { reauthentication_token: hash, reauthentication_sent_at: call.now }, call.now)
      await saveOneTimeToken(
        tx,
        { userId: user.id, type: 'reauthentication_token', hash, relatesTo: user.email },
        call.now,
      )
    })
    await sendReauthenticationMail(deps, call, { user, code, hash })
  })
}
