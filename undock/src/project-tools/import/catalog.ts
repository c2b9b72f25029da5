import type pg from 'pg'
import { PLATFORM_SCHEMA_PATTERNS, SCHEMAS_WITH_PROJECT_ROWS } from '../dump/pg-dump.ts'

/** @property type As in SQL, such as `character varying(20)`. @property base The name of a domain's underlying type or an array's element
 *  type, such as `text`.
 *  @property category As in pg_type.typcategory, of the same type: S is text, N a number.
 *  @property maxLength Characters, when the type limits them. */
export type Column = {
  readonly name: string
  readonly type: string
  readonly base: string
  readonly category: string
  readonly isArray: boolean
  readonly maxLength: number | null
  readonly isNullable: boolean
  readonly hasDefault: boolean
  readonly isGenerated: boolean
}

/** A table, or the root of a partitioned one. @property id Its SQL name, with schema and quotes where needed. */
export type Table = {
  readonly id: string
  readonly schema: string
  readonly name: string
  readonly isPartitioned: boolean
  readonly columns: readonly Column[]
}

/** @property child The id of the referring table, @property parent and of the referenced one; both without partitions.
 *  @property operators SQL names of those that compare a column of the parent with that of the child. */
export type ForeignKey = {
  readonly name: string
  readonly child: string
  readonly childColumns: readonly string[]
  readonly parent: string
  readonly parentColumns: readonly string[]
  readonly operators: readonly string[]
}

export type Catalog = {
  readonly tables: ReadonlyMap<string, Table>
  readonly foreignKeys: readonly ForeignKey[]
}

/** Reads a database's tables, including auth's and storage's, and their foreign keys. */
export async function readCatalog(client: pg.Client): Promise<Catalog> {
  const tables = await client.query<Table>(TABLES)
  const foreignKeys = await client.query<ForeignKey>(FOREIGN_KEYS)
  return { tables: new Map(tables.rows.map((table) => [table.id, table])), foreignKeys: foreignKeys.rows }
}

/** The ids of the tables created by the project's migrations. */
export async function readProjectTables(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `select format('%I.%I', n.nspname, c.relname) as id from pg_catalog.pg_class c
     join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     where ${IS_TABLE} and not n.nspname like any ($1) and not n.nspname = any ($2) order by 1`,
    [PLATFORM_SCHEMA_PATTERNS, SCHEMAS_WITH_PROJECT_ROWS],
  )
  return rows.map(({ id }) => id)
}

const IS_TABLE = `c.relkind in ('r', 'p') and not c.relispartition and c.relpersistence <> 't' and not exists (
  select from pg_catalog.pg_depend d
  where d.classid = 'pg_catalog.pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`

const TABLES = `
  select format('%I.%I', n.nspname, c.relname) as id, n.nspname as schema, c.relname as name, c.relkind = 'p' as "isPartitioned",
    coalesce((
      select json_agg(json_build_object(
        'name', a.attname, 'type', format_type(a.atttypid, a.atttypmod), 'base', base.typname, 'category', base.typcategory,
        'isArray', plain.typcategory = 'A', 'maxLength', case when a.atttypid in (1042, 1043, 1014, 1015) and a.atttypmod > 4
          then a.atttypmod - 4 end,
        'isNullable', not a.attnotnull, 'hasDefault', a.atthasdef or a.attidentity <> '' or t.typdefault is not null,
        'isGenerated', a.attgenerated <> '') order by a.attnum)
      from pg_catalog.pg_attribute a join pg_catalog.pg_type t on t.oid = a.atttypid
      join pg_catalog.pg_type plain on plain.oid = case when t.typtype = 'd' then t.typbasetype else t.oid end
      join pg_catalog.pg_type base on base.oid = case when plain.typcategory = 'A' then plain.typelem else plain.oid end
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped), '[]') as columns
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where ${IS_TABLE} and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')
  order by 1`

/** Column names are the same in a partition and its root. */
const columnsOf = (relation: string, numbers: string): string => `(
  select json_agg(a.attname order by k.place) from unnest(${numbers}) with ordinality k (number, place)
  join pg_catalog.pg_attribute a on a.attrelid = ${relation} and a.attnum = k.number)`
const rootOf = (relation: string): string => `(
  select format('%I.%I', n.nspname, c.relname) from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.oid = coalesce(pg_catalog.pg_partition_root(${relation}), ${relation}))`

const FOREIGN_KEYS = `
  select f.conname as name, ${rootOf('f.conrelid')} as child, ${columnsOf('f.conrelid', 'f.conkey')} as "childColumns",
    ${rootOf('f.confrelid')} as parent, ${columnsOf('f.confrelid', 'f.confkey')} as "parentColumns",
    (select json_agg(format('%I.%s', n.nspname, o.oprname) order by k2.place)
      from unnest(f.conpfeqop) with ordinality k2 (oid, place) join pg_catalog.pg_operator o on o.oid = k2.oid
      join pg_catalog.pg_namespace n on n.oid = o.oprnamespace) as operators
  from pg_catalog.pg_constraint f
  where f.contype = 'f' and f.conparentid = 0 and not coalesce((to_jsonb(f) ->> 'conperiod')::boolean, false)
  order by 2, 1`
