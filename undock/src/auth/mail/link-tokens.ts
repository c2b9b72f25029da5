import { flowToken, newCode, tokenHash } from '../credentials/one-time-codes.ts'
import type { AuthConfig } from '../deps.ts'
import { checkMailFrequency } from '../guards/rate-limits.ts'
import type { Queryable } from '../models/auth-db.ts'
import { type OneTimeTokenType, saveOneTimeToken } from '../models/one-time-tokens.ts'
import type { User } from '../models/user.ts'
import { reloadUser, updateUser } from '../models/users.ts'
import type { EmailChange, LinkMail } from './messages.ts'

/** @property isPkce The link answers with a code instead of a session. */
type LinkOptions = { readonly isPkce: boolean; readonly now: Date }

// Each function stores a new one-time token and returns the mail to send after the transaction.

export async function newConfirmation(
  tx: Queryable,
  config: AuthConfig,
  user: User,
  { isPkce, now }: LinkOptions,
): Promise<LinkMail> {
  const { confirmation_sent_at: sentAt } = await reloadUser(tx, user.id, { lock: true })
  checkMailFrequency(sentAt, config.email.max_frequency, now)
  const { code, hash } = newToken(user.email, config, { isPkce })
  await updateUser(tx, user.id, { confirmation_token: hash, confirmation_sent_at: now }, now)
  await saveOneTimeToken(tx, { userId: user.id, type: 'confirmation_token', hash, relatesTo: user.email }, now)
  return { kind: 'confirmation', code, hash }
}

export async function newInvitation(tx: Queryable, config: AuthConfig, user: User, now: Date): Promise<LinkMail> {
  const { code, hash } = newToken(user.email, config, { isPkce: false })
  await updateUser(tx, user.id, { confirmation_token: hash, confirmation_sent_at: now, invited_at: now }, now)
  await saveOneTimeToken(tx, { userId: user.id, type: 'confirmation_token', hash, relatesTo: user.email }, now)
  return { kind: 'invite', code, hash }
}

/** Stores a recovery or magic link token: they share a column and a frequency. */
export async function newRecovery(
  tx: Queryable,
  config: AuthConfig,
  user: User,
  { kind, isPkce, now }: LinkOptions & { readonly kind: 'recovery' | 'magic_link' },
): Promise<LinkMail> {
  const { recovery_sent_at: sentAt } = await reloadUser(tx, user.id, { lock: true })
  checkMailFrequency(sentAt, config.email.max_frequency, now)
  const { code, hash } = newToken(user.email, config, { isPkce })
  await updateUser(tx, user.id, { recovery_token: hash, recovery_sent_at: now }, now)
  await saveOneTimeToken(tx, { userId: user.id, type: 'recovery_token', hash, relatesTo: user.email }, now)
  return { kind, code, hash }
}

/** Stores tokens for the new mailbox and, if changes must be confirmed twice, the current one. */
export async function newEmailChange(
  tx: Queryable,
  config: AuthConfig,
  user: User,
  { newEmail, isPkce, now }: LinkOptions & { readonly newEmail: string },
): Promise<EmailChange> {
  const { email_change_sent_at: sentAt } = await reloadUser(tx, user.id, { lock: true })
  checkMailFrequency(sentAt, config.email.max_frequency, now)
  const fresh = newToken(newEmail, config, { isPkce })
  const needsBoth = config.email.double_confirm_changes && user.email !== ''
  const current = needsBoth ? newToken(user.email, config, { isPkce }) : { code: '', hash: '' }
  await updateUser(
    tx,
    user.id,
    {
      email_change: newEmail,
      email_change_token_new: fresh.hash,
      email_change_token_current: current.hash,
      email_change_sent_at: now,
      email_change_confirm_status: 0,
    },
    now,
  )
  const save = (type: OneTimeTokenType, hash: string, relatesTo: string) =>
    saveOneTimeToken(tx, { userId: user.id, type, hash, relatesTo }, now)
  if (needsBoth) await save('email_change_token_current', current.hash, user.email)
  await save('email_change_token_new', fresh.hash, newEmail)
  return { newCode: fresh.code, newHash: fresh.hash, currentCode: current.code, currentHash: current.hash }
}

function newToken(
  address: string,
  config: AuthConfig,
  { isPkce }: { readonly isPkce: boolean },
): { code: string; hash: string } {
  const code = newCode(config.email.otp_length)
  return { code, hash: flowToken(tokenHash(address, code), { isPkce }) }
}
