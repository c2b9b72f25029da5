import { asProjectUser } from '../database/as-project-user.ts'
import type { Db } from '../database/db.ts'
import { sql } from '../kernel/sql.ts'
import type { Command } from './relation.ts'

export const COMMANDS: readonly Command[] = ['select', 'insert', 'update', 'delete']
/** The roles of requests without a token, with a user's, and with the secret key. */
export const ROLES = ['anon', 'authenticated', 'service_role'] as const
export type Role = (typeof ROLES)[number]

/** What a role may do with a relation's rows.
 *  - `refused`: no privilege, Postgres answers 42501
 *  - `nothing`: row security is on without a policy for this role: no row is seen or changed, new ones are refused
 *  - `policy`: the rows for which its policies are true
 *  - `all`: row security is off, or doesn't apply to the role
 *  - `view`: the rows that the view's owner may read
 *  @property columns Columns of the privilege; null for all. */
export type Access = {
  readonly kind: 'refused' | 'nothing' | 'policy' | 'all' | 'view'
  readonly policies: readonly string[]
  readonly columns: readonly string[] | null
}

export type MatrixRow = {
  readonly schema: string
  readonly name: string
  readonly isView: boolean
  readonly isRowSecurityEnabled: boolean
  readonly firstColumn: string
  readonly access: Readonly<Record<Role, Readonly<Record<Command, Access>>>>
}

type Found = Omit<MatrixRow, 'access'> & {
  isInvoker: boolean
  cells: {
    role: Role
    command: Command
    granted: boolean
    columns: string[]
    bypasses: boolean
    policies: { name: string; permissive: boolean }[]
  }[]
}

export async function readMatrix(db: Db, schemas: readonly string[]): Promise<MatrixRow[]> {
  const { rows } = await asProjectUser(db).query<Found>(matrixQuery(schemas))
  return rows.map(({ cells, isInvoker, ...relation }) => {
    const accessOf = (role: Role, command: Command): Access => {
      const cell = cells.find((one) => one.role === role && one.command === command)
      if (!cell || (!cell.granted && cell.columns.length === 0)) return { kind: 'refused', policies: [], columns: null }
      const columns = cell.granted ? null : cell.columns
      if (relation.isView) return { kind: isInvoker ? 'policy' : 'view', policies: [], columns }
      if (!relation.isRowSecurityEnabled || cell.bypasses) return { kind: 'all', policies: [], columns }
      const names = cell.policies.map((policy) => policy.name)
      return {
        kind: cell.policies.some(({ permissive }) => permissive) ? 'policy' : 'nothing',
        policies: names,
        columns,
      }
    }
    return { ...relation, access: recordOf(ROLES, (role) => recordOf(COMMANDS, (command) => accessOf(role, command))) }
  })
}

const recordOf = <Key extends string, T>(keys: readonly Key[], make: (key: Key) => T): Record<Key, T> =>
  Object.fromEntries(keys.map((key) => [key, make(key)])) as Record<Key, T>

const matrixQuery = (schemas: readonly string[]) => sql`
  select n.nspname as schema, c.relname as name, c.relkind in ('v', 'm') as "isView",
    c.relrowsecurity as "isRowSecurityEnabled",
    coalesce((select a.attname from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      and a.attgenerated = '' and a.attidentity <> 'a' order by a.attnum limit 1), 'ctid') as "firstColumn",
    coalesce((select option_value::boolean from pg_options_to_table(c.reloptions)
      where option_name = 'security_invoker'), false) as "isInvoker",
    (select jsonb_agg(jsonb_build_object(
        'role', role.rolname, 'command', command.name,
        'granted', usable and has_table_privilege(role.oid, c.oid, command.name),
        'columns', case when usable and command.name <> 'delete' then (
          select coalesce(jsonb_agg(a.attname order by a.attnum), '[]') from pg_attribute a
          where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
            and has_column_privilege(role.oid, c.oid, a.attnum, command.name)) else '[]' end,
        'bypasses', role.rolbypassrls or role.rolsuper
          or (pg_has_role(role.oid, c.relowner, 'usage') and not c.relforcerowsecurity),
        'policies', (select coalesce(jsonb_agg(jsonb_build_object('name', p.polname, 'permissive', p.polpermissive)
            order by p.polname), '[]')
          from pg_policy p where p.polrelid = c.oid and p.polcmd in ('*', command.code)
            and (select bool_or(member = 0 or pg_has_role(role.oid, member, 'usage')) from unnest(p.polroles) member))))
      from pg_roles role, has_schema_privilege(role.oid, n.oid, 'usage') as usable,
        (values ('select', 'r'::"char"), ('insert', 'a'), ('update', 'w'), ('delete', 'd')) as command (name, code)
      where role.rolname = any (${[...ROLES]}::text[])) as cells
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = any (${[...schemas]}::text[]) and c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
    and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
  order by 1, 2`
