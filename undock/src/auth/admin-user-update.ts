import { confirmEmail, confirmPhone, setPassword } from './account.ts'
import { type AdminUser, bannedUntil } from './admin-params.ts'
import { userOfPath } from './admin-users.ts'
import { adminActor, audit } from './audit.ts'
import type { Queryable } from './auth-db.ts'
import { type Call, json } from './call.ts'
import type { AuthDeps } from './deps.ts'
import { authError } from './errors.ts'
import { saveOwnIdentity } from './identities.ts'
import { validEmail, validPhone } from './params.ts'
import { checkPassword, hashPassword } from './passwords.ts'
import { presentUser, type User } from './user.ts'
import { findByAnyEmail, findUser, merged, phoneIs, reloadUser, updateUser } from './users.ts'

type Addresses = { readonly email: string; readonly phone: string }

/** PUT /admin/users/{user_id} @see supabase/auth internal/api/admin.go, adminUserUpdate */
export async function updateUserAsAdmin(deps: AuthDeps, call: Call, body: AdminUser): Promise<Response> {
  const user = await userOfPath(deps, call)
  const { now } = call
  const addresses = {
    email: body.email === '' ? '' : validEmail(body.email),
    phone: body.phone === '' ? '' : validPhone(body.phone),
  }
  const ban = bannedUntil(body.ban_duration, now)
  const passwordHash = await readPassword(deps, body)
  await checkFree(deps.db, user, addresses)
  await deps.db.transaction(async (tx) => {
    if (body.role !== '') await updateUser(tx, user.id, { role: body.role.trim() }, now)
    if (body.email_confirm) await confirmEmail(tx, user, now)
    if (body.phone_confirm) await confirmPhone(tx, user.id, now)
    if (passwordHash !== null) await setPassword(tx, user.id, passwordHash, null, now)
    await changeAddresses(tx, user, addresses, body, now)
    const current = await reloadUser(tx, user.id)
    await updateUser(
      tx,
      user.id,
      {
        ...ban,
        ...(body.app_metadata ? { raw_app_meta_data: merged(current.raw_app_meta_data, body.app_metadata) } : {}),
        ...(body.user_metadata ? { raw_user_meta_data: merged(current.raw_user_meta_data, body.user_metadata) } : {}),
      },
      now,
    )
    const traits = { user_id: user.id, user_email: current.email, user_phone: current.phone }
    await audit(tx, { actor: adminActor, action: 'user_modified', traits }, now)
  })
  return json(presentUser(await reloadUser(deps.db, user.id)))
}

async function readPassword({ config }: AuthDeps, { password }: AdminUser): Promise<string | null> {
  if (typeof password !== 'string') return null
  checkPassword(password, config)
  return hashPassword(password)
}

/** Upstream answers 500 "Error updating user" from the unique index; we say what is wrong, with its code for it. */
async function checkFree(db: Queryable, user: User, { email, phone }: Addresses): Promise<void> {
  if (email !== '' && email !== user.email && (await findByAnyEmail(db, email, user.aud, user.id)))
    throw authError('emailTaken')
  if (phone !== '' && phone !== user.phone && (await findUser(db, phoneIs(phone, user.aud))))
    throw authError('phoneTaken')
}

async function changeAddresses(tx: Queryable, user: User, { email, phone }: Addresses, body: AdminUser, now: Date) {
  const emailProved = body.email_confirm === true
  const phoneProved = body.phone_confirm === true
  if (email !== '') {
    await saveOwnIdentity(tx, user.id, 'email', { email, email_verified: emailProved }, now)
    await updateUser(tx, user.id, { email, ...(emailProved ? { is_anonymous: false } : {}) }, now)
  }
  if (phone !== '') {
    await saveOwnIdentity(tx, user.id, 'phone', { phone, phone_verified: phoneProved }, now)
    await updateUser(tx, user.id, { phone, ...(phoneProved ? { is_anonymous: false } : {}) }, now)
  }
}
