import { join } from 'node:path'
import type { Env } from '../../config/env.ts'
import type { Db } from '../../database/db.ts'
import { readMigrations } from '../../database/migrations/project-files.ts'
import { type MigrationState, NO_MIGRATIONS, readMigrationState } from '../../database/migrations/state.ts'
import { type Pooler, startPooler } from '../../database/pooler/pooler.ts'
import { openProjectDatabase } from '../../database/project/open-project.ts'
import type { ProjectDatabase } from '../../database/project/project-database.ts'
import { MAX_TIMER_MS } from '../../kernel/promises.ts'
import type { StackPlace } from '../place/place.ts'
import type { LogFiles } from './log-files.ts'
import type { StackOptions } from './options.ts'

/** Milliseconds a request waits for a busy database, as in PostgREST (db-pool-acquisition-timeout). */
const WAIT_LIMIT = 10_000
/** Opens the project's database on the engine chosen by `engine` or undock.toml.
 *  @throws {ScriptError} for a failing migration or seed. */
export function openStackDatabase(
  { workdir, config, settings, env, host, cacheFolder, folders, claim, portOf, certificateForClients }: StackPlace,
  {
    engine,
    tell,
    logs,
    aborted,
  }: Required<Pick<StackOptions, 'tell'>> & Pick<StackOptions, 'engine' | 'aborted'> & { logs: LogFiles },
): Promise<ProjectDatabase> {
  return openProjectDatabase({
    engine: engine ?? (settings.database_url ? { url: settings.database_url } : settings.engine),
    supabaseFolder: join(workdir, 'supabase'),
    config,
    missingExtensions: settings.missing_extensions,
    ...(aborted && { aborted }),
    experimental: isExperimental(env),
    dataFolder: folders.database,
    isDurable: settings.durable,
    ephemeralFolder: folders.ephemeral,
    snapshotFolder: folders.snapshots,
    cacheFolder,
    statementLimit: settings.limits.statement_timeout * 1_000 || MAX_TIMER_MS,
    waitLimit: WAIT_LIMIT,
    host,
    certificate: certificateForClients,
    claimPort: (take) => claim(portOf(config.db.port), 'the database', take),
    log: logs.logOf('database'),
    tell,
  })
}

/** Compares the project's migrations with the database's. */
export async function readMigrationsOf({ workdir, config, env }: StackPlace, db: Db): Promise<MigrationState> {
  const { enabled, schema_paths } = config.db.migrations
  // Declared schemas replace migrations.
  if (!enabled || (isExperimental(env) && schema_paths.length > 0)) return NO_MIGRATIONS
  const folder = join(workdir, 'supabase')
  return readMigrationState(db, await readMigrations(folder), folder)
}

const isExperimental = (env: Env): boolean => ['1', 'true'].includes(env.SUPABASE_EXPERIMENTAL ?? '')

/** Starts `[db.pooler]` in front of the database. */
export function openPooler(
  { config, host, claim, portOf, certificateForClients }: StackPlace,
  { dbUrl, logs }: { dbUrl: string; logs: LogFiles },
): Promise<Pooler> {
  const { pooler } = config.db
  const target = addressOf(dbUrl)
  return claim(portOf(pooler.port), 'the pooler', (port) =>
    startPooler({
      host,
      port,
      targetOf: () => target,
      maxClients: pooler.max_client_conn,
      certificate: certificateForClients,
      log: logs.logOf('database'),
    }),
  )
}

function addressOf(url: string): { host: string; port: number } {
  const { hostname, port } = new URL(url)
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 5432) }
}

/** Returns the pooler's URL, with a tenant in the user name as on hosted projects. */
export function poolerUrlOf(dbUrl: string, tenant: string, port: number): string {
  const url = new URL(dbUrl)
  return Object.assign(url, { username: `${url.username}.${encodeURIComponent(tenant)}`, port: String(port) }).href
}
