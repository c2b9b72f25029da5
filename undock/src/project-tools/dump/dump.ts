import pg from 'pg'
import type { Session } from '../../database/session.ts'
import { assignment } from '../../database/settings-statement.ts'
import { splitStatements, withoutComments } from '../../database/statements/split-statements.ts'
import { connectionTo } from '../../kernel/url.ts'
import { PLATFORM_SCHEMAS, pgDump, SCHEMAS_WITH_PROJECT_ROWS } from './pg-dump.ts'

// Writes the dumps of `supabase db dump`. Which schemas, roles and statements belong to the platform is taken from supabase/cli
// pkg/migration/dump.go and its scripts.

/** Tables in them that record the platform's own migrations. */
export const PLATFORM_TABLES = ['auth.schema_migrations', 'storage.migrations', 'supabase_functions.migrations']

const RESERVED_ROLE =
  /^(?:anon|authenticated|authenticator|cli_login_.*|dashboard_user|pgbouncer|postgres|service_role|supabase_.*|undock_(?:reader|vault)|pgsodium_key(?:holder|iduser|maker)|pgtle_admin|pg_.*)$/
const ALLOWED_SETTING = /^(?:pgaudit\..*|pgrst\..*|session_replication_role|statement_timeout|track_io_timing)$/

/** Dumps the schema created by the project's migrations, in a form that can be applied even if parts of it exist.
 *  @param schemas If empty, all except the platform's. */
export async function dumpSchema(url: string, schemas: readonly string[], keepComments = false): Promise<string> {
  const excluded = [...PLATFORM_SCHEMAS, ...SCHEMAS_WITH_PROJECT_ROWS]
  const which = schemas.length > 0 ? ['--schema', schemas.join('|')] : ['--exclude-schema', excluded.join('|')]
  const text = await pgDump(url, ['--schema-only', '--quote-all-identifiers', ...which])
  return rewriteDump(text, excluded, keepComments)
}

/** Dumps the rows as INSERT, including users and the metadata of files.
 *  @param without The tables to omit, with their schema. */
export async function dumpData(
  source: string | Session,
  schemas: readonly string[],
  without: readonly string[],
): Promise<string> {
  const which =
    schemas.length > 0
      ? ['--schema', schemas.join('|')]
      : ['--schema', '*', '--exclude-schema', PLATFORM_SCHEMAS.join('|')]
  const tables = [...PLATFORM_TABLES, ...without]
  const text = await pgDump(source, [
    ...['--data-only', '--quote-all-identifiers', '--column-inserts', '--rows-per-insert', '100000'],
    ...which,
    ...tables.flatMap((table) => ['--exclude-table', `"${table.replaceAll('.', '"."')}"`]),
  ])
  // Triggers must not run for restored rows.
  return `SET session_replication_role = replica;\n\n${text.trimEnd()}\n\nRESET ALL;\n`
}

/** Reads the catalog with an empty search path: operators of the project could shadow PostgreSQL's. */
export async function withCatalog<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ ...connectionTo(url) })
  // A connection in use reports the error to its query.
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query("begin read only; set local search_path = ''")
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Dumps the project's own roles, and its settings of the platform's roles. */
export const dumpRoles = (url: string): Promise<string> =>
  withCatalog(url, async (client) => {
    const roles = await client.query<Role>(ROLES)
    const members = await client.query<{ role: string; member: string }>(MEMBERS)
    const lines = [
      ...roles.rows.filter(({ name }) => !RESERVED_ROLE.test(name)).flatMap(createRole),
      ...roles.rows.flatMap(settingsOf),
      ...members.rows
        .filter(({ member }) => !RESERVED_ROLE.test(member))
        .map(({ role, member }) => `GRANT ${quote(role)} TO ${quote(member)};`),
    ]
    return [...lines, 'RESET ALL;', ''].join('\n')
  })

type Role = {
  readonly name: string
  readonly inherit: boolean
  readonly createrole: boolean
  readonly createdb: boolean
  readonly login: boolean
  readonly bypassrls: boolean
  readonly settings: string[] | null
}

const ROLES = `
  select rolname as name, rolinherit as inherit, rolcreaterole as createrole, rolcreatedb as createdb,
    rolcanlogin as login, rolbypassrls as bypassrls, rolconfig as settings
  from pg_roles order by rolname`

const MEMBERS = `
  select g.rolname as role, m.rolname as member from pg_auth_members a
  join pg_roles g on g.oid = a.roleid join pg_roles m on m.oid = a.member order by 1, 2`

function createRole({ name, inherit, createrole, createdb, login, bypassrls }: Role): string[] {
  const has = (is: boolean, word: string): string => `${is ? '' : 'NO'}${word}`
  const words = [
    has(inherit, 'INHERIT'),
    has(createrole, 'CREATEROLE'),
    has(createdb, 'CREATEDB'),
    has(login, 'LOGIN'),
    has(bypassrls, 'BYPASSRLS'),
  ]
  return [`CREATE ROLE ${quote(name)};`, `ALTER ROLE ${quote(name)} WITH ${words.join(' ')};`]
}

const settingsOf = ({ name, settings }: Role): string[] =>
  (settings ?? []).flatMap((one) => {
    const equals = one.indexOf('=')
    const setting = one.slice(0, equals)
    if (RESERVED_ROLE.test(name) && !ALLOWED_SETTING.test(setting)) return []
    return [`ALTER ROLE ${quote(name)} SET ${assignment(setting, one.slice(equals + 1))};`]
  })

const quote = pg.escapeIdentifier

/** The first words of the platform's statements, which are commented out. */
const PLATFORM_STATEMENT = [
  /^CREATE PUBLICATION "supabase_realtime/,
  /^CREATE EVENT TRIGGER /,
  /^ALTER EVENT TRIGGER /,
  /^ALTER PUBLICATION "supabase_realtime_/,
  /^ALTER PUBLICATION "supabase_realtime" OWNER /,
  /^ALTER FOREIGN DATA WRAPPER .+ OWNER TO /,
  /^ALTER DEFAULT PRIVILEGES FOR ROLE "supabase_admin"/,
  /^GRANT ALL ON FOREIGN DATA WRAPPER .+ TO "postgres" WITH GRANT OPTION/,
  /^COMMENT ON EXTENSION /,
  /^CREATE POLICY "cron_job_/,
  /^ALTER TABLE "cron"/,
  /^SET transaction_timeout = 0$/,
]

/** Rewrites a statement so that it can be applied again; null for a statement of the platform. */
function toReapplicable(code: string, excluded: readonly string[]): string | null {
  const granted = /^(?:GRANT|REVOKE) .+? ON [A-Z ]*"([^"]+)"/.exec(code)?.[1]
  if (PLATFORM_STATEMENT.some((pattern) => pattern.test(code)) || (granted && excluded.includes(granted))) return null
  return code
    .replace(/^CREATE (SCHEMA|TABLE|SEQUENCE) "/, 'CREATE $1 IF NOT EXISTS "')
    .replace(/^CREATE (VIEW|FUNCTION|TRIGGER) "/, 'CREATE OR REPLACE $1 "')
    .replace(/^(CREATE EXTENSION IF NOT EXISTS "(?:pg_tle|pgsodium|pgmq)").+/, '$1')
}

/** Rewrites complete statements: names, comments and function bodies contain lines that look like statements. */
function rewriteDump(text: string, excluded: readonly string[], keepComments: boolean): string {
  const parts = splitStatements(text).flatMap(({ text: whole }) => {
    const code = withoutComments(whole)
    const comments = keepComments ? whole.slice(0, whole.length - code.length) : ''
    const statement = toReapplicable(code, excluded)
    if (statement !== null) return `${comments}${statement};`
    return keepComments ? `${comments}${`${code};`.replaceAll(/^/gm, '-- ')}` : []
  })
  const joined = parts.map((part, index) => (isRowOf(parts[index - 1], part) ? `\n${part}` : `\n\n${part}`)).join('')
  return `${joined.trim()}\n\nRESET ALL;\n`
}

/** Whether two statements belong to one list, such as GRANTs. */
const isRowOf = (before: string | undefined, part: string): boolean =>
  before !== undefined && !before.includes('\n') && !part.includes('\n') && firstWord(before) === firstWord(part)

const firstWord = (text: string): string => text.slice(0, text.indexOf(' '))
