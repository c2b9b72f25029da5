import { randomUUID } from 'node:crypto'
import { confirmEmail, confirmPhone } from './account.ts'
import { type AdminUser, bannedUntil } from './admin-params.ts'
import { adminActor, audit } from './audit.ts'
import type { Queryable } from './auth-db.ts'
import { type Call, json } from './call.ts'
import type { AuthDeps } from './deps.ts'
import { authError } from './errors.ts'
import { insertIdentity, ownIdentity } from './identities.ts'
import { isUuid, validEmail, validPhone } from './params.ts'
import { hashPassword, isPasswordHash, unguessablePassword } from './passwords.ts'
import { presentUser } from './user.ts'
import {
  findByAnyEmail,
  findUser,
  INSTANCE_ID,
  insertUser,
  merged,
  type NewUser,
  phoneIs,
  reloadUser,
  updateUser,
} from './users.ts'

/** POST /admin/users @see supabase/auth internal/api/admin.go, adminUserCreate */
export async function createUser(deps: AuthDeps, call: Call, body: AdminUser): Promise<Response> {
  const { db } = deps
  const { now } = call
  const user = await readUser(db, call, body)
  const ban = bannedUntil(body.ban_duration, now)
  const provider = user.email !== '' ? 'email' : 'phone'
  await db.transaction(async (tx) => {
    await insertUser(tx, user, now, 'userCreateFailed')
    if (user.email !== '') await insertIdentity(tx, user.id, 'email', ownIdentity(user.id, { email: user.email }), now)
    if (user.phone !== '') await insertIdentity(tx, user.id, 'phone', ownIdentity(user.id, { phone: user.phone }), now)
    const traits = { user_id: user.id, user_email: user.email, user_phone: user.phone, provider }
    await audit(tx, { actor: adminActor, action: 'user_signedup', traits }, now)
    if (body.email_confirm) await confirmEmail(tx, await reloadUser(tx, user.id), now)
    if (body.phone_confirm) await confirmPhone(tx, user.id, now)
    if (Object.keys(ban).length > 0) await updateUser(tx, user.id, ban, now)
  })
  return json(presentUser(await reloadUser(db, user.id)))
}

async function readUser(db: Queryable, call: Call, body: AdminUser): Promise<NewUser> {
  const aud = body.aud || call.aud
  if (body.email === '' && body.phone === '') throw authError('createAddressMissing')
  const email = body.email === '' ? '' : validEmail(body.email)
  if (email !== '' && (await findByAnyEmail(db, email, aud, null))) throw authError('emailTaken')
  const phone = body.phone === '' ? '' : validPhone(body.phone)
  if (phone !== '' && (await findUser(db, phoneIs(phone, aud)))) throw authError('phoneTakenAdmin')
  if (typeof body.password === 'string' && body.password_hash !== '') throw authError('createOnePassword')
  const providers = [...(email ? ['email'] : []), ...(phone ? ['phone'] : [])]
  return {
    id: readId(body.id),
    aud,
    role: body.role || 'authenticated',
    email,
    phone,
    encrypted_password: await readPassword(body),
    raw_app_meta_data: merged({ provider: providers[0], providers }, body.app_metadata ?? {}),
    raw_user_meta_data: body.user_metadata ?? {},
    is_anonymous: false,
  }
}

function readId(id: string): string {
  if (id === '') return randomUUID()
  if (!isUuid(id)) throw authError('createIdInvalid')
  if (id === INSTANCE_ID) throw authError('createIdNil')
  return id.toLowerCase()
}

async function readPassword({ password, password_hash: given }: AdminUser): Promise<string> {
  if (given !== '') {
    if (!isPasswordHash(given)) throw authError('passwordHashInvalid')
    return given
  }
  const chosen = password || unguessablePassword()
  if (Buffer.byteLength(chosen) > 72) throw authError('bcryptTooLong')
  return hashPassword(chosen)
}
