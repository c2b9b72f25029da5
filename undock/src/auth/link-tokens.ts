import type { Queryable } from './auth-db.ts'
import type { AuthConfig } from './deps.ts'
import type { EmailChange, LinkMail } from './mails.ts'
import { flowToken, newCode, tokenHash } from './one-time-code.ts'
import { saveOneTimeToken } from './one-time-tokens.ts'
import { checkMailFrequency } from './send-limits.ts'
import type { User } from './user.ts'
import { updateUser } from './users.ts'

// Each of these stores a new one-time token and returns what to mail once the transaction has ended.

export async function newConfirmation(
  tx: Queryable,
  config: AuthConfig,
  user: User,
  isPkce: boolean,
  now: Date,
): Promise<LinkMail> {
  checkMailFrequency(user.confirmation_sent_at, config.email.max_frequency, now)
  const { code, hash } = newToken(user.email, config, isPkce)
  await updateUser(tx, user.id, { confirmation_token: hash, confirmation_sent_at: now }, now)
  await saveOneTimeToken(tx, user.id, 'confirmation_token', hash, user.email, now)
  return { kind: 'confirmation', code, hash }
}

export async function newInvitation(tx: Queryable, config: AuthConfig, user: User, now: Date): Promise<LinkMail> {
  const { code, hash } = newToken(user.email, config, false)
  await updateUser(tx, user.id, { confirmation_token: hash, confirmation_sent_at: now, invited_at: now }, now)
  await saveOneTimeToken(tx, user.id, 'confirmation_token', hash, user.email, now)
  return { kind: 'invite', code, hash }
}

/** Recovery and magic links are one kind of token: they share their column and their frequency. */
export async function newRecovery(
  tx: Queryable,
  config: AuthConfig,
  user: User,
  kind: 'recovery' | 'magic_link',
  isPkce: boolean,
  now: Date,
): Promise<LinkMail> {
  checkMailFrequency(user.recovery_sent_at, config.email.max_frequency, now)
  const { code, hash } = newToken(user.email, config, isPkce)
  await updateUser(tx, user.id, { recovery_token: hash, recovery_sent_at: now }, now)
  await saveOneTimeToken(tx, user.id, 'recovery_token', hash, user.email, now)
  return { kind, code, hash }
}

/** Tokens for the new mailbox and, where changes must be confirmed twice, for the current one. */
export async function newEmailChange(
  tx: Queryable,
  config: AuthConfig,
  user: User,
  newEmail: string,
  isPkce: boolean,
  now: Date,
): Promise<EmailChange> {
  checkMailFrequency(user.email_change_sent_at, config.email.max_frequency, now)
  const fresh = newToken(newEmail, config, isPkce)
  const needsBoth = config.email.double_confirm_changes && user.email !== ''
  const current = needsBoth ? newToken(user.email, config, isPkce) : { code: '', hash: '' }
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
  if (needsBoth) await saveOneTimeToken(tx, user.id, 'email_change_token_current', current.hash, user.email, now)
  await saveOneTimeToken(tx, user.id, 'email_change_token_new', fresh.hash, newEmail, now)
  return { newCode: fresh.code, newHash: fresh.hash, currentCode: current.code, currentHash: current.hash }
}

function newToken(address: string, config: AuthConfig, isPkce: boolean): { code: string; hash: string } {
  const code = newCode(config.email.otp_length)
  return { code, hash: flowToken(tokenHash(address, code), isPkce) }
}
