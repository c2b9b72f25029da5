import { matchesStored, tokenHash } from '../credentials/one-time-codes.ts'
import type { AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import { codeKey } from '../guards/code-attempts.ts'
import type { Queryable } from '../models/auth-db.ts'
import { clearOneTimeTokens } from '../models/one-time-tokens.ts'
import type { User } from '../models/user.ts'
import { updateUser } from '../models/users.ts'
import { PHONE_CODE_EXPIRY } from '../sms/phone-codes.ts'

type NonceAttempt = {
  readonly user: User
  readonly nonce: string
  /** What the SMS provider that generated the code says of it; null when the code is ours. */
  readonly senderVerdict: boolean | null
  readonly now: Date
}

/** Redeems a nonce. @throws `reauthentication_not_valid` */
export async function consumeNonce(
  tx: Queryable,
  { config, codeAttempts }: AuthDeps,
  { user, nonce, senderVerdict, now }: NonceAttempt,
): Promise<void> {
  const expiry = user.email !== '' ? config.email.otp_expiry : PHONE_CODE_EXPIRY
  const hash = tokenHash(user.email || user.phone, nonce)
  const matches = () =>
    matchesStored(hash, { stored: user.reauthentication_token, sentAt: user.reauthentication_sent_at, expiry, now })
  const code = codeKey(user, 'reauthentication')
  if (!codeAttempts.take(code) || !(senderVerdict ?? matches())) throw authError('nonceInvalid')
  codeAttempts.forget(code)
  await updateUser(tx, user.id, { reauthentication_token: '' }, now)
  await clearOneTimeTokens(tx, user.id)
}
