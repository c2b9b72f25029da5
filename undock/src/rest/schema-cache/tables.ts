import { type Sql, sql } from '../../kernel/sql.ts'
import type { Column, Table } from './model.ts'

export const DOMAINS: Sql = sql`domains as (
  with recursive steps as (
    select oid, typbasetype as base from pg_catalog.pg_type where typtype = 'd'
    union all
    select s.oid, t.typbasetype from steps s join pg_catalog.pg_type t on t.oid = s.base where t.typtype = 'd'
  )
  select s.oid, s.base, b.typnamespace as base_namespace
  from steps s join pg_catalog.pg_type b on b.oid = s.base
  where b.typtype <> 'd'
)`

/** Oids of the relations to read; null for all. */
export type RelationFilter = readonly string[] | null

export const matchesFilter = (oid: Sql, filter: RelationFilter): Sql =>
  filter === null ? sql`true` : sql`${oid} = any(${filter}::pg_catalog.oid[])`

/** Reads the exposed schemas' tables, views, foreign tables and partitioned tables with their columns. Run it with an
 *  empty search path, so that types print with their schema. */
export const tablesQuery = (schemas: readonly string[], filter: RelationFilter): Sql => sql`
with ${DOMAINS},
relations as (
  select c.oid, c.relname, c.relkind, n.nspname,
         case when c.relkind in ('v', 'f') then pg_relation_is_updatable(c.oid, true) else 0 end as events
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'v', 'm', 'f', 'p') and not c.relispartition and n.nspname = any(${schemas})
    and ${matchesFilter(sql`c.oid`, filter)}
),
attributes as (
  select a.attrelid, json_agg(json_build_object(
    'name', a.attname,
    'description', col_description(a.attrelid, a.attnum),
    'nullable', not (a.attnotnull or t.typtype = 'd' and t.typnotnull),
    'type', case
      when d.base_namespace = 'pg_catalog'::regnamespace then format_type(d.base, null)
      when d.oid is null and t.typnamespace = 'pg_catalog'::regnamespace then format_type(a.atttypid, null)
      else format_type(a.atttypid, a.atttypmod) end,
    'nominalType', format_type(a.atttypid, a.atttypmod),
    'maxLength', case
      when coalesce(d.base, t.oid) in ('varchar'::regtype, 'bpchar'::regtype)
        then nullif(case when d.oid is null then a.atttypmod else t.typtypmod end, -1) - 4
      when coalesce(d.base, t.oid) in ('bit'::regtype, 'varbit'::regtype)
        then nullif(case when d.oid is null then a.atttypmod else t.typtypmod end, -1) end,
    'default', case
      when d.oid is not null and f.adbin is null then pg_get_expr(t.typdefaultbin, 0)
      when a.attidentity = 'd' then (
        select format('nextval(%L)', s.objid::regclass) from pg_catalog.pg_depend s
        where s.classid = 'pg_class'::regclass and s.refclassid = 'pg_class'::regclass
          and s.refobjid = a.attrelid and s.refobjsubid = a.attnum and s.deptype = 'i' limit 1)
      when a.attgenerated <> '' then null
      else pg_get_expr(f.adbin, f.adrelid) end,
    'enum', case when t.typtype in ('e', 'd') then coalesce((
      select json_agg(e.enumlabel order by e.enumsortorder) from pg_catalog.pg_enum e
      where e.enumtypid = coalesce(d.base, t.oid)), '[]') else '[]' end
  ) order by a.attnum) as columns
  from relations r
  join pg_catalog.pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
  join pg_catalog.pg_type t on t.oid = a.atttypid
  left join domains d on d.oid = t.oid
  left join pg_catalog.pg_attrdef f on f.adrelid = a.attrelid and f.adnum = a.attnum
  group by a.attrelid
)
select r.oid::int8::text as id, r.nspname as schema, r.relname as name, obj_description(r.oid, 'pg_class') as description,
  r.relkind in ('v', 'm') as "isView",
  r.relkind in ('r', 'p') or r.events & 8 = 8 as insertable,
  r.relkind in ('r', 'p') or r.events & 4 = 4 as updatable,
  r.relkind in ('r', 'p') or r.events & 16 = 16 as deletable,
  coalesce(c.columns, '[]') as columns
from relations r
left join attributes c on c.attrelid = r.oid
order by r.nspname, r.relname`

export type TableRow = Omit<Table, 'columns' | 'primaryKey'> & {
  readonly id: string
  readonly columns: readonly Column[]
}

export const toTable = ({ id: _id, columns, ...table }: TableRow, primaryKey: readonly string[]): Table => ({
  ...table,
  primaryKey,
  columns: new Map(columns.map((column) => [column.name, column])),
})
