import type { Result } from '../db.ts'
import { literal } from '../statements/literal.ts'

/** A temporary object of a client: its catalog, its number there, and its name. */
export type TemporaryObject = {
  readonly catalog: keyof typeof CATALOGS
  readonly oid: number
  readonly name: string
}

/** The catalogs of objects in the schema pg_temp, with their columns for schema and name. */
const CATALOGS = {
  pg_class: ['relnamespace', 'relname'],
  pg_type: ['typnamespace', 'typname'],
  pg_proc: ['pronamespace', 'proname'],
} as const

/** The beginning of the names of objects whose client does not have its turn. */
const HIDDEN = 'undock hidden '

// The session of PGlite has one schema for temporary objects. The objects of a client have other names while another one has its
// turn, so that nobody reads the table of somebody else. ALTER … RENAME would take as many statements as there are objects, and
// run event triggers.

/** Whether the session has ever had a temporary object. */
export const HAS_TEMPORARY_SCHEMA = 'select pg_catalog.pg_my_temp_schema() <> 0 as temporary'

/** Hides all temporary objects that have their own names, and returns them: of the client whose turn ends. It runs as the engine's
 *  own user, after the session was reset. */
export const HIDE_SCRIPT = `set allow_system_table_mods = on; with ${Object.entries(CATALOGS)
  .map(
    ([catalog, [schema, name]]) => `${catalog} as (
      update pg_catalog.${catalog} set ${name} = ${literal(HIDDEN)} || oid
      where ${schema} = pg_catalog.pg_my_temp_schema() and ${name} not like ${literal(`${HIDDEN}%`)}
      returning '${catalog}' as catalog, oid, old.${name}::text as name)`,
  )
  .join(', ')} ${Object.keys(CATALOGS)
  .map((catalog) => `select * from ${catalog}`)
  .join(' union all ')}; reset allow_system_table_mods`

/** The objects in the response to `HIDE_SCRIPT`. */
export const hiddenObjects = (results: readonly Result[]): TemporaryObject[] =>
  results.flatMap(({ rows }) => rows as TemporaryObject[]).filter(({ catalog }) => catalog in CATALOGS)

/** A script that gives hidden objects their names again. */
export const showScript = (objects: readonly TemporaryObject[]): string =>
  [
    'set allow_system_table_mods = on',
    ...objects.map(
      ({ catalog, oid, name }) =>
        `update pg_catalog.${catalog} set ${CATALOGS[catalog][1]} = ${literal(name)} where oid = ${oid}`,
    ),
    'reset allow_system_table_mods',
  ].join('; ')

/** A script that drops the temporary objects that are not hidden, as DISCARD TEMP does with all. */
export const DROP_SCRIPT = `set event_triggers = off; do $undock$
  declare command text;
  begin
    -- One at a time, because others may be dropped together with it.
    loop
      select format('drop %s %s cascade', kind, name) into command from (
        select 'pg_class'::regclass as catalog, oid, oid::regclass::text as name, relname as own_name, relnamespace as schema,
          case relkind when 'r' then 'table' when 'p' then 'table' when 'v' then 'view' when 'S' then 'sequence' end as kind
        from pg_catalog.pg_class
        union all select 'pg_proc'::regclass, oid, oid::regprocedure::text, proname, pronamespace, 'routine'
        from pg_catalog.pg_proc
        union all select 'pg_type'::regclass, oid, oid::regtype::text, typname, typnamespace, 'type'
        from pg_catalog.pg_type
      ) as objects
      where schema = pg_catalog.pg_my_temp_schema() and kind is not null and own_name not like '${HIDDEN}%'
        -- Postgres drops parts of another object only together with that: row types, arrays, sequences of identity columns.
        and not exists (select from pg_catalog.pg_depend d
          where d.classid = catalog and d.objid = objects.oid and d.objsubid = 0 and d.deptype = 'i')
      limit 1;
      exit when command is null;
      execute command;
    end loop;
  end $undock$; reset event_triggers`
