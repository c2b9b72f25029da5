import { DatabaseError } from 'pg-protocol'
import { bootstrapServer, isPrepared } from '../../database/bootstrap/apply-bootstrap.ts'
import type { Db } from '../../database/db.ts'
import { execute, queryRows } from '../../database/db.ts'
import { createDb } from '../../database/engine-db.ts'
import { readMigrations } from '../../database/migrations/project-files.ts'
import { readMigrationState } from '../../database/migrations/state.ts'
import { openServerEngine, SESSION_SETTINGS, type ServerEngine } from '../../database/postgres/server-engine.ts'
import { hasHistory, type OpeningEvent, readContent } from '../../database/project/project-content.ts'
import { UnreachableServerError } from '../../database/project/project-database.ts'
import { decode, encodePrepare, encodeScript, encodeStatement, SYNC } from '../../database/protocol/exchange.ts'
import type { Session } from '../../database/session.ts'
import { MAX_TIMER_MS } from '../../kernel/promises.ts'
import { quoteIdentifier, sql } from '../../kernel/sql.ts'
import type { NodeSettings, Problem } from './settings.ts'

/** Milliseconds a request waits for a session, as in PostgREST (db-pool-acquisition-timeout). */
const WAIT_LIMIT = 10_000
/** Milliseconds without a response after which the server or network counts as down. */
const SILENCE_LIMIT = 10_000
type Engines = Pick<NodeSettings, 'databaseUrl' | 'settings'>

/** Opens the database for a node's requests.
 *  @param sessions The most sessions open together.
 *  @throws {UnreachableServerError} */
export function openNodeEngine({ databaseUrl, settings }: Engines, sessions?: number): Promise<ServerEngine> {
  return openServerEngine({
    url: databaseUrl,
    poolerUrl: settings.serve.pooler_url,
    statementLimit: settings.limits.statement_timeout * 1_000 || MAX_TIMER_MS,
    waitLimit: WAIT_LIMIT,
    silenceLimit: SILENCE_LIMIT,
    ...(sessions !== undefined && { sessions }),
  }).catch((cause: unknown) => {
    throw new UnreachableServerError(settings.serve.pooler_url ?? databaseUrl, cause)
  })
}

/** Identifies a cluster's file store: nodes with another one wouldn't find its files. */
const storageOf = ({ config, settings: { serve } }: Pick<NodeSettings, 'config' | 'settings'>): string =>
  config.storage.enabled ? `s3://${serve.s3.bucket}/${serve.s3.prefix}` : 'none'

/** Prepares the database for this version and applies missing migrations, one process at a time.
 *  @throws {UnreachableServerError | ScriptError} */
export async function migrate(node: NodeSettings, tell: (event: OpeningEvent) => void): Promise<void> {
  const { limits, ...settings } = withoutPooler(node.settings)
  // Waits as long as another process's migrations take.
  const direct = await openNodeEngine({
    ...node,
    settings: { ...settings, limits: { ...limits, statement_timeout: 0 } },
  })
  try {
    await direct.withSession(async (turn) => {
      const inTurn = createDb({ ...direct, exchangeOnce: (work) => work(turn) })
      await execute(inTurn)`select pg_advisory_lock(hashtextextended(${TURN}, 0))`
      try {
        await migrateInTurn(node, direct, tell)
      } finally {
        await execute(inTurn)`select pg_advisory_unlock(hashtextextended(${TURN}, 0))`
      }
    })
  } finally {
    await direct.close()
  }
}

/** Name of the migrations' advisory lock. */
const TURN = 'undock serve --migrate'

export const withoutPooler = (settings: NodeSettings['settings']): NodeSettings['settings'] => ({
  ...settings,
  serve: { ...settings.serve, pooler_url: undefined },
})

async function migrateInTurn(node: NodeSettings, engine: ServerEngine, tell: (event: OpeningEvent) => void) {
  const { config, settings, supabaseFolder } = node
  const db = createDb(engine)
  // The preparing role couldn't create event triggers, or a server upgrade removed them.
  const isIncomplete = config.realtime.enabled && !(await followsPublication(db))
  for (const omission of await bootstrapServer(engine, 'own', isIncomplete)) tell({ kind: 'omitted', omission })
  const content = await readContent({
    supabaseFolder,
    // Functions callable by anyone can read the database's settings.
    config: { ...config, auth: { ...config.auth, jwt_secret: '' } },
    experimental: false,
    missingExtensions: settings.missing_extensions,
    part: { seed: false },
    asSuperuser: engine.isSuperuser,
    tell,
  })
  if (await hasHistory(db)) await content.migrate(engine)
  else await content.apply(engine)
  await execute(db)`insert into _undock.cluster (storage) values (${storageOf(node)}) on conflict do nothing`
  if (settings.serve.pooler_url) await setRoleDefaults(db, settings.serve.pooler_url, settings.limits.statement_timeout)
}

/** Session defaults for the services' role, since a pooler doesn't forward clients' settings. */
async function setRoleDefaults(db: Db, poolerUrl: string, statementTimeout: number): Promise<void> {
  const role = quoteIdentifier(decodeURIComponent(new URL(poolerUrl).username))
  const rows = await queryRows<{ name: string }>(db)`select current_database() as name`
  const database = quoteIdentifier(rows[0]?.name ?? '')
  const settings = {
    search_path: SESSION_SETTINGS.search_path,
    timezone: `'${SESSION_SETTINGS.TimeZone}'`,
    statement_timeout: `'${statementTimeout}s'`,
    lock_timeout: '0',
  }
  for (const [name, value] of Object.entries(settings))
    await db.exec(`alter role ${role} in database ${database} set ${name} to ${value}`)
}

/** Returns what prevents nodes from using the database.
 *  @throws {UnreachableServerError} */
export async function checkDatabase(node: NodeSettings): Promise<Problem[]> {
  const engine = await openNodeEngine({ ...node, settings: withoutPooler(node.settings) }, 1)
  try {
    const db = createDb(engine)
    const problems = [...(await checkServer(db)), ...(await checkContent(node, engine, db))]
    // Checking a pooler needs the roles and settings that a migration creates.
    return problems.length > 0 || !node.settings.serve.pooler_url ? problems : checkPooler(node)
  } finally {
    await engine.close()
  }
}

const OLDEST_SERVER = 150_000
/** Seconds of clock skew allowed between node and database, since sessions and leases expire by them. */
const MAX_SKEW = 5

async function checkServer(db: Db): Promise<Problem[]> {
  const before = Date.now()
  const [found] = await queryRows<{ version: number; now: Date; standby: boolean }>(db)`
    select current_setting('server_version_num')::int as version, clock_timestamp() as now,
      pg_is_in_recovery() as standby`
  if (!found) throw new Error('The database did not respond')
  const skew = (found.now.getTime() - (before + Date.now()) / 2) / 1_000
  return [
    ...(found.version < OLDEST_SERVER
      ? [
          {
            what: `The server is PostgreSQL ${Math.floor(found.version / 10_000)}.`,
            remedy: 'Use version 15 or newer.',
          },
        ]
      : []),
    ...(found.standby
      ? [
          {
            what: 'The server is a standby, which accepts no writes.',
            remedy: 'Set UNDOCK_DATABASE_URL to the primary.',
          },
        ]
      : []),
    ...(Math.abs(skew) > MAX_SKEW
      ? [
          {
            what: `The clock of this machine is ${Math.abs(skew).toFixed(1)} s ${skew > 0 ? 'behind' : 'ahead of'} the database's.`,
            remedy: 'Synchronize both with NTP: they decide when sessions, leases and signed URLs expire.',
          },
        ]
      : []),
  ]
}

const MIGRATE = "Run `undock serve --migrate` once, with the project's files and the same environment."

async function checkContent(node: NodeSettings, engine: ServerEngine, db: Db): Promise<Problem[]> {
  if (!(await isPrepared(engine)))
    return [{ what: 'This version of undock has not prepared the database.', remedy: MIGRATE }]
  const problems: Problem[] = []
  const { pending } = await readMigrationState(db, await readMigrations(node.supabaseFolder), node.supabaseFolder)
  if (pending.length > 0)
    problems.push({
      what: `Migrations are not applied: ${pending.map(({ path }) => path).join(', ')}.`,
      remedy: MIGRATE,
    })
  const rows = await queryRows<{ storage: string | null }>(db)`select storage from _undock.cluster`
  const own = storageOf(node)
  const known = rows[0]?.storage ?? own
  if (known !== own)
    problems.push({
      what: `The nodes of this database keep files in ${known}, but this one would use ${own}.`,
      remedy: `Give all nodes the same storage settings. If you have moved the files, run: update _undock.cluster set storage = '${own}'`,
    })
  if (node.config.realtime.enabled && !(await followsPublication(db)))
    problems.push({
      what: "The database has no triggers that notify Realtime of changed rows: the role that prepared it can't create event triggers.",
      remedy:
        "Run `undock serve --migrate` with a role that can (a superuser, or the provider's administrator), or turn off [realtime].",
    })
  if (node.config.storage.vector.enabled && !(await offersVectors(db)))
    problems.push({
      what: 'The server lacks the extension `vector`, which [storage.vector] needs.',
      remedy: 'Install pgvector on the server, or turn off [storage.vector].',
    })
  return problems
}

async function offersVectors(db: Db): Promise<boolean> {
  const rows = await queryRows(db)`select from pg_available_extensions where name = 'vector'`
  return rows.length > 0
}

/** Whether tables added to the publication get Realtime's triggers. */
const followsPublication = (db: Db): Promise<boolean> =>
  execute(db)`select from pg_event_trigger where evtname = 'realtime_follow_publication'`.then(
    ({ rowCount }) => rowCount === 1,
  )

/** A pooler must pool by transaction and support prepared statements. */
async function checkPooler(node: NodeSettings): Promise<Problem[]> {
  const url = node.settings.serve.pooler_url ?? ''
  const { host } = new URL(url)
  const engine = await openNodeEngine(node, 2)
  try {
    const db = createDb(engine)
    const state = sql`select pg_backend_pid() as pid, current_setting('search_path') as path,
      current_setting('TimeZone') as zone`
    const ask = async () => (await db.query<{ pid: number; path: string; zone: string }>(state)).rows[0]
    const first = await ask()
    if (first && (first.path !== SESSION_SETTINGS.search_path || first.zone !== SESSION_SETTINGS.TimeZone))
      return [
        {
          what: `Sessions through ${host} begin with the search path ${first.path} and the time zone ${first.zone}.`,
          remedy: `${MIGRATE} It sets them for the role of UNDOCK_SERVE_POOLER_URL; then restart the pooler's server connections (RECONNECT).`,
        },
      ]
    if (await sharesSessions(engine)) return (await keepsStatements(engine)) ? [] : [statementsLost(host)]
    return [
      {
        what: `The pooler at ${host} gives each connection its own session.`,
        remedy: 'Set its pool_mode to transaction, or unset UNDOCK_SERVE_POOLER_URL.',
      },
    ]
  } finally {
    await engine.close()
  }
}

const statementsLost = (host: string): Problem => ({
  what: `The pooler at ${host} loses prepared statements.`,
  remedy: 'Use PgBouncer 1.21 or newer, with max_prepared_statements = 1000.',
})

const PREPARED_UNKNOWN = '26000'

/** Whether prepared statements survive a change of the server session. */
const keepsStatements = (engine: ServerEngine): Promise<boolean> =>
  engine.withSession((one) =>
    engine.withSession(async (other) => {
      const name = 'undock_check'
      const execute = [...encodeStatement({ text: '', values: [] }, { name, columns: null }), SYNC]
      decode(await one.exchange(Buffer.concat([encodePrepare(name, 'select 1'), SYNC])))
      for (let attempt = 0; attempt < POOLER_TRIES; attempt++) {
        await other.exchange(encodeScript('begin'))
        try {
          decode(await one.exchange(Buffer.concat(execute)))
        } catch (error) {
          if (error instanceof DatabaseError && error.code === PREPARED_UNKNOWN) return false
          throw error
        } finally {
          await other.exchange(encodeScript('rollback'))
        }
      }
      return true
    }),
  )

/** Attempts to get another connection's server session. */
const POOLER_TRIES = 20

/** Whether two open connections share a server session. */
const sharesSessions = (engine: ServerEngine): Promise<boolean> =>
  engine.withSession((one) =>
    engine.withSession(async (other) => {
      for (let attempt = 0; attempt < POOLER_TRIES; attempt++)
        if ((await pidOf(one)) === (await pidOf(other))) return true
      return false
    }),
  )

async function pidOf(session: Session): Promise<unknown> {
  const { results } = decode(await session.exchange(encodeScript('select pg_backend_pid() as pid')))
  return results[0]?.rows[0]?.pid
}
