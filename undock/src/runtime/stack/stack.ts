import { join, resolve } from 'node:path'
import type { Config } from '../../config/config.ts'
import { parseDuration } from '../../config/units.ts'
import type { Db } from '../../database/db.ts'
import { createRoute } from '../../database/extensions/net/sender.ts'
import type { Migration } from '../../database/migrations/project-files.ts'
import type { MigrationState } from '../../database/migrations/state.ts'
import type { ProjectDatabase } from '../../database/project/project-database.ts'
import type { FunctionCheck } from '../../functions/runtime.ts'
import { createForeignPages } from '../../gateway/foreign-pages.ts'
import { createGateway } from '../../gateway/gateway.ts'
import type { UpgradeOf } from '../../gateway/server.ts'
import { createIdentity } from '../../identity/create-identity.ts'
import type { Identity } from '../../identity/identity.ts'
import { createAdjustableClock } from '../../kernel/adjustable-clock.ts'
import { refuseUpgrade } from '../../kernel/node-http.ts'
import { settleAll } from '../../kernel/promises.ts'
import { createBranchControl } from '../branches/control.ts'
import { copyOptions } from '../branches/difference.ts'
import { currentState } from '../branches/registry.ts'
import { copyUsedState } from '../branches/state-copy.ts'
import { createFaults } from '../control/faults.ts'
import { claimStackPlace } from '../place/place.ts'
import { stateFolder } from '../place/state-folders.ts'
import { openConsole } from './console.ts'
import { openPooler, openStackDatabase, poolerUrlOf, readMigrationsOf } from './database.ts'
import { disabledServices } from './disabled-services.ts'
import { eventText } from './event-text.ts'
import { createHandlers } from './handlers.ts'
import { openLogFiles } from './log-files.ts'
import { mailerOf, openInbox } from './mail.ts'
import type { ServiceName, StackEvent, StackOptions } from './options.ts'
import { createStackParts, createStopwatch } from './parts.ts'
import type { PublicStack } from './public-stack.ts'
import { type StackSleep, watchStackUse } from './sleep.ts'
import { createStackSnapshots } from './snapshots.ts'
import { openTimeline } from './timeline.ts'

export type Stack = PublicStack & {
  /** The database with full rights, without row security. */
  readonly db: Db
  readonly identity: Identity
  readonly config: Config
  readonly origin: ProjectDatabase['origin']
  /** Compares the project's migrations with the database's. */
  migrations(): Promise<MigrationState>
  /** Applies missing migrations.
   *  @throws {ScriptError} at the first failure; earlier ones stay applied. */
  migrate(): Promise<readonly Migration[]>
  /** Copies the database and stored files to a state folder; null for a server that undock didn't start. */
  readonly copyState: ((folder: string) => Promise<void>) | null
  /** Begins to watch whether the stack is used; null for one that keeps nothing. */
  readonly watchUse: (() => StackSleep) | null
  /** Milliseconds each part took to start: `database`, `mail` and the services. */
  readonly startTimes: ReadonlyMap<string, number>
  /** Bytes used by this process, and by the database within it; null for an external one. */
  memory(): Promise<{ readonly total: number; readonly database: number | null }>
  /** Starts Deno and downloads the functions' imports now instead of in the background.
   *  @param options Whether to also start each until it listens.
   *  @returns each function with the reason it can't boot; empty if the stack serves none. */
  prepareFunctions(options?: { readonly boots: boolean }): Promise<readonly FunctionCheck[]>
}

/** Starts a project's backend: lock and ports first, to report conflicts early, then the database, the services and the
 *  gateway.
 *  @throws {ConfigError | StateFolderError | SharedDatabaseError | PortInUseError | LockedError | ScriptError} with
 *  what to do about it. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { name = null, ports = 'config', state = 'disk', show = () => undefined } = options
  const warnings: string[] = []
  const tell = (event: StackEvent) => {
    if (event.kind === 'script-warning') warnings.push(event.text)
    if (event.kind === 'unmatched-seed') warnings.push(eventText(event))
    options.tell?.(event)
  }
  const workdir = resolve(options.workdir)
  const clock = createAdjustableClock(parseDuration)
  const startedAt = clock.now().toISOString()
  const stopwatch = createStopwatch()
  const parts = createStackParts()
  try {
    const place = await claimStackPlace({ ...options, workdir, name, ports, state, tell, startedAt, parts })
    const { config, settings, env, host, folders, record } = place
    const apiUrl = config.api.external_url
    const faults = createFaults(place.connections)
    const off = new Set<ServiceName>([...(options.exclude ?? []), ...disabledServices(config)])
    const logs = parts.add('the log files', openLogFiles(folders.logs, show))

    // The services' code loads while the engine opens in its own thread.
    const [database, mail, { composeServices }, identity] = await settleAll([
      stopwatch
        .time('database', () => openStackDatabase(place, { ...options, tell, logs }))
        .then((one) => parts.add('the database', one, DATABASE_CLOSE_LIMIT)),
      off.has('mail')
        ? null
        : stopwatch
            .time('mail', () => openInbox(place, { clock, logs }))
            .then((inbox) => parts.add('the mail inbox', inbox)),
      import('./services.ts'),
      createIdentity({ config: config.auth, clock }),
    ])
    const { url: dbUrl, db } = database
    const timeline = await openTimeline(place, { logs, parts })
    const mailer = faults.wrapMailer(mailerOf(config, mail))
    const pooler = config.db.pooler.enabled && parts.add('the pooler', await openPooler(place, { dbUrl, logs }))
    const poolerUrl = pooler ? poolerUrlOf(dbUrl, config.project_id, pooler.port) : null
    const foreignPages = createForeignPages({
      identity,
      host,
      ownUrls: () => [...settings.allowed_origins, apiUrl, config.auth.site_url],
    })
    const services = await composeServices({
      parts,
      timeline,
      database: { onReopened: database.onReopened, isNew: database.origin !== 'kept' },
      background: {
        route: createRoute(apiUrl, place.configuredApiPort),
        isShared: false,
        isPaused: options.runsJobs === false,
        asleepSince: record?.asleepSince ?? null,
      },
      db,
      identity,
      config,
      clock,
      logs,
      mailer,
      onFetchingDeno: () => tell({ kind: 'fetching-deno' }),
      env,
      functionsApiUrl: place.functionsApiUrl,
      dbUrl,
      files: { kind: 'folder', folder: folders.storage },
      functionsFolder: join(workdir, 'supabase', 'functions'),
      off,
      settings,
      isForeign: foreignPages.isForeign,
      stopwatch,
    })
    const { reset, snapshot, inTurn } = parts.add(
      'a reset or restore',
      createStackSnapshots({
        database,
        mail,
        services,
        storageFolder: folders.storage,
        ephemeralFolder: folders.ephemeral,
        readSeed: () => place.applySettings(['db.seed']),
      }),
      DATABASE_CLOSE_LIMIT,
    )

    const { copyTo } = database
    const root = stateFolder(workdir, name)
    const copyState =
      copyTo && ((to: string) => copyUsedState(state === 'disk' ? currentState(root) : folders.ephemeral, to, copyTo))
    const branches =
      state === 'disk'
        ? createBranchControl({
            workdir,
            name,
            root,
            dbUrl,
            startCopy: (folder) => startStack(copyOptions(workdir, folder)),
            copyCurrent: copyState,
            inTurn,
            restart: options.restart,
            startOther: options.startOther,
          })
        : null
    const migrations = () => readMigrationsOf(place, database.db)
    const migrate = () => inTurn(database.migrate)
    const common = { place, database, identity, services, logs, off, clock }
    const handlers = createHandlers({
      ...common,
      scripts: { reset, migrations, migrate, takeWarnings: () => warnings.splice(0) },
      timeline,
      faults,
      foreignPages,
      mailUrl: mail?.url ?? null,
      branches,
      isLongLived: options.console === true,
      consoleLink: () => console?.openingUrl() ?? null,
    })
    const access = logs.logOf('gateway')
    const gateway = createGateway({
      handlers,
      disabled: off,
      foreignPages,
      record: ({ method, path, status, duration, service, requestId }) =>
        access.info(`${method} ${path} ${status}`, { service, requestId, ms: Math.round(duration * 10) / 10 }),
    })
    const upgradeOf: UpgradeOf = (name, request) =>
      foreignPages.refuses(request, name)
        ? (_request, socket) => refuseUpgrade(socket, 403)
        : (services.upgrades.get(name) ?? null)
    for (const one of parts.listeners) one.attach(gateway, upgradeOf)

    const memory = async () => ({ total: process.memoryUsage.rss(), database: await database.memory() })
    const console =
      options.console && config.studio.enabled
        ? parts.add(
            'the console',
            await openConsole({
              ...common,
              handlers,
              branches,
              mail,
              poolerUrl,
              startedAt,
              memory,
              onOtherPort: (port, reason) => tell({ kind: 'console-port', port, reason }),
            }),
          )
        : null
    const addresses = { url: apiUrl, dbUrl, mailUrl: mail?.url ?? null, poolerUrl, consoleUrl: console?.url ?? null }
    await record?.update({ ...addresses, engine: database.engineInUse })
    return {
      ...addresses,
      db,
      identity,
      config,
      origin: database.origin,
      engine: database.engineInUse,
      migrations,
      migrate,
      copyState: copyState && ((to) => inTurn(() => copyState(to))),
      watchUse: record ? () => watchStackUse({ parts, record, database, services, console, clock }) : null,
      startTimes: stopwatch.times,
      memory,
      prepareFunctions: async (boots) => (await services.functions?.prepare(boots)) ?? [],
      clock,
      faults,
      requests: (time = 0) => timeline?.since(time) ?? [],
      reset,
      snapshot,
      restore: (one) => one.restore(),
      stop: parts.stop,
    }
  } catch (error) {
    // Report the first error, not that of closing.
    await parts.stop().catch(() => undefined)
    throw error
  }
}

/** Milliseconds for the database to flush. */
const DATABASE_CLOSE_LIMIT = 15_000
