import { randomUUID } from 'node:crypto'
import type { AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import type { Call } from '../http/call.ts'
import { audit } from '../models/audit.ts'
import type { Queryable } from '../models/auth-db.ts'
import { insertOwnIdentity, saveOwnIdentity } from '../models/identities.ts'
import { clearOneTimeTokens } from '../models/one-time-tokens.ts'
import type { Json } from '../models/params.ts'
import { deleteSessionsOf } from '../models/sessions.ts'
import { blankUser, type User } from '../models/user.ts'
import {
  deleteUser,
  findByAnyEmail,
  findUser,
  insertUser,
  merged,
  phoneIs,
  reloadUser,
  updateUser,
} from '../models/users.ts'

type Confirmable = Pick<User, 'id' | 'raw_user_meta_data'>

/** Marks the address as confirmed and clears all pending tokens. */
export async function confirmEmail(tx: Queryable, user: Confirmable, now: Date): Promise<void> {
  const raw_user_meta_data = merged(user.raw_user_meta_data, { email_verified: true })
  await updateUser(tx, user.id, { confirmation_token: '', email_confirmed_at: now, raw_user_meta_data }, now)
  await clearOneTimeTokens(tx, user.id)
}

export async function confirmPhone(tx: Queryable, userId: string, now: Date): Promise<void> {
  await updateUser(tx, userId, { confirmation_token: '', phone_confirmed_at: now }, now)
  await clearOneTimeTokens(tx, userId)
}

/** Sets a password, and invalidates pending codes and all sessions except the one that set it.
 *  @param hash null removes the password */
export async function setPassword(
  tx: Queryable,
  userId: string,
  {
    hash,
    keepSessionId,
    now,
  }: { readonly hash: string | null; readonly keepSessionId: string | null; readonly now: Date },
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

/** Changes the account's address to a new, verified one. @throws `email_exists` if another account took it */
export async function changeEmail(tx: Queryable, user: User, email: string, now: Date): Promise<void> {
  if (await findByAnyEmail(tx, email, user.aud, user.id)) throw authError('emailTaken')
  await audit(tx, { actor: user, action: 'user_modified' }, now)
  await saveOwnIdentity(tx, { userId: user.id, provider: 'email', claims: { email, email_verified: true }, now })
  await updateUser(
    tx,
    user.id,
    {
      email,
      email_change: '',
      email_change_token_current: '',
      email_change_token_new: '',
      email_change_confirm_status: 0,
      is_anonymous: false,
    },
    now,
  )
  await clearOneTimeTokens(tx, user.id)
  if (!user.email_confirmed_at) await confirmEmail(tx, user, now)
}

/** Changes the account's phone number to a new, verified one. @returns whether it's the first phone identity */
export async function changePhone(tx: Queryable, user: User, phone: string, now: Date): Promise<boolean> {
  const holder = await findUser(tx, phoneIs(phone, user.aud))
  if (holder && holder.id !== user.id) throw authError('phoneTaken')
  await audit(tx, { actor: user, action: 'user_modified' }, now)
  const isNew = await saveOwnIdentity(tx, {
    userId: user.id,
    provider: 'phone',
    claims: { phone, phone_verified: true },
    now,
  })
  await updateUser(
    tx,
    user.id,
    { phone, phone_change: '', phone_change_token: '', phone_confirmed_at: now, is_anonymous: false },
    now,
  )
  await clearOneTimeTokens(tx, user.id)
  return isNew
}

/** Runs a flow that creates an account and sends its owner a message, and deletes the account if sending fails.
 *  Upstream sends inside the transaction, we send after it.
 *  @param fresh The account, if the flow creates one. */
export async function withAccountRollback<T>(
  deps: AuthDeps,
  { requestId }: Call,
  fresh: { readonly id: string } | null,
  flow: () => Promise<T>,
): Promise<T> {
  try {
    return await flow()
  } catch (error) {
    if (fresh) {
      await deleteUser(deps.db, fresh.id).catch((reason: unknown) =>
        deps.log.warn('auth: an account whose owner was not reached could not be deleted', {
          requestId,
          reason: String(reason),
        }),
      )
    }
    throw error
  }
}

export function newEmailUser({ aud, now }: Call, email: string, data: Json, passwordHash: string): User {
  return blankUser({
    id: randomUUID(),
    aud,
    email,
    encrypted_password: passwordHash,
    raw_app_meta_data: { provider: 'email', providers: ['email'] },
    raw_user_meta_data: data,
    created_at: now,
    updated_at: now,
  })
}

export async function insertEmailUser(tx: Queryable, user: User, now: Date): Promise<User> {
  await insertUser(tx, user, now)
  await insertOwnIdentity(tx, user, 'email', now)
  return reloadUser(tx, user.id)
}
