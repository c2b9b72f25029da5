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
    -- One object may have been dropped together with another.
    loop
      select * into command from (
        select format('drop %s %s cascade', case relkind when 'v' then 'view' when 'S' then 'sequence' else 'table' end, oid::regclass)
        from pg_catalog.pg_class
        where relnamespace = pg_catalog.pg_my_temp_schema() and relname not like '${HIDDEN}%' and relkind in ('r', 'p', 'v', 'S')
        union all select format('drop routine %s cascade', oid::regprocedure) from pg_catalog.pg_proc
        where pronamespace = pg_catalog.pg_my_temp_schema() and proname not like '${HIDDEN}%'
        union all select format('drop type %s cascade', oid::regtype) from pg_catalog.pg_type
        where typnamespace = pg_catalog.pg_my_temp_schema() and typname not like '${HIDDEN}%' and typcategory <> 'A'
      ) as commands limit 1;
      exit when command is null;
      execute command;
    end loop;
  end $undock$; reset event_triggers`
