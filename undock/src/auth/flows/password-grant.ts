import { z } from 'zod'
import { passwordMatches, weaknessOf } from '../credentials/passwords.ts'
import type { AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import { callAttemptHook } from '../hooks/hooks.ts'
import type { Call } from '../http/call.ts'
import { captchaParams } from '../http/captcha.ts'
import { formatPhone, text } from '../models/params.ts'
import { deleteSessionsOf } from '../models/sessions.ts'
import { isBanned, type User } from '../models/user.ts'
import { emailIs, findUser, phoneIs } from '../models/users.ts'
import { startSession, type TokenResponse } from './start-session.ts'

export const PasswordGrant = z.object({ ...captchaParams, email: text, phone: text, password: text })
type PasswordGrant = z.infer<typeof PasswordGrant>

export async function passwordGrant(deps: AuthDeps, call: Call, grant: PasswordGrant): Promise<TokenResponse> {
  const { user, provider } = await findAccount(deps, call, grant)
  // An unknown address is compared with a decoy hash, so that the response time does not reveal whether an account exists.
  const matches = await passwordMatches(grant.password, user?.encrypted_password ?? '')
  if (!user || user.encrypted_password === '') throw authError('credentialsInvalid')
  // Upstream says so even when the password is wrong.
  if (isBanned(user, call.now)) throw authError('userBanned')
  const rejection = await callAttemptHook(deps, call, 'password_verification_attempt', {
    user_id: user.id,
    valid: matches,
  })
  if (rejection) {
    if (rejection.logout) await deleteSessionsOf(deps.db, user.id)
    throw authError('passwordAttemptRejected', [rejection.message])
  }
  if (!matches) throw authError('credentialsInvalid')
  if (provider === 'email' && !user.email_confirmed_at) throw authError('emailUnconfirmed')
  if (provider === 'phone' && !user.phone_confirmed_at) throw authError('phoneUnconfirmed')
  const session = await startSession(deps, call, {
    user,
    method: 'password',
    entry: { action: 'login', traits: { provider } },
  })
  // A password that was set before the rules became stricter still signs in; the response reports its weakness.
  const weakness = weaknessOf(grant.password, deps.config)
  return weakness ? { ...session, weak_password: weakness } : session
}

type Account = { readonly user: User | null; readonly provider: 'email' | 'phone' }

async function findAccount({ config, db }: AuthDeps, { aud }: Call, { email, phone }: PasswordGrant): Promise<Account> {
  if (email !== '' && phone !== '') throw authError('loginOneAddress')
  if (email !== '') {
    if (!config.email.enable_signup) throw authError('emailLoginDisabled')
    return { user: await findUser(db, emailIs(email, aud)), provider: 'email' }
  }
  if (phone === '') throw authError('loginAddressMissing')
  if (!config.sms.enable_signup) throw authError('phoneLoginDisabled')
  return { user: await findUser(db, phoneIs(formatPhone(phone), aud)), provider: 'phone' }
}
