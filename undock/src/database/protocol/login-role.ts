import { keyword, sql } from '../../kernel/sql.ts'
import { superuserLoginRefused, unknownRole } from './errors.ts'
import { decode, type ExchangeFunction, encodeStatement, SYNC } from './exchange.ts'

/** The right to SET ROLE, for `pg_has_role`: before PostgreSQL 16 every member had it. */
export const SET_ROLE_RIGHT = `case when current_setting('server_version_num')::int < 160000 then 'member' else 'set' end`

export type LoginRole = {
  readonly oid: number
  readonly canLogin: boolean
  readonly isGrantedToAuthenticator: boolean
}

/** Finds a role that a session may be authenticated as.
 *  @throws 22023 if it doesn't exist, 28000 if it's a superuser. */
export async function findLoginRole(
  { exchange }: { readonly exchange: ExchangeFunction },
  name: string,
): Promise<LoginRole> {
  const query = sql`
    select r.oid, r.rolsuper as superuser, r.rolcanlogin as "canLogin",
      coalesce(pg_catalog.pg_has_role(a.oid, r.oid, ${keyword(SET_ROLE_RIGHT)}), false) as "isGrantedToAuthenticator"
    from pg_catalog.pg_roles r left join pg_catalog.pg_roles a on a.rolname = 'authenticator' where r.rolname = ${name}`
  const { results } = decode(await exchange(Buffer.concat([...encodeStatement(query, null), SYNC])))
  const role = results[0]?.rows[0] as (LoginRole & { superuser: boolean }) | undefined
  if (!role) throw unknownRole(name)
  if (role.superuser) throw superuserLoginRefused(name)
  return role
}
