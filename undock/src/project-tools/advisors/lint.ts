/** A check of the catalog. Names, levels, categories and conditions are those of splinter, which checks hosted projects.
 *  @see https://github.com/supabase/splinter */
export type Lint = {
  readonly name: string
  readonly title: string
  readonly level: Level
  readonly category: Category
  readonly description: string
  /** The value of `?lint=` in the URL of its documentation. */
  readonly page: string
  /** The prefix of its findings' keys, if not the name. */
  readonly keyName?: string
  /** A table that the query reads in addition to the catalog. Without it, there are no findings. */
  readonly needs?: string
  /** Has a row for each finding. `$1` is the list of exposed schemas.
   *
   *  - `detail`: a sentence about the object.
   *  - `metadata`: JSON with at least `name`, and `schema` for what has one.
   *  - `key`: what identifies the finding, after `keyName`.
   *  - `fix`: SQL that fixes it; null if that needs a decision. */
  readonly query: string
}

export const LEVELS = ['INFO', 'WARN', 'ERROR'] as const
export type Level = (typeof LEVELS)[number]
export type Category = 'SECURITY' | 'PERFORMANCE'

const NO_PROJECT_SCHEMAS = [
  ...['_timescaledb_cache', '_timescaledb_catalog', '_timescaledb_config', '_timescaledb_internal', 'auth', 'cron'],
  ...['extensions', 'graphql', 'graphql_public', 'information_schema', 'net', 'pgbouncer', 'pg_catalog', 'pgmq'],
  ...['pgroonga', 'pgsodium', 'pgsodium_masks', 'pgtle', 'repack', 'storage', 'supabase_functions'],
  ...['supabase_migrations', 'tiger', 'topology', 'vault', '_undock'],
]
const quoted = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(', ')

/** Schema `n` is none of the platform or of an extension. Policies on `realtime.messages` are the project's. */
export const OF_PROJECT_OR_REALTIME = `n.nspname not in (${quoted(NO_PROJECT_SCHEMAS)})`
export const OF_PROJECT = `n.nspname not in (${quoted([...NO_PROJECT_SCHEMAS, 'realtime'])})`
/** Schema `n` is one of the project, and the Data API exposes it. */
export const EXPOSED = `n.nspname = any ($1::text[]) and ${OF_PROJECT}`

/** Relation `c` with its schema `n`. */
export const RELATIONS = 'pg_class c join pg_namespace n on n.oid = c.relnamespace'
/** Whether anon or authenticated can read relation `c`. */
export const READABLE = `(has_table_privilege('anon', c.oid, 'select') or has_table_privilege('authenticated', c.oid, 'select'))`
export const notOfExtension = (oid: string): string =>
  `not exists (select from pg_depend x where x.objid = ${oid} and x.deptype = 'e')`
/** View `c` reads its tables with the rights of the caller. */
export const IS_INVOKER = `exists (select from pg_options_to_table(c.reloptions) o
  where o.option_name = 'security_invoker' and lower(o.option_value) in ('1', 'true', 'yes', 'on'))`

/** `metadata` of relation `c`. @param more Further keys and values. */
export const metadata = (type: string, more = ''): string =>
  `jsonb_build_object('schema', n.nspname, 'name', c.relname, 'type', '${type}'${more && `, ${more}`})`
/** `key` of relation `c`. */
export const KEY = "n.nspname || '_' || c.relname"
export const ENABLE_RLS = `format('alter table %I.%I enable row level security;', n.nspname, c.relname)`
export const REVOKE_SELECT = `format('revoke select on %I.%I from anon, authenticated;', n.nspname, c.relname)`

/** Policies `p` of tables `c`. Their expressions as texts are `l.qual` and `l.with_check`, their command is `l.cmd`. */
export const POLICIES = `pg_policy p join pg_class c on c.oid = p.polrelid join pg_namespace n on n.oid = c.relnamespace
  join pg_policies l on l.schemaname = n.nspname and l.tablename = c.relname and l.policyname = p.polname`
