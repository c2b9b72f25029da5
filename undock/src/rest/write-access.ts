import type { Db } from '../database/db.ts'
import { databaseError } from '../database/protocol/errors.ts'
import { sql, statement } from '../kernel/sql.ts'
import { routineNotFound, tableNotFound } from './plan/not-found.ts'
import { tableOf } from './plan/resolve.ts'
import type { ApiRequest } from './request/request.ts'
import type { RestCaller } from './request-context.ts'
import type { Catalog } from './schema-cache/catalog-loader.ts'
import { keyOf, type QualifiedName } from './schema-cache/model.ts'

export type WriteAccessOptions = { readonly db: Db; readonly caller: RestCaller; readonly catalog: Catalog }

/** Refuses a write before reading its body if Postgres would certainly refuse it: the table or function doesn't exist,
 *  the caller lacks privileges on it and all its columns, or no row security policy lets them insert anything.
 *  @throws PGRST202, PGRST205, and 42501 with Postgres' message */
export async function refuseWriteAhead(
  { action, contentType }: ApiRequest,
  { db, caller, catalog }: WriteAccessOptions,
): Promise<void> {
  // The pre-request function may switch to another role.
  if (catalog.settings.preRequest !== null) return
  if (action.kind === 'call') {
    if (!catalog.cache.routines.has(keyOf(action.target)))
      throw routineNotFound(catalog.cache, { target: action.target, argumentNames: [], contentType, isPost: true })
    if (!(await hasCallRight(action.target, db, caller))) throw permissionDenied('function', action.target.name)
  }
  if (action.kind !== 'mutate') return
  const table = tableOf(catalog.cache, action.target)
  if (!table) throw tableNotFound(catalog.cache, action.target)
  const kind = table.isView ? 'view' : 'table'
  const access = await tableAccess(action.target, action.mutation === 'update' ? 'update' : 'insert', { db, caller })
  if (!access.isGranted) throw permissionDenied(kind, table.name)
  if (action.mutation !== 'update' && !access.hasPolicy)
    throw databaseError(`new row violates row-level security policy for table "${table.name}"`, '42501')
}

type TableAccess = { readonly isGranted: boolean; readonly hasPolicy: boolean }

async function tableAccess(
  { schema, name }: QualifiedName,
  privilege: 'insert' | 'update',
  { db, caller }: Pick<WriteAccessOptions, 'db' | 'caller'>,
): Promise<TableAccess> {
  const [found] = await db.run({
    settings: { role: caller.principal.role },
    access: 'read only',
    statements: [
      statement(sql`
        select has_schema_privilege(n.oid, 'usage') and has_any_column_privilege(c.oid, ${privilege}) as "isGranted",
          -- A trigger or a rule may write the row elsewhere before a policy is checked.
          not row_security_active(c.oid) or c.relhasrules or exists (
            select from pg_catalog.pg_trigger t where t.tgrelid = c.oid and t.tgtype & 7 = 7 and not t.tgisinternal
          ) or exists (
            select from pg_catalog.pg_policy p
            where p.polrelid = c.oid and p.polpermissive and p.polcmd in ('*', 'a')
              and (0 = any(p.polroles) or exists (select from unnest(p.polroles) r where pg_has_role(r, 'usage')))
          ) as "hasPolicy"
        from pg_catalog.pg_class c
        join pg_catalog.pg_namespace n on n.oid = c.relnamespace
        where n.nspname = ${schema} and c.relname = ${name}`),
    ],
  })
  // If the table was dropped meanwhile, the statement itself reports that.
  return (found?.rows[0] as TableAccess | undefined) ?? { isGranted: true, hasPolicy: true }
}

async function hasCallRight({ schema, name }: QualifiedName, db: Db, caller: RestCaller): Promise<boolean> {
  const [found] = await db.run({
    settings: { role: caller.principal.role },
    access: 'read only',
    statements: [
      statement(sql`
        select coalesce(bool_or(has_schema_privilege(n.oid, 'usage') and has_function_privilege(p.oid, 'execute')), true) as "may"
        from pg_catalog.pg_proc p
        join pg_catalog.pg_namespace n on n.oid = p.pronamespace
        where n.nspname = ${schema} and p.proname = ${name}`),
    ],
  })
  return found?.rows[0]?.may === true
}

const permissionDenied = (kind: string, name: string): Error =>
  databaseError(`permission denied for ${kind} ${name}`, '42501')
