import pg from 'pg'
import { z } from 'zod'
import { assignment } from '../settings-statement.ts'
import type { Databases } from './databases.ts'

/** A server's roles by name. They belong to the whole server, so copies of a database don't contain them. */
const RoleStates = z.record(
  z.string(),
  z.object({
    /** In the syntax of CREATE ROLE. */
    attributes: z.string(),
    settings: z.record(z.string(), z.string()),
    memberships: z.array(z.object({ role: z.string(), options: z.string(), grantor: z.string() })),
  }),
)
type RoleStates = z.infer<typeof RoleStates>
type RoleState = RoleStates[string]

/** Postgres' own roles have lower oids. */
const STATES = `
  select r.rolname as name,
    concat_ws(' ',
      case when r.rolsuper then 'superuser' else 'nosuperuser' end,
      case when r.rolinherit then 'inherit' else 'noinherit' end,
      case when r.rolcreaterole then 'createrole' else 'nocreaterole' end,
      case when r.rolcreatedb then 'createdb' else 'nocreatedb' end,
      case when r.rolcanlogin then 'login' else 'nologin' end,
      case when r.rolreplication then 'replication' else 'noreplication' end,
      case when r.rolbypassrls then 'bypassrls' else 'nobypassrls' end,
      'connection limit ' || r.rolconnlimit,
      'password ' || quote_nullable(r.rolpassword),
      'valid until ' || quote_literal(coalesce(r.rolvaliduntil, 'infinity'))) as attributes,
    coalesce((select jsonb_object_agg(split_part(one, '=', 1), substr(one, strpos(one, '=') + 1))
      from pg_db_role_setting s, unnest(s.setconfig) one where s.setrole = r.oid and s.setdatabase = 0), '{}') as settings,
    coalesce((select jsonb_agg(jsonb_build_object(
        'role', roleid::regrole,
        'options', case
          -- Before PostgreSQL 16 a membership has one option.
          when to_jsonb(m) ? 'set_option' then format('with admin %s, inherit %s, set %s', admin_option::text,
            to_jsonb(m) ->> 'inherit_option', to_jsonb(m) ->> 'set_option')
          when admin_option then 'with admin option' else '' end,
        'grantor', grantor::regrole) order by roleid, grantor)
      from pg_auth_members m where member = r.oid), '[]') as memberships
  from pg_authid r where r.oid >= 16384 order by name`

export async function describeRoles(databases: Databases): Promise<string> {
  return JSON.stringify(await statesOf(databases))
}

/** Restores the roles. Drops roles created since, unless they own something in a database that's kept.
 *  @param dropOld Called before roles are dropped, to drop the database in which they own objects. */
export async function restoreRoles(
  databases: Databases,
  described: string,
  dropOld: () => Promise<void>,
): Promise<void> {
  const before = RoleStates.parse(JSON.parse(described))
  const now = await statesOf(databases)
  const created = Object.keys(now).filter((name) => !before[name])
  if (created.length > 0) await dropOld()
  for (const name of created) await dropUnlessNeeded(databases, name)
  for (const name of Object.keys(before)) {
    if (!now[name]) await databases.run(`create role ${pg.escapeIdentifier(name)}`)
  }
  for (const [name, state] of Object.entries(before)) {
    for (const text of changes(pg.escapeIdentifier(name), now[name] ?? NEW_ROLE, state)) await databases.run(text)
  }
}

async function statesOf(databases: Databases): Promise<RoleStates> {
  const rows = await databases.run(STATES)
  return RoleStates.parse(Object.fromEntries(rows.map(({ name, ...state }) => [name, state])))
}

const DEPENDENT_OBJECTS = '2BP01'

async function dropUnlessNeeded(databases: Databases, name: string): Promise<void> {
  await databases.run(`drop role ${pg.escapeIdentifier(name)}`).catch((error: unknown) => {
    if ((error as { code?: unknown }).code !== DEPENDENT_OBJECTS) throw error
  })
}

function changes(role: string, now: RoleState, before: RoleState): string[] {
  const texts: string[] = []
  if (now.attributes !== before.attributes) texts.push(`alter role ${role} with ${before.attributes}`)
  if (JSON.stringify(now.settings) !== JSON.stringify(before.settings)) {
    texts.push(`alter role ${role} reset all`)
    for (const [name, value] of Object.entries(before.settings))
      texts.push(`alter role ${role} set ${assignment(name, value)}`)
  }
  const has = (state: RoleState, one: object) =>
    state.memberships.some((other) => JSON.stringify(other) === JSON.stringify(one))
  for (const one of now.memberships)
    if (!has(before, one)) texts.push(`revoke ${one.role} from ${role} granted by ${one.grantor}`)
  for (const one of before.memberships)
    if (!has(now, one)) texts.push(`grant ${one.role} to ${role} ${one.options} granted by ${one.grantor}`)
  return texts
}

const NEW_ROLE: RoleState = { attributes: '', settings: {}, memberships: [] }
