import { type Sql, sql } from '../../kernel/sql.ts'
import { JSON_TYPE, mediaTypeName, parseMediaType } from '../media-type.ts'
import { handlerKey, type QualifiedName, type ResolvedHandler } from './model.ts'
import { DOMAINS } from './tables.ts'

/** Reads custom media handlers: aggregates and functions that return a domain named after a media type. */
export const mediaHandlersQuery = (schemas: readonly string[]): Sql => sql`
with ${DOMAINS},
media as (
  select t.oid, t.typnamespace, t.typname, case when d.base not in ('text'::regtype, 'varchar'::regtype, 'json'::regtype)
    then json_build_object('schema', sn.nspname, 'name', s.proname) end as send
  from pg_catalog.pg_type t
  join domains d on d.oid = t.oid
  join pg_catalog.pg_type b on b.oid = d.base
  join pg_catalog.pg_proc s on s.oid = b.typsend
  join pg_catalog.pg_namespace sn on sn.oid = s.pronamespace
  where t.typname ~* '^[A-Za-z0-9.-]+/[A-Za-z0-9.\+-]+$' or t.typname = '*/*'
)
select pn.nspname as schema, p.proname as name, an.nspname as "targetSchema", a.typname as "targetName",
  lower(m.typname) as media, m.send::text
from media m
join pg_catalog.pg_proc p on p.prorettype = m.oid and p.prokind = 'a' and p.pronargs = 1
join pg_catalog.pg_namespace pn on pn.oid = p.pronamespace
join pg_catalog.pg_type a on a.oid = p.proargtypes[0]
  and (a.oid = 'anyelement'::regtype or exists (
    select from pg_catalog.pg_class c where c.oid = a.typrelid and c.relkind in ('v', 'r', 'm', 'f', 'p')))
join pg_catalog.pg_namespace an on an.oid = a.typnamespace
where pn.nspname = any(${schemas})
union
select mn.nspname, m.typname, pn.nspname, p.proname, m.typname, m.send::text
from media m
join pg_catalog.pg_namespace mn on mn.oid = m.typnamespace
join pg_catalog.pg_proc p on p.prorettype = m.oid and p.prokind = 'f' and not p.proretset
join pg_catalog.pg_namespace pn on pn.oid = p.pronamespace
where pn.nspname = any(${schemas})`

export type MediaHandlerRow = QualifiedName & {
  readonly targetSchema: string
  readonly targetName: string
  readonly media: string
  readonly send: string | null
}

const BUILT_IN: readonly (readonly [string, ResolvedHandler])[] = [
  [handlerKey(null, '*/*'), { handler: { kind: 'json' }, media: JSON_TYPE }],
  [handlerKey(null, 'application/json'), { handler: { kind: 'json' }, media: JSON_TYPE }],
  [handlerKey(null, 'text/csv'), { handler: { kind: 'csv' }, media: parseMediaType('text/csv') }],
  [
    handlerKey(null, 'application/geo+json'),
    { handler: { kind: 'geojson' }, media: parseMediaType('application/geo+json') },
  ],
]

/** Returns the built-in handlers, overridden by the project's own. */
export const toMediaHandlers = (rows: readonly MediaHandlerRow[]): ReadonlyMap<string, ResolvedHandler> =>
  new Map([
    ...BUILT_IN,
    ...rows.map((row): readonly [string, ResolvedHandler] => {
      const anyElement = row.targetSchema === 'pg_catalog' && row.targetName === 'anyelement'
      const target = anyElement ? null : { schema: row.targetSchema, name: row.targetName }
      const media = parseMediaType(row.media)
      return [
        handlerKey(target, mediaTypeName(media)),
        {
          handler: {
            kind: 'custom',
            function: { schema: row.schema, name: row.name },
            target,
            send: row.send === null ? null : JSON.parse(row.send),
          },
          // A handler for every media type returns bytes of an unknown type.
          media: media.kind === 'any' ? parseMediaType('application/octet-stream') : media,
        },
      ]
    }),
  ])
