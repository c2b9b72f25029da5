import type { Db, Settings } from '../database/db.ts'
import type { Log } from '../kernel/service.ts'
import { quoteIdentifier, sql, statement } from '../kernel/sql.ts'
import { parseRoleClaimPath, type RoleClaimPath } from './role-claim.ts'

/** The PostgREST version that the Data API behaves like: that of the pinned Supabase CLI. */
export const POSTGREST_VERSION = '16.5'
export const POSTGREST_MAJOR = Number.parseInt(POSTGREST_VERSION, 10)

/** The Data API's settings: config.toml, overridden by `alter role authenticator set pgrst.…`. */
export type RestSettings = {
  readonly schemas: readonly string[]
  readonly extraSearchPath: readonly string[]
  /** Rows of one response; null for no limit. */
  readonly maxRows: number | null
  readonly planEnabled: boolean
  readonly aggregatesEnabled: boolean
  readonly allowTransactionOverride: boolean
  readonly rollbackAll: boolean
  /** The function that runs before every request, optionally with its schema (`auth.check`). */
  readonly preRequest: string | null
  /** The function that answers requests to the root instead of the OpenAPI description. */
  readonly rootSpec: string | null
  readonly openApiMode: 'follow-privileges' | 'ignore-privileges' | 'disabled'
  readonly openApiSecurityActive: boolean
  readonly openApiProxyUri: string | null
  readonly serverTiming: boolean
  /** The tokens' required audience; null accepts all. */
  readonly audience: string | null
  readonly roleClaim: RoleClaimPath
  /** Verifies tokens instead of the project's keys (null): a secret, a JWK or a JWK set. Empty verifies none. */
  readonly jwtSecret: Buffer | null
  /** The role of anonymous callers; null refuses them. */
  readonly anonRole: string | null
  readonly verboseErrors: boolean
  /** Whether parameters may also name an aliased embed by its table, as before PostgREST 16. */
  readonly legacyTargetNames: boolean
  readonly preparedStatements: boolean
  readonly traceHeader: string | null
  readonly safeUpdate: boolean
  readonly hoistedSettings: readonly string[]
}

export type ApiConfig = {
  readonly schemas: readonly string[]
  readonly extra_search_path: readonly string[]
  readonly max_rows: number
}

export type RoleSettings = {
  readonly settings: Settings
  readonly isolation: 'read committed' | 'repeatable read' | 'serializable' | null
}

const AUTHENTICATOR = 'authenticator'

const HOISTED = ['statement_timeout', 'plan_filter.statement_cost_limit', 'default_transaction_isolation']

/** Thrown if a database setting has a value that PostgREST refuses. */
export class InvalidSettingError extends Error {
  override readonly name = 'InvalidSettingError'
}

/** Merges the database's settings over config.toml's. @throws {InvalidSettingError} */
export function mergeSettings(config: ApiConfig, overrides: ReadonlyMap<string, string>): RestSettings {
  const text = (name: string): string | null => overrides.get(name) || null
  const list = (name: string): string[] | null =>
    overrides
      .get(name)
      ?.split(',')
      .map((item) => item.trim())
      .filter(Boolean) ?? null
  const flag = (name: string, otherwise = false): boolean => {
    const value = text(name)
    return value === null ? otherwise : ['true', 'on', '1', 'yes'].includes(value.toLowerCase())
  }
  const choice = <T extends string>(name: string, [first, ...others]: readonly [T, ...T[]]): T => {
    const value = text(name) ?? first
    const match = [first, ...others].find((one) => one === value)
    if (match === undefined) throw new InvalidSettingError(`pgrst.${name} is ${value}, which is no known value`)
    return match
  }
  const end = choice('db_tx_end', TRANSACTION_ENDS)
  const schemas = list('db_schemas') ?? config.schemas
  return {
    schemas: schemas.length === 0 ? ['public'] : exposable(schemas),
    extraSearchPath: list('db_extra_search_path') ?? config.extra_search_path,
    maxRows: wholeNumber(text('db_max_rows')) ?? (config.max_rows > 0 ? config.max_rows : null),
    planEnabled: flag('db_plan_enabled'),
    aggregatesEnabled: flag('db_aggregates_enabled'),
    allowTransactionOverride: end.endsWith('-allow-override'),
    rollbackAll: end.startsWith('rollback'),
    preRequest: text('db_pre_request'),
    // The request's schema applies, whatever the setting says.
    rootSpec: text('db_root_spec')?.replace(/^[^.]*\./, '') ?? null,
    openApiMode: choice('openapi_mode', OPENAPI_MODES),
    openApiSecurityActive: flag('openapi_security_active'),
    openApiProxyUri: text('openapi_server_proxy_uri'),
    serverTiming: flag('server_timing_enabled'),
    audience: text('jwt_aud'),
    roleClaim: roleClaim(text('jwt_role_claim_key') ?? '$.role'),
    jwtSecret: jwtSecret(overrides.get('jwt_secret') ?? null, { isBase64: flag('jwt_secret_is_base64') }),
    anonRole: overrides.get('db_anon_role') === '' ? null : (text('db_anon_role') ?? 'anon'),
    verboseErrors: choice('client_error_verbosity', ['verbose', 'minimal']) === 'verbose',
    legacyTargetNames: flag('url_use_legacy_target_names', true),
    preparedStatements: flag('db_prepared_statements', true),
    traceHeader: text('server_trace_header'),
    safeUpdate: flag('safe_update'),
    hoistedSettings: list('db_hoisted_tx_settings') ?? HOISTED,
  }
}

const OPENAPI_MODES = ['follow-privileges', 'ignore-privileges', 'disabled'] as const
const TRANSACTION_ENDS = ['commit', 'commit-allow-override', 'rollback', 'rollback-allow-override'] as const
const SYSTEM_SCHEMAS = ['pg_catalog', 'information_schema']

function exposable(schemas: readonly string[]): readonly string[] {
  const refused = SYSTEM_SCHEMAS.find((schema) => schemas.includes(schema))
  if (refused !== undefined) throw new InvalidSettingError(`pgrst.db_schemas may not name the schema ${refused}`)
  return schemas
}

function roleClaim(text: string): RoleClaimPath {
  const path = parseRoleClaimPath(text)
  if (path === null) throw new InvalidSettingError(`pgrst.jwt_role_claim_key is no JSON path: ${text}`)
  return path
}

/** PostgREST requires at least 32 bytes, like RFC 7518 (3.2); a JWK is longer. */
function jwtSecret(text: string | null, { isBase64 }: { readonly isBase64: boolean }): Buffer | null {
  if (text === null) return null
  const secret = isBase64 ? Buffer.from(text.trim().replaceAll('.', '='), 'base64') : Buffer.from(text)
  if (secret.length > 0 && secret.length < 32)
    throw new InvalidSettingError('pgrst.jwt_secret is shorter than 32 characters')
  return secret
}

const wholeNumber = (text: string | null): number | null => (text !== null && /^\d+$/.test(text) ? Number(text) : null)

export type DatabaseSettings = {
  readonly overrides: ReadonlyMap<string, string>
  readonly session: Settings
  readonly roles: ReadonlyMap<string, RoleSettings>
}

/** Reads the settings of `alter role … set` and `alter database … set` in one batch. */
export async function loadDatabaseSettings(db: Db, log: Log): Promise<DatabaseSettings> {
  const [ofAuthenticator, ofRoles] = await db.run({ statements: [statement(SESSION), statement(ROLES)] })
  const rows = (ofAuthenticator?.rows ?? []) as SessionRow[]
  const own = rows.flatMap(({ isRole, setting }) => (isRole ? [splitSetting(setting)] : []))
  const overrides = new Map(
    own.flatMap(([name, value]) => {
      if (name === SAFE_UPDATE) return [['safe_update', value] as const]
      return name.startsWith(PREFIX) ? [[name.slice(PREFIX.length), value] as const] : []
    }),
  )
  return {
    overrides: new Map([...(await runPreConfig(db, overrides.get('db_pre_config'), log)), ...overrides]),
    session: Object.fromEntries(
      rows
        .map(({ setting }) => splitSetting(setting))
        .filter(([name]) => !name.startsWith(PREFIX) && name !== SAFE_UPDATE && name !== 'role'),
    ),
    roles: roleSettings((ofRoles?.rows ?? []) as RoleRow[]),
  }
}

const PREFIX = 'pgrst.'
const SAFE_UPDATE = 'safeupdate.enabled'

type SessionRow = { readonly isRole: boolean; readonly setting: string }
type RoleRow = { readonly role: string; readonly setting: string }

/** Settings of `alter database … set`, then `alter role authenticator … set`, which a session opened by PostgREST would
 *  have. Our sessions are opened earlier by another user, so each request sets these itself, except those that only
 *  apply at session start (`session_preload_libraries`) or need a superuser. */
const SESSION = sql`
  select s.setrole <> 0 as "isRole", c.setting
  from pg_catalog.pg_db_role_setting s
  left join pg_catalog.pg_roles r on r.oid = s.setrole
  cross join lateral unnest(s.setconfig) c(setting)
  where (s.setrole = 0 or r.rolname = ${AUTHENTICATOR})
    and s.setdatabase in (0, (select oid from pg_catalog.pg_database where datname = current_database()))
    and not exists (select from pg_catalog.pg_settings p
      where p.name = split_part(c.setting, '=', 1) and p.context <> 'user'
        and (p.context <> 'superuser' or not has_parameter_privilege(${AUTHENTICATOR}, p.name, 'set')))
  order by s.setrole <> 0, s.setdatabase`

/** Settings of `alter role … set` for roles that the authenticator can switch to: Postgres applies them only at login,
 *  and these roles never log in. Excludes settings that need a superuser. */
const ROLES = sql`
  select r.rolname as role, s.setting
  from pg_catalog.pg_auth_members m
  join pg_catalog.pg_roles r on r.oid = m.roleid
  join pg_catalog.pg_roles a on a.oid = m.member and a.rolname = ${AUTHENTICATOR}
  cross join lateral unnest(r.rolconfig) as s(setting)
  join pg_catalog.pg_settings p on p.name = split_part(s.setting, '=', 1)
  where p.context = 'user' or has_parameter_privilege(a.oid, p.name, 'set')`

function roleSettings(rows: readonly RoleRow[]): ReadonlyMap<string, RoleSettings> {
  const byRole = new Map<string, { settings: Record<string, string>; isolation: RoleSettings['isolation'] }>()
  for (const { role, setting } of rows) {
    const current = byRole.get(role) ?? { settings: {}, isolation: null }
    const [name, value] = splitSetting(setting)
    if (name === 'default_transaction_isolation') current.isolation = isolationLevel(value)
    else current.settings[name] = value
    byRole.set(role, current)
  }
  return byRole
}

const IN_DATABASE = [
  'client_error_verbosity',
  'db_aggregates_enabled',
  'db_anon_role',
  'db_extra_search_path',
  'db_hoisted_tx_settings',
  'db_max_rows',
  'db_plan_enabled',
  'db_pre_request',
  'db_prepared_statements',
  'db_root_spec',
  'db_schemas',
  'db_tx_end',
  'jwt_aud',
  'jwt_role_claim_key',
  'jwt_secret',
  'jwt_secret_is_base64',
  'openapi_mode',
  'openapi_security_active',
  'openapi_server_proxy_uri',
  'server_timing_enabled',
  'server_trace_header',
  'url_use_legacy_target_names',
]

/** Runs the function that makes settings (`pgrst.db_pre_config`) and reads them. If it fails, requests go without them. */
async function runPreConfig(db: Db, name: string | undefined, log: Log): Promise<[name: string, value: string][]> {
  if (!name) return []
  try {
    return await readPreConfig(db, name)
  } catch (error) {
    log.error(`The function ${name} (pgrst.db_pre_config) failed, so its settings are ignored`, error)
    return []
  }
}

async function readPreConfig(db: Db, name: string): Promise<[name: string, value: string][]> {
  const [, found] = await db.run({
    settings: { session_authorization: AUTHENTICATOR },
    statements: [
      { text: `select ${name.split('.').map(quoteIdentifier).join('.')}()`, values: [] },
      statement(sql`
        select n.name, current_setting(${PREFIX}::text || n.name, true) as value
        from unnest(${IN_DATABASE}::text[]) n(name)`),
    ],
  })
  const rows = (found?.rows ?? []) as { name: string; value: string | null }[]
  return rows.flatMap(({ name: one, value }) => (value ? [[one, value]] : []))
}

export const isolationLevel = (text: string): 'read committed' | 'repeatable read' | 'serializable' => {
  const level = text.toLowerCase()
  return level === 'repeatable read' || level === 'serializable' ? level : 'read committed'
}

export function splitSetting(setting: string): [name: string, value: string] {
  const equals = setting.indexOf('=')
  return [setting.slice(0, equals), setting.slice(equals + 1)]
}
