import { type Sql, sql } from '../../kernel/sql.ts'
import type { ComputedRelationship, QualifiedName } from './model.ts'
import { matchesFilter, type RelationFilter } from './tables.ts'

/** Reads all schemas' primary, unique and foreign keys: an exposed view may show an unexposed table. */
export const keysQuery = (filter: RelationFilter): Sql => sql`
select k.conname as name, k.contype::text as type, k.conparentid = 0 as "isOwn",
  k.conrelid::int8::text as "tableId", tn.nspname as "tableSchema", t.relname as "tableName",
  (select json_agg(json_build_object('number', a.attnum, 'name', a.attname) order by u.position)
   from unnest(k.conkey) with ordinality u(number, position)
   join pg_catalog.pg_attribute a on a.attrelid = k.conrelid and a.attnum = u.number) as columns,
  k.confrelid::int8::text as "foreignId", fn.nspname as "foreignSchema", f.relname as "foreignName",
  (select json_agg(json_build_object('number', a.attnum, 'name', a.attname) order by u.position)
   from unnest(k.confkey) with ordinality u(number, position)
   join pg_catalog.pg_attribute a on a.attrelid = k.confrelid and a.attnum = u.number) as "foreignColumns"
from pg_catalog.pg_constraint k
join pg_catalog.pg_class t on t.oid = k.conrelid
join pg_catalog.pg_namespace tn on tn.oid = t.relnamespace
left join pg_catalog.pg_class f on f.oid = k.confrelid
left join pg_catalog.pg_namespace fn on fn.oid = f.relnamespace
where k.contype in ('p', 'u', 'f') and tn.nspname not in ('pg_catalog', 'information_schema')
  and ${isKeyOf(filter)}
order by k.conrelid, k.conname`

/** The relations' own keys, and foreign keys that reference them, for which only pg_depend has an index. */
const isKeyOf = (filter: RelationFilter): Sql =>
  filter === null
    ? sql`true`
    : sql`k.oid in (
  select o.oid from pg_catalog.pg_constraint o where ${matchesFilter(sql`o.conrelid`, filter)}
  union all
  select d.objid from pg_catalog.pg_depend d where d.classid = 'pg_catalog.pg_constraint'::regclass
    and d.refclassid = 'pg_catalog.pg_class'::regclass and ${matchesFilter(sql`d.refobjid`, filter)}
)`

export type KeyColumn = { readonly number: number; readonly name: string }

export type KeyRow = {
  readonly name: string
  readonly type: 'p' | 'u' | 'f'
  readonly isOwn: boolean
  readonly tableId: string
  readonly tableSchema: string
  readonly tableName: string
  readonly columns: readonly KeyColumn[]
  readonly foreignId: string
  readonly foreignSchema: string | null
  readonly foreignName: string | null
  readonly foreignColumns: readonly KeyColumn[] | null
}

/** Functions that take one row and return rows: the project's computed relationships. */
export const computedRelationshipsQuery: Sql = sql`
select pn.nspname as schema, p.proname as name,
  an.nspname as "tableSchema", a.typname as "tableName", rn.nspname as "foreignSchema", r.typname as "foreignName",
  not p.proretset or p.prorows = 1 as "isToOne"
from pg_catalog.pg_proc p
join pg_catalog.pg_namespace pn on pn.oid = p.pronamespace
join pg_catalog.pg_type a on a.oid = p.proargtypes[0] and a.typtype = 'c'
join pg_catalog.pg_class ac on ac.oid = a.typrelid and ac.relkind in ('v', 'r', 'm', 'f', 'p')
join pg_catalog.pg_namespace an on an.oid = a.typnamespace
join pg_catalog.pg_type r on r.oid = p.prorettype and r.typtype = 'c'
join pg_catalog.pg_class rc on rc.oid = r.typrelid and rc.relkind in ('v', 'r', 'm', 'f', 'p')
join pg_catalog.pg_namespace rn on rn.oid = r.typnamespace
where p.pronargs = 1`

export type ComputedRow = QualifiedName & {
  readonly tableSchema: string
  readonly tableName: string
  readonly foreignSchema: string
  readonly foreignName: string
  readonly isToOne: boolean
}

export const toComputedRelationship = (row: ComputedRow): ComputedRelationship => ({
  kind: 'computed',
  function: { schema: row.schema, name: row.name },
  table: { schema: row.tableSchema, name: row.tableName },
  foreignTable: { schema: row.foreignSchema, name: row.foreignName },
  isToOne: row.isToOne,
  isSelf: row.tableSchema === row.foreignSchema && row.tableName === row.foreignName,
})
