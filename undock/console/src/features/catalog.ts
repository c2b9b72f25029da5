import { queryOptions } from '@tanstack/react-query'
import type { Finding } from '../../../src/console/advisors.ts'
import { api, readJson } from '../lib/api.ts'

/** @property kind As in pg_class: r table, p partitioned, v view, m materialized view, f foreign table.
 *  @property rows Postgres' estimate; null if it has none yet. */
export type Relation = {
  readonly schema: string
  readonly name: string
  readonly kind: 'r' | 'p' | 'v' | 'm' | 'f'
  readonly rows: number | null
  readonly rowSecurity: boolean
  readonly comment: string | null
}

export type ForeignKey = {
  readonly name: string
  readonly columns: readonly string[]
  readonly schema: string
  readonly table: string
  readonly references: readonly string[]
}

/** @property type With its modifiers, such as `character varying(20)`.
 *  @property baseType Without its modifiers, for casts: one to `varchar(5)` would truncate longer text. A domain's underlying type.
 *  @property category As in pg_type: B boolean, N number, E enum, A array, …
 *  @property labels Those of an enum. */
export type Column = {
  readonly name: string
  readonly type: string
  readonly baseType: string
  readonly category: string
  readonly isNullable: boolean
  readonly default: string | null
  readonly identity: '' | 'a' | 'd'
  readonly isGenerated: boolean
  readonly isKey: boolean
  readonly labels: readonly string[] | null
  readonly comment: string | null
}

export type Policy = {
  readonly name: string
  readonly command: string
  readonly isPermissive: boolean
  readonly roles: readonly string[]
  readonly using: string | null
  readonly check: string | null
}

export type RelationDetail = Relation & {
  readonly columns: readonly Column[]
  /** The names of the primary key's columns, in its order. */
  readonly key: readonly string[]
  readonly foreignKeys: readonly ForeignKey[]
  readonly indexes: readonly { readonly name: string; readonly definition: string }[]
  readonly constraints: readonly { readonly name: string; readonly definition: string }[]
  readonly triggers: readonly { readonly name: string; readonly definition: string }[]
  readonly policies: readonly Policy[]
  /** Of a view. */
  readonly definition: string | null
}

export const catalogKey = ['catalog']

const RELATION = `'schema', n.nspname, 'name', c.relname, 'kind', c.relkind,
  'rows', nullif(c.reltuples, -1)::bigint, 'rowSecurity', c.relrowsecurity,
  'comment', obj_description(c.oid, 'pg_class')`

/** All tables and views except those of Postgres and undock. */
export const relationsQuery = queryOptions({
  queryKey: [...catalogKey, 'relations'],
  queryFn: ({ signal }) =>
    readJson<Relation>(
      `select json_build_object(${RELATION})
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
         and n.nspname not in ('pg_catalog', 'information_schema', '_undock') and n.nspname !~ '^pg_(toast|temp)'
       order by n.nspname, c.relname`,
      [],
      { signal },
    ),
})

const DETAIL = `
  select json_build_object(${RELATION},
    'columns', (
      select json_agg(json_build_object(
        'name', a.attname, 'type', format_type(a.atttypid, a.atttypmod),
        'baseType', format_type(b.oid, -1), 'category', b.typcategory,
        'isNullable', not (a.attnotnull or t.typnotnull),
        'default', pg_get_expr(d.adbin, d.adrelid), 'identity', a.attidentity, 'isGenerated', a.attgenerated <> '',
        'isKey', coalesce(a.attnum = any (k.conkey), false),
        'labels', (select json_agg(e.enumlabel order by e.enumsortorder) from pg_enum e where e.enumtypid = b.oid),
        'comment', col_description(c.oid, a.attnum)) order by a.attnum)
      from pg_attribute a
      join pg_type t on t.oid = a.atttypid
      join pg_type b on b.oid = case when t.typtype = 'd' then t.typbasetype else t.oid end
      left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped),
    'key', coalesce((
      select json_agg(a.attname order by o.n) from unnest(k.conkey) with ordinality o (attnum, n)
      join pg_attribute a on a.attrelid = c.oid and a.attnum = o.attnum), '[]'),
    'foreignKeys', coalesce((
      select json_agg(json_build_object('name', f.conname,
        'columns', (select json_agg(a.attname order by o.n) from unnest(f.conkey) with ordinality o (attnum, n)
          join pg_attribute a on a.attrelid = f.conrelid and a.attnum = o.attnum),
        'schema', rn.nspname, 'table', r.relname,
        'references', (select json_agg(a.attname order by o.n) from unnest(f.confkey) with ordinality o (attnum, n)
          join pg_attribute a on a.attrelid = f.confrelid and a.attnum = o.attnum)) order by f.conname)
      from pg_constraint f join pg_class r on r.oid = f.confrelid join pg_namespace rn on rn.oid = r.relnamespace
      where f.conrelid = c.oid and f.contype = 'f'), '[]'),
    'indexes', coalesce((
      select json_agg(json_build_object('name', i.relname, 'definition', pg_get_indexdef(x.indexrelid)) order by i.relname)
      from pg_index x join pg_class i on i.oid = x.indexrelid where x.indrelid = c.oid), '[]'),
    'constraints', coalesce((
      select json_agg(json_build_object('name', o.conname, 'definition', pg_get_constraintdef(o.oid)) order by o.conname)
      from pg_constraint o where o.conrelid = c.oid and o.contype <> 'n'), '[]'),
    'triggers', coalesce((
      select json_agg(json_build_object('name', g.tgname, 'definition', pg_get_triggerdef(g.oid)) order by g.tgname)
      from pg_trigger g where g.tgrelid = c.oid and not g.tgisinternal), '[]'),
    'policies', coalesce((
      select json_agg(json_build_object('name', p.policyname, 'command', p.cmd, 'isPermissive', p.permissive = 'PERMISSIVE',
        'roles', p.roles, 'using', p.qual, 'check', p.with_check) order by p.policyname)
      from pg_policies p where p.schemaname = n.nspname and p.tablename = c.relname), '[]'),
    'definition', case when c.relkind in ('v', 'm') then pg_get_viewdef(c.oid, true) end)
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  left join pg_constraint k on k.conrelid = c.oid and k.contype = 'p'
  where n.nspname = $1 and c.relname = $2 and c.relkind in ('r', 'p', 'v', 'm', 'f')`

/** Everything about one table or view; null if it doesn't exist. */
export const relationQuery = (schema: string, name: string) =>
  queryOptions({
    queryKey: [...catalogKey, 'relation', schema, name],
    queryFn: async ({ signal }) => (await readJson<RelationDetail>(DETAIL, [schema, name], { signal }))[0] ?? null,
  })

/** The advisors' findings. */
export const advisorsQuery = queryOptions({
  queryKey: [...catalogKey, 'advisors'],
  queryFn: ({ signal }) => api<Finding[]>('/advisors', { signal }),
})
