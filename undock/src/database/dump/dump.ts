import pg from 'pg'
import { pgDump } from './pg-dump.ts'

// What `supabase db dump` writes. Which schemas, roles and statements belong to the platform: supabase/cli
// pkg/migration/dump.go and its scripts.

/** Made by the platform and kept by it. */
const PLATFORM = [
  ...[
    'information_schema',
    'pg_*',
    '_analytics',
    '_realtime',
    '_supavisor',
    '_undock',
    'etl',
    'extensions',
    'pgbouncer',
    'realtime',
  ],
  ...['supabase_migrations', 'graphql', 'graphql_public', 'pgsodium', 'pgsodium_masks', 'pgtle', 'repack', 'tiger'],
  ...['tiger_data', 'timescaledb_*', '_timescaledb_*', 'topology', 'vault'],
]
/** Of these the structure is the platform's, the rows are the project's. */
const OWN_ROWS = ['auth', 'storage', 'supabase_functions', 'cron', 'dbdev', 'net', 'pgmq']

const RESERVED_ROLE =
  /^(?:anon|authenticated|authenticator|cli_login_.*|dashboard_user|pgbouncer|postgres|service_role|supabase_.*|pgsodium_key(?:holder|iduser|maker)|pgtle_admin|pg_.*)$/
const ALLOWED_SETTING = /^(?:pgaudit\..*|pgrst\..*|session_replication_role|statement_timeout|track_io_timing)$/

export type DumpOptions = {
  /** Only these; all but the platform's when empty. */
  readonly schemas: readonly string[]
  readonly keepComments: boolean
}

/** The structure that the project's migrations made, so that it can be applied where parts of it are. */
export async function dumpSchema(url: string, { schemas, keepComments }: DumpOptions): Promise<string> {
  const excluded = [...PLATFORM, ...OWN_ROWS]
  const which = schemas.length > 0 ? ['--schema', schemas.join('|')] : ['--exclude-schema', excluded.join('|')]
  const text = await pgDump(url, ['--schema-only', '--quote-all-identifiers', ...which])
  return edit(text, (line) => schemaLine(line, excluded), keepComments)
}

/** The rows, users and files' metadata among them, as INSERT.
 *  @param without Tables to leave out, with their schema. */
export async function dumpData(
  url: string,
  { schemas }: Pick<DumpOptions, 'schemas'>,
  without: readonly string[],
): Promise<string> {
  const which =
    schemas.length > 0 ? ['--schema', schemas.join('|')] : ['--schema', '*', '--exclude-schema', PLATFORM.join('|')]
  const tables = ['auth.schema_migrations', 'storage.migrations', 'supabase_functions.migrations', ...without]
  const text = await pgDump(url, [
    ...['--data-only', '--quote-all-identifiers', '--column-inserts', '--rows-per-insert', '100000'],
    ...which,
    ...tables.flatMap((table) => ['--exclude-table', `"${table.replaceAll('.', '"."')}"`]),
  ])
  // Triggers must not act on rows that come back as they were.
  return `SET session_replication_role = replica;\n\n${text.trimEnd()}\n\nRESET ALL;\n`
}

/** The project's own roles, and what it set for those of the platform. */
export async function dumpRoles(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
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
  } finally {
    await client.end()
  }
}

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
    return [`ALTER ROLE ${quote(name)} SET ${quote(setting)} TO ${pg.escapeLiteral(one.slice(equals + 1))};`]
  })

const quote = pg.escapeIdentifier

/** Statements that begin with these are the platform's; they stay as comments. */
const PLATFORM_LINE = [
  /^CREATE PUBLICATION "supabase_realtime/,
  /^CREATE EVENT TRIGGER /,
  /^ {9}WHEN TAG IN /,
  /^ {3}EXECUTE FUNCTION /,
  /^ALTER EVENT TRIGGER /,
  /^ALTER PUBLICATION "supabase_realtime_/,
  /^ALTER PUBLICATION "supabase_realtime" OWNER /,
  /^ALTER FOREIGN DATA WRAPPER .+ OWNER TO /,
  /^ALTER DEFAULT PRIVILEGES FOR ROLE "supabase_admin"/,
  /^GRANT ALL ON FOREIGN DATA WRAPPER .+ TO "postgres" WITH GRANT OPTION/,
  /^COMMENT ON EXTENSION /,
  /^CREATE POLICY "cron_job_/,
  /^ALTER TABLE "cron"/,
  /^SET transaction_timeout = 0;/,
]

function schemaLine(line: string, excluded: readonly string[]): string {
  const granted = /^(?:GRANT|REVOKE) .+? ON [A-Z ]*"([^"]+)"/.exec(line)?.[1]
  if (PLATFORM_LINE.some((pattern) => pattern.test(line)) || (granted && excluded.includes(granted)))
    return `-- ${line}`
  return line
    .replace(/^CREATE (SCHEMA|TABLE|SEQUENCE) "/, 'CREATE $1 IF NOT EXISTS "')
    .replace(/^CREATE (VIEW|FUNCTION|TRIGGER) "/, 'CREATE OR REPLACE $1 "')
    .replace(/^(CREATE EXTENSION IF NOT EXISTS "(?:pg_tle|pgsodium|pgmq)").+/, '$1;')
}

function edit(text: string, change: (line: string) => string, keepComments: boolean): string {
  const lines = text.split('\n').map(change)
  const kept = keepComments ? lines : lines.filter((line) => !line.startsWith('--'))
  return `${kept
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()}\n\nRESET ALL;\n`
}
