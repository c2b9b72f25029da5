import { KNOWN_EXTENSIONS } from '../extensions/known-extensions.ts'
import { createdExtension, splitStatements, withoutComments } from '../statements/split-statements.ts'
import type { ProjectScript } from './project-files.ts'

export type HostedRefusal = { readonly path: string; readonly line: number; readonly reason: string }

/** PostgreSQL's own extensions that a hosted project can create.
 *  @see supabase/postgres ansible/files/postgresql_config/supautils.conf.j2 */
const HOSTED_CONTRIB = new Set([
  ...['autoinc', 'bloom', 'btree_gin', 'btree_gist', 'citext', 'cube', 'dblink', 'dict_int', 'dict_xsyn'],
  ...['earthdistance', 'fuzzystrmatch', 'hstore', 'insert_username', 'intarray', 'isn', 'ltree', 'moddatetime'],
  ...['pg_prewarm', 'pg_stat_statements', 'pg_trgm', 'pg_walinspect', 'pgcrypto', 'pgrowlocks', 'pgstattuple'],
  ...['plpgsql', 'postgres_fdw', 'refint', 'seg', 'sslinfo', 'tablefunc', 'tcn', 'tsm_system_rows', 'tsm_system_time'],
  ...['unaccent', 'uuid-ossp'],
])

const NAME = String.raw`"?(?<schema>auth|storage|realtime)"?\s*\.\s*"?(?<name>[\w$]+)`

const CREATE_OBJECT = new RegExp(
  String.raw`^create\s+(?:or\s+replace\s+)?(?:unlogged\s+|materialized\s+)?(?<kind>table|view|function|procedure|type|sequence)\s+(?:if\s+not\s+exists\s+)?${NAME}`,
  'i',
)
const CHANGE_TABLE = new RegExp(String.raw`^(?<verb>alter|drop)\s+table\s+(?:if\s+exists\s+)?(?:only\s+)?${NAME}`, 'i')
const CREATE_INDEX = new RegExp(
  String.raw`^create\s+(?:unique\s+)?index\s+(?:concurrently\s+)?(?:if\s+not\s+exists\s+)?(?:"?[\w$]+"?\s+)?on\s+(?:only\s+)?${NAME}`,
  'i',
)

/** Finds statements that a hosted project refuses: extensions that it lacks, and changes to the structure of auth,
 *  storage and realtime, whose tables belong to the platform (triggers and policies are allowed). */
export function findHostedRefusals(scripts: readonly ProjectScript[], major: number): HostedRefusal[] {
  return scripts.flatMap(({ path, text }) =>
    splitStatements(text).flatMap((statement) => {
      const code = withoutComments(statement.text)
      const reason = refusalOf(code, major)
      const leading = statement.text.slice(0, statement.text.length - code.length)
      return reason === null ? [] : [{ path, line: statement.line + leading.split('\n').length - 1, reason }]
    }),
  )
}

function refusalOf(text: string, major: number): string | null {
  const extension = createdExtension(text)
  if (extension !== undefined) {
    if (HOSTED_CONTRIB.has(extension)) return null
    // @see https://supabase.com/docs/guides/platform/upgrading
    const { hostedUntil } = KNOWN_EXTENSIONS[extension] ?? { hostedUntil: null }
    if (hostedUntil === null) return `hosted projects do not have the extension ${extension}`
    return hostedUntil === undefined || major <= hostedUntil
      ? null
      : `hosted projects have the extension ${extension} up to PostgreSQL ${hostedUntil} only`
  }
  const created = CREATE_OBJECT.exec(text)?.groups
  if (created)
    return `hosted projects refuse to create a ${created.kind?.toLowerCase()} in the schema ${created.schema}`
  const changed = CHANGE_TABLE.exec(text)?.groups
  if (changed)
    return `the table ${changed.schema}.${changed.name} belongs to the platform, and only its owner can ${changed.verb?.toLowerCase()} it`
  const indexed = CREATE_INDEX.exec(text)?.groups
  if (indexed)
    return `the table ${indexed.schema}.${indexed.name} belongs to the platform, and only its owner can create an index on it`
  return null
}
