import type { Queryable } from './auth-db.ts'
import type { AuthConfig } from './deps.ts'
import { authError } from './errors.ts'
import { isFresh, matchesStored, PKCE_PREFIX } from './one-time-code.ts'
import { findUserByToken, type OneTimeTokenType } from './one-time-tokens.ts'
import { PHONE_CODE_EXPIRY, testCode } from './phone-codes.ts'
import { isBanned, type User } from './user.ts'
import { emailIs, findUser, phoneChangeIs, phoneIs } from './users.ts'

/** `token` is what the client typed, `hash` what is compared with the stored one. */
export type VerifyParams = {
  readonly type: string
  readonly token: string
  readonly hash: string
  readonly email: string
  readonly phone: string
}

export type VerifyType = 'signup' | 'invite' | 'recovery' | 'magiclink' | 'email_change' | 'sms' | 'phone_change'

/** Someone who has proved to hold a token, and what the token was for. */
export type Verified = { readonly user: User; readonly type: VerifyType }

const TOKENS_OF: Record<string, readonly OneTimeTokenType[]> = {
  email: ['confirmation_token', 'recovery_token'],
  signup: ['confirmation_token'],
  invite: ['confirmation_token'],
  recovery: ['recovery_token'],
  magiclink: ['recovery_token'],
  email_change: ['email_change_token_current', 'email_change_token_new'],
}

/** By the token of a link alone. @throws `otp_expired`, `user_banned`, `validation_failed` */
export async function verifyHash(
  tx: Queryable,
  config: AuthConfig,
  params: VerifyParams,
  now: Date,
): Promise<Verified> {
  const types = Object.hasOwn(TOKENS_OF, params.type) ? TOKENS_OF[params.type] : undefined
  if (!types) throw authError('verifyTypeInvalid')
  const user = await findUserByToken(tx, [params.hash], types)
  if (!user) throw authError('linkInvalid')
  if (isBanned(user, now)) throw authError('verifyBanned')
  const type = params.type === 'email' ? (user.recovery_token === params.hash ? 'magiclink' : 'signup') : params.type
  if (!isFresh(sentAtOf(user, type), config.email.otp_expiry, now)) throw authError('linkInvalid')
  return { user, type: type as VerifyType }
}

function sentAtOf(user: User, type: string): Date | null {
  if (type === 'email_change') return user.email_change_sent_at
  return type === 'recovery' || type === 'magiclink' ? user.recovery_sent_at : user.confirmation_sent_at
}

/** By an address and the code sent there. @throws `otp_expired`, `user_banned`
 *  @param vouched What the provider that made up a phone's code says of it; null when the code is ours. */
export async function verifyAddressAndCode(
  tx: Queryable,
  config: AuthConfig,
  params: VerifyParams,
  aud: string,
  now: Date,
  vouched: boolean | null,
): Promise<Verified> {
  const user = await findAddressed(tx, config, params, aud)
  if (!user) throw authError('otpInvalid')
  if (isBanned(user, now)) throw authError('verifyBanned')
  const type = typeOfCode(user, config, params, now, vouched)
  if (!type) throw authError('otpInvalid')
  return { user, type }
}

async function findAddressed(
  tx: Queryable,
  config: AuthConfig,
  params: VerifyParams,
  aud: string,
): Promise<User | null> {
  switch (params.type) {
    case 'phone_change':
      return findUser(tx, phoneChangeIs(params.phone, aud), { lock: true })
    case 'sms':
      return findUser(tx, phoneIs(params.phone, aud), { lock: true })
    case 'email_change': {
      const types: OneTimeTokenType[] = ['email_change_token_new']
      if (config.email.double_confirm_changes) types.unshift('email_change_token_current')
      const user = await findUserByToken(tx, [params.hash, PKCE_PREFIX + params.hash], types)
      return user?.aud === aud ? user : null
    }
    default:
      return findUser(tx, emailIs(params.email, aud), { lock: true })
  }
}

/** What the code is good for, or null. */
function typeOfCode(
  user: User,
  config: AuthConfig,
  params: VerifyParams,
  now: Date,
  vouched: boolean | null,
): VerifyType | null {
  const byMail = (stored: string, sentAt: Date | null) =>
    matchesStored(params.hash, stored, sentAt, config.email.otp_expiry, now)
  const byPhone = (stored: string, sentAt: Date | null) =>
    vouched ??
    (params.token === testCode(config, params.phone) ||
      matchesStored(params.hash, stored, sentAt, PHONE_CODE_EXPIRY, now))
  const confirms = () => byMail(user.confirmation_token, user.confirmation_sent_at)
  const recovers = () => byMail(user.recovery_token, user.recovery_sent_at)
  switch (params.type) {
    case 'email':
      return confirms() ? 'signup' : recovers() ? 'magiclink' : null
    case 'signup':
    case 'invite':
      return confirms() ? params.type : null
    case 'recovery':
    case 'magiclink':
      return recovers() ? params.type : null
    case 'email_change':
      return byMail(user.email_change_token_current, user.email_change_sent_at) ||
        byMail(user.email_change_token_new, user.email_change_sent_at)
        ? 'email_change'
        : null
    case 'sms':
      return byPhone(user.confirmation_token, user.confirmation_sent_at) ? 'sms' : null
    case 'phone_change':
      return byPhone(user.phone_change_token, user.phone_change_sent_at) ? 'phone_change' : null
    default:
      return null
  }
}
