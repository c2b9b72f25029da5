import { z } from 'zod'
import type { Call } from './call.ts'
import { guarded } from './captcha.ts'
import type { AuthDeps } from './deps.ts'
import { authError } from './errors.ts'
import { judgeAttempt } from './hooks.ts'
import { formatPhone, text } from './params.ts'
import { passwordMatches, weaknessOf } from './passwords.ts'
import { deleteSessionsOf } from './sessions.ts'
import { startSession, type TokenResponse } from './start-session.ts'
import { isBanned, type User } from './user.ts'
import { emailIs, findUser, phoneIs } from './users.ts'

export const PasswordGrant = z.object({ ...guarded, email: text, phone: text, password: text })
type PasswordGrant = z.infer<typeof PasswordGrant>

export async function passwordGrant(deps: AuthDeps, call: Call, grant: PasswordGrant): Promise<TokenResponse> {
  const { user, provider } = await findAccount(deps, call, grant)
  // Compares even for an unknown address, against a decoy.
  const matches = await passwordMatches(grant.password, user?.encrypted_password ?? '')
  if (!user || user.encrypted_password === '') throw authError('credentialsInvalid')
  // Upstream says so even when the password is wrong.
  if (isBanned(user, call.now)) throw authError('userBanned')
  const rejection = await judgeAttempt(deps, call, 'password_verification_attempt', {
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
  const session = await startSession(deps, call, user, 'password', { action: 'login', traits: { provider } })
  // A password from before the rules became stricter still signs in; the client is told.
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
