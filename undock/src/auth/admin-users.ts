import { createHash } from 'node:crypto'
import { z } from 'zod'
import { keyword, sql, statement } from '../kernel/sql.ts'
import { adminActor, audit } from './audit.ts'
import type { Queryable } from './auth-db.ts'
import { parseBody, readText } from './body.ts'
import { type Call, json } from './call.ts'
import type { AuthDeps } from './deps.ts'
import { authError } from './errors.ts'
import { clearOneTimeTokens } from './one-time-tokens.ts'
import { offsetOf, pageHeaders, readPage, readSorting } from './pagination.ts'
import { isUuid } from './params.ts'
import { deleteSessionsOf } from './sessions.ts'
import { presentUser, type User } from './user.ts'
import { deleteUser, findUser, INSTANCE_ID, idIs, selectUsers, updateUser } from './users.ts'

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
    statement(sql`select count(*)::int as total from auth.users u where ${where}`),
    statement(sql`${selectUsers} where ${where} order by u.created_at ${order}, u.id ${order}
      limit ${page.perPage} offset ${offsetOf(page)}`),
  ])
  const total = Number(results[0]?.rows[0]?.total ?? 0)
  const users = (results[1]?.rows ?? []) as User[]
  // Upstream reads a list without its relations.
  const listed = users.map((user) => ({ ...presentUser({ ...user, factors: [] }), identities: null }))
  return json({ users: listed, aud }, 200, pageHeaders(new URL(request.url), page, total))
}

/** The user that a path names. @throws `validation_failed`, `user_not_found` */
export async function userOfPath({ db }: AuthDeps, { params }: Call): Promise<User> {
  const id = params.user_id ?? ''
  if (!isUuid(id)) throw authError('userIdInvalid')
  const user = await findUser(db, idIs(id))
  if (!user) throw authError('userUnknown')
  return user
}

/** GET /admin/users/{user_id} */
export async function getUser(deps: AuthDeps, call: Call): Promise<Response> {
  return json(presentUser(await userOfPath(deps, call)))
}

const DeleteUser = z.object({ should_soft_delete: z.boolean().nullish() })

/** The body may be missing. */
async function readIsSoft({ request }: Call): Promise<boolean> {
  const text = await readText(request)
  return text === '' ? false : parseBody(text, DeleteUser).should_soft_delete === true
}

/** DELETE /admin/users/{user_id}; softly, the row stays without a trace of who it was. */
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
    await tx.query(
      statement(sql`update auth.identities set identity_data = '{}', provider_id = ${hidden} where id = ${id}`),
    )
  }
  await clearOneTimeTokens(tx, user.id)
  await tx.query(statement(sql`delete from auth.mfa_factors where user_id = ${user.id}`))
  await tx.query(statement(sql`delete from auth.webauthn_credentials where user_id = ${user.id}`))
  await deleteSessionsOf(tx, user.id)
}
