import type { Transaction } from '../database/db.ts'
import { identifier, type Sql, sql } from '../kernel/sql.ts'

export type Command = 'select' | 'insert' | 'update' | 'delete'

type Column = {
  readonly name: string
  readonly isGenerated: boolean
  readonly preset: string | null
  /** The caller's privileges, on the table or the column. */
  readonly mayRead: boolean
  readonly mayInsert: boolean
  readonly mayUpdate: boolean
}

export type Policy = {
  readonly name: string
  readonly isPermissive: boolean
  readonly command: Command | 'all'
  /** Names; `public` is every role. */
  readonly roles: readonly string[]
  readonly appliesToCaller: boolean
  readonly using: string | null
  readonly check: string | null
  readonly definerFunctions: readonly { readonly name: string; readonly owner: string }[]
}

export type Relation = {
  readonly schema: string
  readonly name: string
  readonly kind: 'table' | 'view' | 'foreign table' | 'materialized view'
  readonly owner: string
  readonly mayUseSchema: boolean
  readonly hasPrivilege: boolean
  readonly columns: readonly Column[]
  readonly isRowSecurityEnabled: boolean
  /** Why row security doesn't apply to the caller; null if it does, or if it's off. */
  readonly bypass: 'superuser' | 'BYPASSRLS' | 'owner' | null
  readonly policies: readonly Policy[]
  /** For a view: whether it reads with the caller's rights, and the relations that it reads. */
  readonly view: {
    readonly isInvoker: boolean
    readonly ownerBypasses: boolean
    readonly reads: readonly string[]
  } | null
}

const KINDS: Record<string, Relation['kind']> = {
  r: 'table',
  p: 'table',
  v: 'view',
  m: 'materialized view',
  f: 'foreign table',
}
const COMMANDS: Record<string, Policy['command']> = {
  r: 'select',
  a: 'insert',
  w: 'update',
  d: 'delete',
  '*': 'all',
}

/** Returns a relation's name as SQL. */
export const relationSql = ({ schema, name }: Pick<Relation, 'schema' | 'name'>): Sql => identifier(schema, name)

/** Reads a relation and what a role may do with it; null if either doesn't exist. */
export async function readRelation(
  tx: Transaction,
  target: { readonly schema: string; readonly table: string },
  role: string,
  command: Command,
): Promise<Relation | null> {
  const { rows } = await tx.query<RelationRow>(relationQuery(target, role, command))
  const [row] = rows
  const kind = row && KINDS[row.kind]
  if (!row || !kind) return null
  return {
    schema: target.schema,
    name: target.table,
    kind,
    owner: row.owner,
    mayUseSchema: row.mayUseSchema,
    hasPrivilege: row.hasPrivilege,
    columns: row.columns,
    isRowSecurityEnabled: row.isRowSecurityEnabled,
    bypass: bypassOf(row),
    policies: row.policies.map(({ command, ...policy }) => ({ ...policy, command: COMMANDS[command] ?? 'all' })),
    view: kind === 'view' ? row.view : null,
  }
}

/** Like check_enable_rls() in Postgres. */
function bypassOf(row: RelationRow): Relation['bypass'] {
  if (!row.isRowSecurityEnabled) return null
  if (row.isSuperuser) return 'superuser'
  if (row.bypasses) return 'BYPASSRLS'
  return row.isOwner && !row.isForced ? 'owner' : null
}

type RelationRow = Pick<
  Relation,
  'owner' | 'mayUseSchema' | 'hasPrivilege' | 'columns' | 'isRowSecurityEnabled' | 'view'
> & {
  readonly kind: string
  readonly policies: readonly (Omit<Policy, 'command'> & { readonly command: string })[]
  readonly isForced: boolean
  readonly isSuperuser: boolean
  readonly bypasses: boolean
  readonly isOwner: boolean
}

const relationQuery = (
  { schema, table }: { schema: string; table: string },
  role: string,
  command: Command,
): Sql => sql`
  select c.relkind as kind, owner.rolname as owner,
    has_schema_privilege(caller.oid, n.oid, 'usage') as "mayUseSchema",
    has_table_privilege(caller.oid, c.oid, ${command}) as "hasPrivilege",
    (select coalesce(jsonb_agg(jsonb_build_object(
        'name', a.attname, 'isGenerated', a.attgenerated <> '' or a.attidentity = 'a',
        'preset', (select pg_get_expr(f.adbin, f.adrelid) from pg_attrdef f
          where f.adrelid = c.oid and f.adnum = a.attnum and a.attgenerated = ''),
        'mayRead', has_column_privilege(caller.oid, c.oid, a.attnum, 'select'),
        'mayInsert', has_column_privilege(caller.oid, c.oid, a.attnum, 'insert'),
        'mayUpdate', has_column_privilege(caller.oid, c.oid, a.attnum, 'update')) order by a.attnum), '[]')
      from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
    c.relrowsecurity as "isRowSecurityEnabled", c.relforcerowsecurity as "isForced",
    caller.rolsuper as "isSuperuser", caller.rolbypassrls as bypasses,
    pg_has_role(caller.oid, c.relowner, 'usage') as "isOwner",
    (select coalesce(jsonb_agg(jsonb_build_object(
        'name', p.polname, 'isPermissive', p.polpermissive, 'command', p.polcmd,
        'roles', (select jsonb_agg(case when role = 0 then 'public' else role::regrole::text end) from unnest(p.polroles) role),
        'appliesToCaller', (select bool_or(role = 0 or pg_has_role(caller.oid, role, 'usage')) from unnest(p.polroles) role),
        'using', pg_get_expr(p.polqual, p.polrelid), 'check', pg_get_expr(p.polwithcheck, p.polrelid),
        'definerFunctions', (select coalesce(jsonb_agg(distinct jsonb_build_object(
            'name', f.oid::regprocedure::text, 'owner', f.proowner::regrole::text)), '[]')
          from pg_depend d join pg_proc f on f.oid = d.refobjid
          where d.classid = 'pg_policy'::regclass and d.objid = p.oid and d.refclassid = 'pg_proc'::regclass and f.prosecdef)
      ) order by p.polname), '[]') from pg_policy p where p.polrelid = c.oid) as policies,
    jsonb_build_object(
      'isInvoker', coalesce((select option_value::boolean from pg_options_to_table(c.reloptions)
        where option_name = 'security_invoker'), false),
      'ownerBypasses', owner.rolsuper or owner.rolbypassrls,
      'reads', (select coalesce(jsonb_agg(distinct d.refobjid::regclass::text), '[]')
        from pg_rewrite r join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = r.oid
        where r.ev_class = c.oid and d.refclassid = 'pg_class'::regclass and d.refobjid <> c.oid)) as view
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  join pg_roles owner on owner.oid = c.relowner
  join pg_roles caller on caller.rolname = ${role}
  where n.nspname = ${schema} and c.relname = ${table}`
