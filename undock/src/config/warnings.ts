import type { Path } from './position.ts'
import type { Problem } from './rules.ts'
import { canSendSms, RETIRED_PROVIDERS } from './rules.ts'
import type { Project } from './schema/project.ts'
import { isTable, type RawTable, unresolvedName, valueAt } from './values.ts'

/** Finds settings that have no effect, or an unexpected one.
 *  @param raw The tables as written, with `env(NAME)` resolved where possible. */
export function findWarnings(project: Project, raw: RawTable): Problem[] {
  return [...unresolved(raw, []), ...nanoseconds(raw), ...overruled(project, raw), ...unsupported(project)]
}

/** References to unset variables, except in disabled sections and for other tools, which the CLI's template sets. */
function unresolved(value: unknown, path: Path): Problem[] {
  if (typeof value === 'string') {
    if (value.startsWith('encrypted:')) return [{ path, message: 'is encrypted by dotenvx and is used as it is' }]
    const name = unresolvedName(value)
    return name === undefined ? [] : [{ path, message: `stays "${value}": the variable ${name} is not set` }]
  }
  if (Array.isArray(value)) return value.flatMap((item, index) => unresolved(item, [...path, index]))
  if (!isTable(value) || value.enabled === false) return []
  return Object.entries(value).flatMap(([key, item]) => {
    const inner = [...path, key]
    const isIgnored = IGNORED.some((ignored) => ignored.every((part, index) => part === inner[index]))
    return isIgnored ? [] : unresolved(item, inner)
  })
}

const IGNORED: readonly Path[] = [['studio', 'openai_api_key'], ['experimental'], ['remotes']]

const DURATIONS: readonly Path[] = [
  ['db', 'health_timeout'],
  ['auth', 'email', 'max_frequency'],
  ['auth', 'sms', 'max_frequency'],
  ['auth', 'mfa', 'phone', 'max_frequency'],
  ['auth', 'sessions', 'timebox'],
  ['auth', 'sessions', 'inactivity_timeout'],
]

function nanoseconds(raw: RawTable): Problem[] {
  return DURATIONS.flatMap((path) => {
    const value = valueAt(raw, path)
    if (typeof value !== 'number' || value === 0) return []
    return [{ path, message: `counts nanoseconds without a unit, as in the CLI; did you mean "${value}s"?` }]
  })
}

/** Settings that the CLI, and so undock, disables or changes by itself. */
function overruled({ project_id, auth }: Project, raw: RawTable): Problem[] {
  const problems: Problem[] = RETIRED_PROVIDERS.filter(
    (name) => valueAt(raw, ['auth', 'external', name, 'enabled']) === true,
  ).map((name) => ({
    path: ['auth', 'external', name],
    message: `is retired and stays off; use auth.external.${name}_oidc`,
  }))
  if (typeof raw.project_id === 'string' && raw.project_id !== project_id)
    problems.push({ path: ['project_id'], message: `becomes "${project_id}"` })
  if (auth.enabled && valueAt(raw, ['auth', 'sms', 'enabled']) === true && !canSendSms(auth))
    problems.push({ path: ['auth', 'sms', 'enabled'], message: 'stays off: no SMS provider is enabled' })
  return problems
}

/** Unsupported settings, except defaults and disabled features. */
function unsupported({ db, realtime, storage, edge_runtime, analytics, local_smtp, compute }: Project): Problem[] {
  const rows: readonly [asked: boolean, key: string, message: string][] = [
    [db.network_restrictions.enabled, 'db.network_restrictions.enabled', 'has no effect on a local database'],
    [db.ssl_enforcement?.enabled === true, 'db.ssl_enforcement.enabled', 'has no effect on a local database'],
    [realtime.ip_version === 'IPv6', 'realtime.ip_version', 'has no effect: Realtime shares the API port'],
    [storage.analytics.enabled, 'storage.analytics.enabled', 'has no effect: analytics buckets are hosted only'],
    [edge_runtime.deno_version === 1, 'edge_runtime.deno_version', 'is read as 2, the only included version of Deno'],
    [
      local_smtp.pop3_port !== 0,
      'local_smtp.pop3_port',
      'has no effect: read emails on the inbox page or through its API at local_smtp.port',
    ],
    [analytics.backend === 'bigquery', 'analytics.backend', 'has no effect: logs stay in files'],
    [Object.keys(compute).length > 0, 'compute', 'does not run here: Supabase Compute is hosted only'],
    [db.orioledb_version !== '', 'db.orioledb_version', 'has no effect: OrioleDB is not included'],
    [
      db.major_version < 15,
      'db.major_version',
      'is read as 15, the oldest PostgreSQL that undock and hosted projects offer',
    ],
  ]
  return rows.flatMap(([asked, key, message]) => (asked ? [{ path: key.split('.'), message }] : []))
}
