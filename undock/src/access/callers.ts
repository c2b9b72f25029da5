import { asProjectUser } from '../database/as-project-user.ts'
import type { Db } from '../database/db.ts'
import { queryRows } from '../database/db.ts'
import type { Claims, Principal } from '../kernel/service.ts'
import { AccessQuestionError } from './explanation.ts'

type UserRow = {
  id: string
  aud: string
  role: string
  email: string | null
  phone: string | null
  app_metadata: object
  user_metadata: object
  is_anonymous: boolean
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Finds a caller: a role, or a user by id, address or phone number, with the claims of a password sign-in's token.
 *  @param extra Claims that replace or extend these, such as `{"aal": "aal2"}`.
 *  @throws {AccessQuestionError} */
export async function findCaller(
  db: Db,
  name: string,
  extra: Readonly<Record<string, unknown>> = {},
): Promise<Principal> {
  const principal = (await findUser(db, name)) ?? (await findRole(db, name))
  if (!principal) throw new AccessQuestionError(`There is no user or role "${name}".`)
  const claims: Claims = { ...principal.claims, ...extra }
  return { role: typeof claims.role === 'string' ? claims.role : principal.role, claims }
}

async function findRole(db: Db, name: string): Promise<Principal | null> {
  const rows = await queryRows(db)`select from pg_roles where rolname = ${name}
    and pg_has_role('authenticator', oid, 'member')`
  return rows.length === 0 ? null : { role: name, claims: { role: name } }
}

async function findUser(db: Db, name: string): Promise<Principal | null> {
  const id = UUID.test(name) ? name : null
  const [user] = await queryRows<UserRow>(asProjectUser(db))`select id, aud, role, email, phone,
    raw_app_meta_data as app_metadata,
      raw_user_meta_data as user_metadata, is_anonymous
    from auth.users where id = ${id}::uuid or email = lower(${name}) or phone = ${name} limit 1`
  if (!user) return null
  const { id: sub, email, phone, ...claims } = user
  return {
    role: user.role,
    claims: { ...claims, sub, email: email ?? '', phone: phone ?? '', aal: 'aal1', amr: [{ method: 'password' }] },
  }
}
