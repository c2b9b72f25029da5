import type pg from 'pg'

const collator = new Intl.Collator('en')
/** The order of names in generated types, the same on every machine. */
export const compareNames = (a: string, b: string): number => collator.compare(a, b)

/** The catalog data that types are generated from. Names in comments are the catalog's.
 *  @see @supabase/postgrest-typegen, `introspect`, as supabase 3.1 contains it */
export type Catalog = {
  readonly schemas: readonly string[]
  readonly relations: readonly Relation[]
  readonly columns: readonly Column[]
  readonly views: readonly View[]
  readonly keys: readonly ForeignKey[]
  readonly types: readonly Type[]
  readonly routines: readonly Routine[]
}

/** @property kind A table (`r`), foreign table (`f`), view (`v`) or materialized view (`m`).
 *  @property takesInsert Whether rows can be inserted into a view, @property takesUpdate or updated there. */
export type Relation = {
  readonly id: number
  readonly schema: string
  readonly name: string
  readonly kind: 'r' | 'f' | 'v' | 'm'
  readonly takesInsert: boolean
  readonly takesUpdate: boolean
}

/** @property type The name of its type, or of a domain's underlying type. */
export type Column = {
  readonly table: number
  readonly number: number
  readonly name: string
  readonly type: string
  readonly typeSchema: string
  readonly isIdentity: boolean
  readonly isAlwaysGenerated: boolean
  readonly isNullable: boolean
  readonly isUpdatable: boolean
  readonly hasDefault: boolean
  readonly comment: string | null
}

/** A view of the schemas, or one that such a view reads.
 *  @property tree Its query, in the format of `ev_action`.
 *  @property columns Their names by number.
 *  @property notNull Tables and columns it reads that are never null. */
export type View = {
  readonly id: number
  readonly schema: string
  readonly name: string
  readonly tree: string
  readonly columns: Readonly<Record<string, string>>
  readonly notNull: readonly (readonly [table: number, column: number])[]
}

/** A foreign key of any schema. @property isOneToOne Whether its columns are a key of their own table, too. */
export type ForeignKey = {
  readonly name: string
  readonly schema: string
  readonly relation: string
  readonly table: number
  readonly numbers: readonly number[]
  readonly columns: readonly string[]
  readonly referencedSchema: string
  readonly referencedRelation: string
  readonly referencedTable: number
  readonly referencedNumbers: readonly number[]
  readonly referencedColumns: readonly string[]
  readonly isOneToOne: boolean
}

/** @property text As in SQL. @property relation The table whose row type it is, if any. */
export type Type = {
  readonly id: number
  readonly schema: string
  readonly name: string
  readonly text: string
  readonly enums: readonly string[]
  readonly attributes: readonly { readonly name: string; readonly type: number }[]
  readonly relation: number | null
}

export type Argument = {
  readonly mode: 'i' | 'o' | 'b' | 'v' | 't'
  readonly name: string
  readonly type: number
  readonly hasDefault: boolean
}

/** @property rows The declared number of rows; null if undeclared. */
export type Routine = {
  readonly id: number
  readonly schema: string
  readonly name: string
  readonly args: readonly Argument[]
  readonly argumentsText: string
  readonly returnType: number
  readonly returnText: string
  readonly returnRelation: number | null
  readonly returnsSet: boolean
  readonly rows: number | null
}

const SCHEMAS = `
  select nspname as name from pg_namespace
  where nspname = any($1) and not starts_with(nspname, 'pg_')
    and (pg_has_role(nspowner, 'usage') or has_schema_privilege(oid, 'create, usage'))`

const RELATIONS = `
  select c.oid::int8 as id, n.nspname as schema, c.relname as name,
    case c.relkind when 'p' then 'r' else c.relkind end as kind,
    c.relkind = 'v' and pg_relation_is_updatable(c.oid, true) & 8 = 8 as "takesInsert",
    c.relkind = 'v' and pg_relation_is_updatable(c.oid, true) & 4 = 4 as "takesUpdate"
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = any($1) and c.relkind in ('r', 'p', 'f', 'v', 'm')
    and (c.relkind in ('f', 'v', 'm') or pg_has_role(c.relowner, 'usage')
      or has_table_privilege(c.oid, 'select, insert, update, delete, truncate, references, trigger')
      or has_any_column_privilege(c.oid, 'select, insert, update, references'))`

/** A view's INSTEAD triggers and rules receive whole rows, so they make all of its columns writable. Their `tgtype` has the
 *  bits 64 (instead of), 16 (update) and 4 (insert). */
const COLUMNS = `
  select c.oid::int8 as "table", a.attnum as number, a.attname as name,
    coalesce(b.typname, t.typname) as type, coalesce(bn.nspname, tn.nspname) as "typeSchema",
    a.attidentity in ('a', 'd') as "isIdentity", a.attidentity = 'a' or a.attgenerated in ('s', 'v') as "isAlwaysGenerated",
    not (a.attnotnull or t.typtype = 'd' and t.typnotnull) as "isNullable",
    c.relkind in ('r', 'p') or c.relkind in ('v', 'f') and (
      pg_column_is_updatable(c.oid, a.attnum, false)
      or exists (select from pg_trigger g
        where g.tgrelid = c.oid and g.tgtype & 64 <> 0 and g.tgtype & 20 <> 0 and not g.tgisinternal)
      or exists (select from pg_rewrite r
        where r.ev_class = c.oid and r.is_instead and r.ev_type in ('2', '3') and r.ev_qual::text = '<>')) as "isUpdatable",
    a.atthasdef as "hasDefault", col_description(c.oid, a.attnum) as comment
  from pg_attribute a
  join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
  join pg_type t on t.oid = a.atttypid join pg_namespace tn on tn.oid = t.typnamespace
  left join pg_type b on t.typtype = 'd' and b.oid = t.typbasetype left join pg_namespace bn on bn.oid = b.typnamespace
  where n.nspname = any($1) and a.attnum > 0 and not a.attisdropped and c.relkind in ('r', 'v', 'm', 'f', 'p')
    and (pg_has_role(c.relowner, 'usage')
      or has_column_privilege(c.oid, a.attnum, 'select, insert, update, references'))`

const VIEWS = `
  with recursive closure(id) as (
    select c.oid from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = any($1) and c.relkind in ('v', 'm')
    union
    select d.refobjid from closure join pg_rewrite r on r.ev_class = closure.id and r.rulename = '_RETURN'
    join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = r.oid and d.refclassid = 'pg_class'::regclass
    join pg_class c on c.oid = d.refobjid and c.relkind in ('v', 'm')
  )
  select c.oid::int8 as id, n.nspname as schema, c.relname as name, r.ev_action::text as tree,
    (select coalesce(json_object_agg(a.attnum, a.attname), '{}')
      from pg_attribute a where a.attrelid = c.oid and a.attnum > 0) as columns,
    (select coalesce(json_agg(json_build_array(d.refobjid::int8, d.refobjsubid)), '[]') from pg_depend d
      join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid join pg_type t on t.oid = a.atttypid
      where d.classid = 'pg_rewrite'::regclass and d.objid = r.oid and d.refclassid = 'pg_class'::regclass
        and d.refobjsubid > 0 and (a.attnotnull or t.typtype = 'd' and t.typnotnull)) as "notNull"
  from closure join pg_class c on c.oid = closure.id join pg_namespace n on n.oid = c.relnamespace
  join pg_rewrite r on r.ev_class = c.oid and r.rulename = '_RETURN'`

const columnsOf = (table: string, numbers: string, shown: string): string => `
    (select json_agg(${shown} order by u.place) from unnest(${numbers}) with ordinality u(number, place)
      join pg_attribute a on a.attrelid = ${table} and a.attnum = u.number)`

/** A foreign key is one-to-one if a key or unique constraint has the same columns, in the table's order. */
const KEYS = `
  select k.conname as name, n.nspname as schema, c.relname as relation, k.conrelid::int8 as "table", k.conkey as numbers,
    ${columnsOf('k.conrelid', 'k.conkey', 'a.attname')} as columns,
    fn.nspname as "referencedSchema", f.relname as "referencedRelation", k.confrelid::int8 as "referencedTable",
    k.confkey as "referencedNumbers", ${columnsOf('k.confrelid', 'k.confkey', 'a.attname')} as "referencedColumns",
    exists (select from pg_constraint u where u.conrelid = k.conrelid and u.contype in ('p', 'u')
      and (select array_agg(number order by number) from unnest(u.conkey) number) = k.conkey) as "isOneToOne"
  from pg_constraint k join pg_namespace n on n.oid = k.connamespace
  join pg_class c on c.oid = k.conrelid
  join pg_class f on f.oid = k.confrelid join pg_namespace fn on fn.oid = f.relnamespace
  where k.contype = 'f' and k.conparentid = 0 and n.nspname not in ('information_schema', 'pg_catalog', 'pg_toast')`

const TYPES = `
  select t.oid::int8 as id, n.nspname as schema, t.typname as name, format_type(t.oid, null) as text,
    (select coalesce(json_agg(e.enumlabel order by e.enumsortorder), '[]') from pg_enum e where e.enumtypid = t.oid) as enums,
    (select coalesce(json_agg(json_build_object('name', a.attname, 'type', a.atttypid::int8) order by a.attnum), '[]')
      from pg_attribute a where a.attrelid = c.oid and c.relkind = 'c' and not a.attisdropped) as attributes,
    nullif(t.typrelid::int8, 0) as relation
  from pg_type t join pg_namespace n on n.oid = t.typnamespace left join pg_class c on c.oid = t.typrelid
  where t.typrelid = 0 or c.relkind in ('c', 'r', 'v', 'm', 'p', 'f')`

const ROUTINES = `
  select p.oid::int8 as id, n.nspname as schema, p.proname as name,
    (select coalesce(json_agg(json_build_object(
        'mode', coalesce(p.proargmodes[a.place::int], 'i'), 'name', coalesce(p.proargnames[a.place::int], ''),
        'type', a.type::int8, 'hasDefault', a.place > p.pronargs - p.pronargdefaults and a.place <= p.pronargs) order by a.place), '[]')
      from unnest(coalesce(p.proallargtypes, p.proargtypes)) with ordinality a(type, place)) as args,
    pg_get_function_arguments(p.oid) as "argumentsText", p.prorettype::int8 as "returnType",
    pg_get_function_result(p.oid) as "returnText", nullif(t.typrelid::int8, 0) as "returnRelation",
    p.proretset as "returnsSet", case when p.proretset then nullif(p.prorows, 0) end as rows
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace join pg_type t on t.oid = p.prorettype
  where n.nspname = any($1) and p.prokind = 'f'
    and pg_get_function_result(p.oid) not in ('trigger', 'event_trigger')`

/** The catalog's text for a session's search path, whose schemas PostgreSQL doesn't qualify. */
const asFoundByDefault = (text: string): string => text.replaceAll(/\b(?:public|extensions)\./g, '')

/** Reads these schemas from the catalog, with the rights of the connection's user. */
export async function readCatalog(client: pg.Client, schemas: readonly string[]): Promise<Catalog> {
  const read = async <Row>(query: string): Promise<Row[]> => {
    const text = `select coalesce(json_agg(found), '[]') as rows from (${query}) found`
    const { rows } = await client.query<{ rows: Row[] }>(text, query.includes('$1') ? [schemas] : [])
    return rows[0]?.rows ?? []
  }
  // With an empty search path: operators of the project could shadow PostgreSQL's.
  await client.query("begin isolation level repeatable read read only; set local search_path = ''")
  try {
    return {
      schemas: (await read<{ name: string }>(SCHEMAS)).map(({ name }) => name),
      relations: await read(RELATIONS),
      columns: await read(COLUMNS),
      views: await read(VIEWS),
      keys: await read(KEYS),
      types: (await read<Type>(TYPES)).map((one) => ({ ...one, text: asFoundByDefault(one.text) })),
      routines: (await read<Routine>(ROUTINES)).map((one) => ({
        ...one,
        argumentsText: asFoundByDefault(one.argumentsText),
        returnText: asFoundByDefault(one.returnText),
      })),
    }
  } finally {
    await client.query('rollback')
  }
}
