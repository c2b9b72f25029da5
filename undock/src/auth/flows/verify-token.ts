import { isFresh, matchesStored, PKCE_PREFIX } from '../credentials/one-time-codes.ts'
import type { AuthConfig, AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import { type CodeKind, codeKey } from '../guards/buckets.ts'
import type { Queryable } from '../models/auth-db.ts'
import { findUserByToken, type OneTimeTokenType } from '../models/one-time-tokens.ts'
import { isBanned, type User } from '../models/user.ts'
import { emailChangeIs, emailIs, findUser, phoneChangeIs, phoneIs } from '../models/users.ts'
import { PHONE_CODE_EXPIRY, testCode } from '../sms/phone-codes.ts'

export type VerifyParams = {
  readonly type: string
  readonly token: string
  readonly hash: string
  readonly email: string
  readonly phone: string
}

export type VerifyType = 'signup' | 'invite' | 'recovery' | 'magiclink' | 'email_change' | 'sms' | 'phone_change'

export type Verified = { readonly user: User; readonly type: VerifyType }

const TOKENS_OF: Record<string, readonly OneTimeTokenType[]> = {
  email: ['confirmation_token', 'recovery_token'],
  signup: ['confirmation_token'],
  invite: ['confirmation_token'],
  recovery: ['recovery_token'],
  magiclink: ['recovery_token'],
  email_change: ['email_change_token_current', 'email_change_token_new'],
}

const KINDS_OF: Readonly<Record<string, readonly CodeKind[]>> = {
  email: ['confirmation', 'recovery'],
  signup: ['confirmation'],
  invite: ['confirmation'],
  sms: ['confirmation'],
  recovery: ['recovery'],
  magiclink: ['recovery'],
  email_change: ['email_change'],
  phone_change: ['phone_change'],
}

type Deps = Pick<AuthDeps, 'config' | 'codeAttempts'>

/** Verifies a link's token hash. It's a hash of address and code, so codes can be guessed this way too.
 *  @throws `otp_expired`, `user_banned`, `validation_failed` */
export async function verifyHash(
  tx: Queryable,
  { config, codeAttempts }: Deps,
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
  const kinds = KINDS_OF[type] ?? []
  for (const kind of kinds) if (await codeAttempts.isSpent(codeKey(user, kind))) throw authError('linkInvalid')
  return { user, type: type as VerifyType }
}

function sentAtOf(user: User, type: string): Date | null {
  if (type === 'email_change') return user.email_change_sent_at
  return type === 'recovery' || type === 'magiclink' ? user.recovery_sent_at : user.confirmation_sent_at
}

/** Verifies an address and its code. @throws `otp_expired`, `user_banned`
 *  @param senderVerdict The verdict of the SMS provider that generated the code; null if we did. */
export async function verifyAddressAndCode(
  tx: Queryable,
  deps: Deps,
  params: VerifyParams,
  { aud, now, senderVerdict }: { readonly aud: string; readonly now: Date; readonly senderVerdict: boolean | null },
): Promise<Verified> {
  const { config, codeAttempts } = deps
  const user = await findAddressed(tx, config, params, aud)
  if (!user) {
    if (params.type === 'email_change') await countWrongEmailChange(tx, deps, params, aud)
    throw authError('otpInvalid')
  }
  if (isBanned(user, now)) throw authError('verifyBanned')
  const codes = (KINDS_OF[params.type] ?? []).map((kind) => codeKey(user, kind))
  const mayTry = await Promise.all(codes.map((code) => codeAttempts.take(code)))
  const type = mayTry.includes(false) ? null : typeOfCode(user, config, { params, now, senderVerdict })
  if (!type) throw authError('otpInvalid')
  for (const code of codes) await codeAttempts.forget(code)
  return { user, type }
}

/** With a wrong code of an address change, the user is found by the address. */
async function countWrongEmailChange(
  tx: Queryable,
  { codeAttempts }: Deps,
  { email }: VerifyParams,
  aud: string,
): Promise<void> {
  for (const where of [emailIs(email, aud), emailChangeIs(email, aud)]) {
    const user = await findUser(tx, where)
    if (user) await codeAttempts.take(codeKey(user, 'email_change'))
  }
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

function typeOfCode(
  user: User,
  config: AuthConfig,
  {
    params,
    now,
    senderVerdict,
  }: { readonly params: VerifyParams; readonly now: Date; readonly senderVerdict: boolean | null },
): VerifyType | null {
  const byMail = (stored: string, sentAt: Date | null) =>
    matchesStored(params.hash, { stored, sentAt, expiry: config.email.otp_expiry, now })
  const byPhone = (stored: string, sentAt: Date | null) =>
    senderVerdict ??
    (params.token === testCode(config, params.phone) ||
      matchesStored(params.hash, { stored, sentAt, expiry: PHONE_CODE_EXPIRY, now }))
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
