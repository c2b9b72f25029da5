import type { Queryable } from './auth-db.ts'
import { clearOneTimeTokens } from './one-time-tokens.ts'
import { deleteSessionsOf } from './sessions.ts'
import type { User } from './user.ts'
import { merged, updateUser } from './users.ts'

// Changes of an account's state that several flows share.

type Confirmable = Pick<User, 'id' | 'raw_user_meta_data'>

/** The address is the user's: its confirmation and whatever else was pending are settled. */
export async function confirmEmail(tx: Queryable, user: Confirmable, now: Date): Promise<void> {
  const raw_user_meta_data = merged(user.raw_user_meta_data, { email_verified: true })
  await updateUser(tx, user.id, { confirmation_token: '', email_confirmed_at: now, raw_user_meta_data }, now)
  await clearOneTimeTokens(tx, user.id)
}

export async function confirmPhone(tx: Queryable, userId: string, now: Date): Promise<void> {
  await updateUser(tx, userId, { confirmation_token: '', phone_confirmed_at: now }, now)
  await clearOneTimeTokens(tx, userId)
}

/** A new password ends what the old one could have started: pending codes, and every session but the one that set it.
 *  @param hash null removes the password */
export async function setPassword(
  tx: Queryable,
  userId: string,
  hash: string | null,
  keepSessionId: string | null,
  now: Date,
) {
  await updateUser(
    tx,
    userId,
    {
      encrypted_password: hash,
      confirmation_token: '',
      confirmation_sent_at: null,
      recovery_token: '',
      recovery_sent_at: null,
      email_change_token_current: '',
      email_change_token_new: '',
      email_change_sent_at: null,
      phone_change_token: '',
      phone_change_sent_at: null,
      reauthentication_token: '',
      reauthentication_sent_at: null,
    },
    now,
  )
  await clearOneTimeTokens(tx, userId)
  await deleteSessionsOf(tx, userId, keepSessionId)
}
