import { createHash, randomUUID } from 'node:crypto'
import { z } from 'zod'
import { execute } from '../../database/db.ts'
import { keyword, sql } from '../../kernel/sql.ts'
import { checkPassword, hashPassword, isPasswordHash, randomPassword } from '../credentials/passwords.ts'
import type { AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import { confirmEmail, confirmPhone, setPassword } from '../flows/account.ts'
import { parseBody, readText } from '../http/body.ts'
import { type Call, json } from '../http/call.ts'
import { userOfPath } from '../http/caller.ts'
import { offsetOf, pageHeaders, readPage, readSorting } from '../http/pagination.ts'
import { adminActor, audit } from '../models/audit.ts'
import type { Queryable } from '../models/auth-db.ts'
import { insertOwnIdentity, saveOwnIdentity } from '../models/identities.ts'
import { clearOneTimeTokens } from '../models/one-time-tokens.ts'
import { isUuid, validEmail, validPhone } from '../models/params.ts'
import { deleteSessionsOf } from '../models/sessions.ts'
import { presentUser, type User } from '../models/user.ts'
import {
  deleteUser,
  findByAnyEmail,
  findUser,
  INSTANCE_ID,
  insertUser,
  merged,
  type NewUser,
  phoneIs,
  reloadUser,
  selectUsers,
  updateUser,
} from '../models/users.ts'
import { type AdminUser, bannedUntil } from './admin-user-params.ts'

/** GET /admin/users?page&per_page&sort&filter @see supabase/auth internal/api/admin.go */
export async function listUsers({ db }: AuthDeps, { request, query, aud }: Call): Promise<Response> {
  const sorting = readSorting(query)
  const page = readPage(query)
  const pattern = `%${query.get('filter') ?? ''}%`
  const matching = query.get('filter')
    ? sql`and (u.email like ${pattern} or u.raw_user_meta_data ->> 'full_name' ilike ${pattern})`
    : sql``
  const where = sql`u.instance_id = ${INSTANCE_ID} and u.aud = ${aud} ${matching}`
  const order = keyword(sorting.descending ? 'desc' : 'asc')
  const results = await db.run([
    sql`select count(*)::int as total from auth.users u where ${where}`,
    sql`${selectUsers} where ${where} order by u.created_at ${order}, u.id ${order}
      limit ${page.perPage} offset ${offsetOf(page)}`,
  ])
  const total = Number(results[0]?.rows[0]?.total ?? 0)
  const users = (results[1]?.rows ?? []) as User[]
  // Upstream lists users without their relations.
  const listed = users.map((user) => ({ ...presentUser({ ...user, factors: [] }), identities: null }))
  return json({ users: listed, aud }, 200, pageHeaders(new URL(request.url), page, total))
}

/** GET /admin/users/{user_id} */
export async function getUser(deps: AuthDeps, call: Call): Promise<Response> {
  return json(presentUser(await userOfPath(deps, call)))
}

const DeleteUser = z.object({ should_soft_delete: z.boolean().nullish() })

async function readIsSoft({ request }: Call): Promise<boolean> {
  const text = await readText(request)
  return text === '' ? false : parseBody(text, DeleteUser).should_soft_delete === true
}

/** DELETE /admin/users/{user_id}; a soft delete keeps an anonymized row. */
export async function removeUser(deps: AuthDeps, call: Call): Promise<Response> {
  const isSoft = await readIsSoft(call)
  const user = await userOfPath(deps, call)
  const traits = { user_id: user.id, user_email: user.email, user_phone: user.phone }
  await deps.db.transaction(async (tx) => {
    await audit(tx, { actor: adminActor, action: 'user_deleted', traits }, call.now)
    if (!isSoft) await deleteUser(tx, user.id)
    else if (!user.deleted_at) await softDelete(tx, user, call.now)
  })
  return json({})
}

/** @see supabase/auth internal/models/user.go, SoftDeleteUser */
async function softDelete(tx: Queryable, user: User, now: Date): Promise<void> {
  const obfuscated = (value: string) =>
    createHash('sha256')
      .update(user.id + value)
      .digest('base64url')
  const phone = (value: string) => obfuscated(value).slice(0, 15)
  await updateUser(
    tx,
    user.id,
    {
      email: obfuscated(user.email),
      phone: phone(user.phone),
      email_change: obfuscated(user.email_change),
      phone_change: phone(user.phone_change),
      encrypted_password: null,
      confirmation_token: '',
      recovery_token: '',
      email_change_token_current: '',
      email_change_token_new: '',
      phone_change_token: '',
      raw_user_meta_data: {},
      raw_app_meta_data: {},
      deleted_at: now,
    },
    now,
  )
  for (const { id, provider, provider_id } of user.identities) {
    const hidden = obfuscated(`${provider}:${provider_id}`)
    await execute(tx)`update auth.identities set identity_data = '{}', provider_id = ${hidden} where id = ${id}`
  }
  await clearOneTimeTokens(tx, user.id)
  await execute(tx)`delete from auth.mfa_factors where user_id = ${user.id}`
  await execute(tx)`delete from auth.webauthn_credentials where user_id = ${user.id}`
  await deleteSessionsOf(tx, user.id)
}

/** POST /admin/users @see supabase/auth internal/api/admin.go, adminUserCreate */
export async function createUser(deps: AuthDeps, call: Call, body: AdminUser): Promise<Response> {
  const { db } = deps
  const { now } = call
  const user = await readUser(db, call, body)
  const ban = bannedUntil(body.ban_duration, now)
  const provider = user.email !== '' ? 'email' : 'phone'
  await db.transaction(async (tx) => {
    await insertUser(tx, user, now, 'userCreateFailed')
    if (user.email !== '') await insertOwnIdentity(tx, user, 'email', now)
    if (user.phone !== '') await insertOwnIdentity(tx, user, 'phone', now)
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
    encrypted_password: await hashNewPassword(body),
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

async function hashNewPassword({ password, password_hash: given }: AdminUser): Promise<string> {
  if (given !== '') {
    if (!isPasswordHash(given)) throw authError('passwordHashInvalid')
    return given
  }
  const chosen = password || randomPassword()
  if (Buffer.byteLength(chosen) > 72) throw authError('bcryptTooLong')
  return hashPassword(chosen)
}

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
  const passwordHash = await hashChangedPassword(deps, body)
  await checkFree(deps.db, user, addresses)
  await deps.db.transaction(async (tx) => {
    if (body.role !== '') await updateUser(tx, user.id, { role: body.role.trim() }, now)
    if (body.email_confirm) await confirmEmail(tx, user, now)
    if (body.phone_confirm) await confirmPhone(tx, user.id, now)
    if (passwordHash !== null) await setPassword(tx, user.id, { hash: passwordHash, keepSessionId: null, now })
    await changeAddresses(tx, user, { addresses, body, now })
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

async function hashChangedPassword({ config }: AuthDeps, { password }: AdminUser): Promise<string | null> {
  if (typeof password !== 'string') return null
  checkPassword(password, config)
  return hashPassword(password)
}

/** Upstream answers 500 "Error updating user" from the unique index; we name the cause, with its code for it. */
async function checkFree(db: Queryable, user: User, { email, phone }: Addresses): Promise<void> {
  if (email !== '' && email !== user.email && (await findByAnyEmail(db, email, user.aud, user.id)))
    throw authError('emailTaken')
  if (phone !== '' && phone !== user.phone && (await findUser(db, phoneIs(phone, user.aud))))
    throw authError('phoneTaken')
}

async function changeAddresses(
  tx: Queryable,
  user: User,
  {
    addresses: { email, phone },
    body,
    now,
  }: { readonly addresses: Addresses; readonly body: AdminUser; readonly now: Date },
) {
  const changed = {
    email: { address: email, isProved: body.email_confirm === true },
    phone: { address: phone, isProved: body.phone_confirm === true },
  }
  for (const provider of ['email', 'phone'] as const) {
    const { address, isProved } = changed[provider]
    if (address === '') continue
    const claims = { [provider]: address, [`${provider}_verified`]: isProved }
    await saveOwnIdentity(tx, { userId: user.id, provider, claims, now })
    await updateUser(tx, user.id, { [provider]: address, ...(isProved ? { is_anonymous: false } : {}) }, now)
  }
}
