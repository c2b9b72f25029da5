import type { Db, Settings } from '../database/db.ts'
import { sql, statement } from '../kernel/sql.ts'

/** What governs the Data API: the project's config.toml, overridden by `alter role authenticator set pgrst.…`. */
export type RestSettings = {
  readonly schemas: readonly string[]
  readonly extraSearchPath: readonly string[]
  /** The most rows one response has; null for no limit. */
  readonly maxRows: number | null
  readonly planEnabled: boolean
  readonly aggregatesEnabled: boolean
  readonly allowTransactionOverride: boolean
  readonly rollbackAll: boolean
  /** The function to run before every request, maybe with its schema (`auth.check`). */
  readonly preRequest: string | null
  /** The function that answers at the root instead of the OpenAPI description. */
  readonly rootSpec: string | null
  readonly openApiMode: 'follow-privileges' | 'ignore-privileges' | 'disabled'
  readonly openApiSecurityActive: boolean
  readonly openApiProxyUri: string | null
  readonly serverTiming: boolean
  /** Null lets every audience in. */
  readonly audience: string | null
  /** Who does not say who they are act as this role; what it may not do asks for a sign-in. */
  readonly anonRole: string
  readonly hoistedSettings: readonly string[]
}

/** The part of config.toml's `[api]` that the Data API reads. */
export type ApiConfig = {
  readonly schemas: readonly string[]
  readonly extra_search_path: readonly string[]
  readonly max_rows: number
}

export type RoleSettings = {
  readonly settings: Settings
  readonly isolation: 'read committed' | 'repeatable read' | 'serializable' | null
}

export const AUTHENTICATOR = 'authenticator'

const HOISTED = ['statement_timeout', 'plan_filter.statement_cost_limit', 'default_transaction_isolation']

/** The settings with the database's own put over the project's. */
export function mergeSettings(config: ApiConfig, overrides: ReadonlyMap<string, string>): RestSettings {
  const text = (name: string): string | null => overrides.get(name) || null
  const list = (name: string): string[] | null =>
    overrides
      .get(name)
      ?.split(',')
      .map((item) => item.trim())
      .filter(Boolean) ?? null
  const flag = (name: string): boolean => ['true', 'on', '1', 'yes'].includes(overrides.get(name)?.toLowerCase() ?? '')
  const end = text('db_tx_end') ?? 'commit'
  const schemas = list('db_schemas') ?? config.schemas
  return {
    schemas: schemas.length === 0 ? ['public'] : schemas,
    extraSearchPath: list('db_extra_search_path') ?? config.extra_search_path,
    maxRows: wholeNumber(text('db_max_rows')) ?? (config.max_rows > 0 ? config.max_rows : null),
    planEnabled: flag('db_plan_enabled'),
    aggregatesEnabled: flag('db_aggregates_enabled'),
    allowTransactionOverride: end.endsWith('-allow-override'),
    rollbackAll: end.startsWith('rollback'),
    preRequest: text('db_pre_request'),
    rootSpec: text('db_root_spec'),
    openApiMode: OPENAPI_MODES.find((mode) => mode === text('openapi_mode')) ?? 'follow-privileges',
    openApiSecurityActive: flag('openapi_security_active'),
    openApiProxyUri: text('openapi_server_proxy_uri'),
    serverTiming: flag('server_timing_enabled'),
    audience: text('jwt_aud'),
    anonRole: text('db_anon_role') ?? 'anon',
    hoistedSettings: list('db_hoisted_tx_settings') ?? HOISTED,
  }
}

const OPENAPI_MODES = ['follow-privileges', 'ignore-privileges', 'disabled'] as const

const wholeNumber = (text: string | null): number | null => (text !== null && /^\d+$/.test(text) ? Number(text) : null)

/** `alter role authenticator [in database …] set pgrst.name = …`; the database's own go before the role's. */
export async function loadOverrides(db: Db): Promise<ReadonlyMap<string, string>> {
  const { rows } = await db.query<{ setting: string }>(
    statement(sql`
      select unnest(s.setconfig) as setting
      from pg_catalog.pg_db_role_setting s
      join pg_catalog.pg_roles r on r.oid = s.setrole
      where r.rolname = ${AUTHENTICATOR}
        and s.setdatabase in (0, (select oid from pg_catalog.pg_database where datname = current_database()))
      order by s.setdatabase`),
  )
  return new Map(
    rows
      .map(({ setting }) => splitSetting(setting))
      .flatMap(([name, value]) => (name.startsWith('pgrst.') ? [[name.slice('pgrst.'.length), value] as const] : [])),
  )
}

/** What `alter database … set` and `alter role authenticator … set` would give the session that PostgREST opens. The
 *  embedded engine's one session was opened before and by somebody else, so each request makes these settings. */
export async function loadSessionSettings(db: Db): Promise<Settings> {
  const { rows } = await db.query<{ setting: string }>(
    statement(sql`
      select unnest(s.setconfig) as setting
      from pg_catalog.pg_db_role_setting s
      left join pg_catalog.pg_roles r on r.oid = s.setrole
      where (s.setrole = 0 or r.rolname = ${AUTHENTICATOR})
        and s.setdatabase in (0, (select oid from pg_catalog.pg_database where datname = current_database()))
      order by s.setrole <> 0, s.setdatabase`),
  )
  const settings = rows.map(({ setting }) => splitSetting(setting))
  return Object.fromEntries(settings.filter(([name]) => !name.startsWith('pgrst.') && name !== 'role'))
}

/** What `alter role … set` gave the roles that the authenticator can become: Postgres applies it at login only, and
 *  these roles never log in. Settings that only a superuser may make are left out. */
export async function loadRoleSettings(db: Db): Promise<ReadonlyMap<string, RoleSettings>> {
  const { rows } = await db.query<{ role: string; setting: string }>(
    statement(sql`
      select r.rolname as role, s.setting
      from pg_catalog.pg_auth_members m
      join pg_catalog.pg_roles r on r.oid = m.roleid
      join pg_catalog.pg_roles a on a.oid = m.member and a.rolname = ${AUTHENTICATOR}
      cross join lateral unnest(r.rolconfig) as s(setting)
      join pg_catalog.pg_settings p on p.name = split_part(s.setting, '=', 1)
      where p.context = 'user' or has_parameter_privilege(a.oid, p.name, 'set')`),
  )
  const byRole = new Map<string, { settings: Record<string, string>; isolation: RoleSettings['isolation'] }>()
  for (const { role, setting } of rows) {
    const known = byRole.get(role) ?? { settings: {}, isolation: null }
    const [name, value] = splitSetting(setting)
    if (name === 'default_transaction_isolation') known.isolation = isolationLevel(value)
    else known.settings[name] = value
    byRole.set(role, known)
  }
  return byRole
}

export const isolationLevel = (text: string): 'read committed' | 'repeatable read' | 'serializable' => {
  const level = text.toLowerCase()
  return level === 'repeatable read' || level === 'serializable' ? level : 'read committed'
}

export function splitSetting(setting: string): [name: string, value: string] {
  const equals = setting.indexOf('=')
  return [setting.slice(0, equals), setting.slice(equals + 1)]
}
