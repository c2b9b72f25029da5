import { join, resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import type { Env } from '../config/env.ts'
import type { ConfigWarning } from '../config/fault.ts'
import { readProjectConfig } from '../config/project.ts'
import { parseDuration } from '../config/units.ts'
import type { Db } from '../database/db.ts'
import { createRoute } from '../database/extensions/net/route.ts'
import { startExtensionWorkers } from '../database/extensions/workers.ts'
import { endLeftoverServer, openProjectDatabase } from '../database/project/open-project.ts'
import type { ContentPart, OpeningEvent } from '../database/project/project-content.ts'
import type { ProjectDatabase } from '../database/project/project-database.ts'
import { startPooler } from '../database/wire-server/pooler.ts'
import { createForeignPages } from '../gateway/foreign-pages.ts'
import { createGateway, serviceName } from '../gateway/gateway.ts'
import { type Listener, listen, type UpgradeOf } from '../gateway/server.ts'
import { createIdentity } from '../identity/create-identity.ts'
import type { Identity } from '../identity/identity.ts'
import { type AdjustableClock, createAdjustableClock } from '../kernel/adjustable-clock.ts'
import { userCacheFolder } from '../kernel/cache-folder.ts'
import { type Closable, closeAll } from '../kernel/close-all.ts'
import { refuseUpgrade } from '../kernel/handshake.ts'
import type { Mailer } from '../kernel/mailer.ts'
import { processStart } from '../kernel/process.ts'
import { settleAll } from '../kernel/settle-all.ts'
import { NO_TRACER } from '../kernel/tracer.ts'
import type { MailService } from '../mail/index.ts'
import type { RequestTree } from '../timeline/records.ts'
import { createTimeline } from '../timeline/timeline.ts'
import { traceDb, traceIdentity, traceMailer } from '../timeline/traced.ts'
import { createAgentTools } from './agent-tools.ts'
import { createAnswerExplainer } from './answer-explainer.ts'
import { createBranchControl } from './branches/control.ts'
import { copyOptions } from './branches/difference.ts'
import { type FollowedBranch, followGit } from './branches/follow-git.ts'
import { currentState } from './branches/registry.ts'
import { copyUsedState } from './branches/state-copy.ts'
import { createControl } from './control.ts'
import { createFaults, type Faults } from './faults.ts'
import { linkedRestWarning } from './linked-rest-version.ts'
import { type LogLine, openLogFiles } from './log-files.ts'
import { openConsole } from './open-console.ts'
import { type AssignedPorts, assignPorts, configuredPorts, usedPorts } from './port-assignment.ts'
import { certificateOf, createPortClaims, databaseCertificate, withPorts } from './ports.ts'
import { SERVICES, type ServiceName } from './service-names.ts'
import { type PublishedRecord, publishRecord } from './stack-record.ts'
import { createStackSnapshots, type StackSnapshot } from './stack-snapshots.ts'
import {
  checkPersistentState,
  ephemeralState,
  lockPath,
  makeStateFolder,
  persistentState,
  stateFolder,
} from './state-folders.ts'
import { createStopwatch } from './stopwatch.ts'

export type StackEvent =
  | OpeningEvent
  | { readonly kind: 'warning'; readonly warning: ConfigWarning }
  | { readonly kind: 'unlisted'; readonly reason: string }
  | { readonly kind: 'other-ports'; readonly assigned: AssignedPorts }
  | { readonly kind: 'console-port'; readonly port: number; readonly reason: string }
  | { readonly kind: 'branch'; readonly branch: FollowedBranch }

export type StackOptions = {
  /** The folder that holds `supabase/`. */
  readonly workdir: string
  /** A further backend of the project, with state and ports of its own. Null is the default backend. */
  readonly name?: string | null
  /** 'config' takes the ports of config.toml, and for a named backend those of its first start, which are free ones;
   *  'free' takes whichever are free. */
  readonly ports?: 'config' | 'free'
  /** 'disk' keeps everything in `supabase/.undock/`, 'memory' ends with the stack. */
  readonly state?: 'disk' | 'memory'
  /** With the state in memory: the folder of a kept state that no process uses. The database begins as a copy of it. */
  readonly from?: string
  /** Stops this stack, runs the work and starts the stack again, for changes that give it another state. Without it such changes
   *  are refused. */
  readonly restart?: (work: () => Promise<void>) => void
  readonly exclude?: readonly ServiceName[]
  /** Starts the console, unless config.toml turns it off. */
  readonly console?: boolean
  /** Another Postgres than undock.toml says: an engine's name, or an address. */
  readonly engine?: 'auto' | 'pglite' | 'native' | { readonly url: string }
  readonly env?: Env
  readonly tell?: (event: StackEvent) => void
  readonly show?: (line: LogLine) => void
}

export type Stack = {
  readonly url: string
  readonly dbUrl: string
  readonly mailUrl: string | null
  /** The database's address through `[db.pooler]`; null when that is off. */
  readonly poolerUrl: string | null
  /** The console's address; null when it does not run. */
  readonly consoleUrl: string | null
  /** The database, as the stack itself: all rights, no row security. */
  readonly db: Db
  readonly identity: Identity
  readonly config: Config
  readonly origin: ProjectDatabase['origin']
  readonly pending: ProjectDatabase['pending']
  /** Milliseconds that each part took to start, by its name: `database`, `mail` and the services. */
  readonly startTimes: ReadonlyMap<string, number>
  /** Bytes in use now, of this process and of the database within it; null for one that runs elsewhere. */
  memory(): Promise<{ readonly total: number; readonly database: number | null }>
  /** The time that all services go by. Statements of SQL go by the machine's. */
  readonly clock: AdjustableClock
  readonly faults: Faults
  /** The last requests since a time, each with what it caused; none when the timeline is off.
   *  @param time Milliseconds since the epoch; all that are kept unless it is given. */
  requests(time?: number): RequestTree[]
  /** Migrations and seed again, or the named part of them, from nothing, while the services stay up; files and mails go. */
  reset(part?: ContentPart): Promise<void>
  /** What database, files and mails hold now, for `restore`. */
  snapshot(): Promise<StackSnapshot>
  restore(snapshot: StackSnapshot): Promise<void>
  /** Closes everything, however often it is called.
   *  @throws {CloseError} when a part failed or did not end in time; all others are closed then. */
  stop(): Promise<void>
}

/** The database that undock.toml names belongs to the default backend, and a named one would write into it. */
export class SharedDatabaseError extends Error {
  override readonly name = 'SharedDatabaseError'

  constructor(name: string) {
    super(
      `The backend "${name}" cannot use the database at database_url in supabase/undock.toml: it has data of its own.\n` +
        'Name another database with --db-url or UNDOCK_DATABASE_URL, or remove database_url.',
    )
  }
}

/** Starts a project's whole backend: lock and ports first, so that conflicts are reported before anything else is
 *  done; then the database; then the services that stand on it; the gateway last.
 *  @throws {ConfigError | StateFolderError | SharedDatabaseError | PortInUseError | LockedError | ScriptError} with what to do about it. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { name = null, ports = 'config', state = 'disk', tell = () => undefined, show = () => undefined } = options
  const workdir = resolve(options.workdir)
  const clock = createAdjustableClock(parseDuration)
  const startedAt = clock.now().toISOString()
  const stopwatch = createStopwatch()
  const closables: Closable[] = []
  const closing = <T extends { close(): Promise<unknown> }>(name: string, part: T, limit?: number): T => {
    closables.unshift({ name, close: () => part.close(), ...(limit !== undefined && { limit }) })
    return part
  }
  const listeners: Listener[] = []
  let stopping: Promise<void> | undefined
  const stop = (): Promise<void> => {
    // First of all, so that no request reaches services of which some are closed already.
    for (const one of listeners) one.endRequests()
    stopping ??= closeAll(closables)
    return stopping
  }
  const portOf = (configured: number): number => (ports === 'free' ? 0 : configured)

  try {
    const asked = readProjectConfig(workdir, options.env)
    const { host } = asked.settings
    const environment = options.env ?? process.env
    const isSharedDatabase = asked.settings.database_url && !environment.UNDOCK_DATABASE_URL && !options.engine
    if (name !== null && isSharedDatabase) throw new SharedDatabaseError(name)
    const cacheFolder = userCacheFolder(environment)
    let record: PublishedRecord | undefined
    if (state === 'disk') {
      await checkPersistentState(workdir, name)
      await makeStateFolder(workdir)
      record = await publishRecord(
        {
          pid: process.pid,
          processStart: processStart(process.pid),
          startedAt,
          workdir,
          name,
          url: asked.config.api.external_url,
          ports: [],
        },
        {
          lockPath: lockPath(workdir, name),
          cacheFolder,
          onUnlisted: ({ message }) => tell({ kind: 'unlisted', reason: message }),
        },
      )
      // Last of all, because another process may use the folder from then on.
      closables.push({ name: 'the lock', close: record.remove })
      const branch = asked.settings.branches === 'git' ? await followGit(workdir, name) : null
      if (branch) tell({ kind: 'branch', branch })
    }
    const folders = state === 'disk' ? persistentState(workdir, name) : await ephemeralState(workdir, options.from)
    closing('the temporary files', { close: folders.discard })
    const assigned =
      record && ports === 'config'
        ? await assignPorts({ workdir, name, configured: configuredPorts(asked.config), host, cacheFolder })
        : null
    if (assigned && assigned.reason !== 'named') tell({ kind: 'other-ports', assigned })
    const placed = assigned ? readProjectConfig(workdir, withPorts(asked, assigned.ports)) : asked
    await record?.update({
      url: placed.config.api.external_url,
      ports: ports === 'config' ? usedPorts(configuredPorts(placed.config)) : [],
    })
    const { claim, claimApi, probe } = createPortClaims(host, assigned?.file ?? null)
    const certificate = await certificateOf(asked, folders.certificate)
    const listener = closing('the listener', await claimApi(portOf(placed.config.api.port), certificate))
    listeners.push(listener)
    // Edge functions do not trust a certificate that was made here: they are given an address that needs none.
    const inner = certificate && closing('the inner listener', await listen('127.0.0.1', 0))
    if (inner) listeners.push(inner)
    const { config, settings, warnings, env } =
      ports === 'free' ? readProjectConfig(workdir, withPorts(asked, { api: listener.port })) : placed
    await endLeftoverServer(folders.database)
    await probe(portOf(config.db.port), 'the database')
    if (config.db.pooler.enabled) await probe(portOf(config.db.pooler.port), 'the pooler')
    if (config.local_smtp.enabled) await probe(portOf(config.local_smtp.port), 'the mail inbox (local_smtp.port)')
    const linked = linkedRestWarning(workdir)
    for (const warning of linked ? [...warnings, linked] : warnings) tell({ kind: 'warning', warning })

    const faults = createFaults(listener.connections)
    const off = new Set<ServiceName>([...(options.exclude ?? []), ...disabledServices(config)])
    const logs = closing('the log files', openLogFiles(folders.logs, show))
    const certificateForClients = () => databaseCertificate(host, userCacheFolder(env))
    const open = (): Promise<ProjectDatabase> =>
      openProjectDatabase({
        engine: options.engine ?? (settings.database_url ? { url: settings.database_url } : settings.engine),
        supabaseFolder: join(workdir, 'supabase'),
        config,
        missingExtensions: settings.missing_extensions,
        experimental: ['1', 'true'].includes(env.SUPABASE_EXPERIMENTAL ?? ''),
        dataFolder: folders.database,
        isDurable: settings.durable,
        ephemeralFolder: folders.ephemeral,
        snapshotFolder: folders.snapshots,
        cacheFolder: userCacheFolder(env),
        statementLimit: settings.limits.statement_timeout * 1_000 || LONGEST_TIMER,
        waitLimit: WAIT_LIMIT,
        wire: {
          host,
          idleInTransactionTimeout: settings.limits.idle_in_transaction_timeout,
          maxConnections: settings.limits.max_connections,
          maxMessageSize: settings.limits.max_message_size,
        },
        certificate: certificateForClients,
        claimPort: (take) => claim(portOf(config.db.port), 'the database', take),
        log: logs.logOf('database'),
        tell,
      })
    const openInbox = async (): Promise<MailService | null> => {
      if (off.has('mail')) return null
      const { startMail } = await import('../mail/index.ts')
      const { port, smtp_port, pop3_port } = config.local_smtp
      return stopwatch.time('mail', () =>
        startMail({
          host,
          claimPort: claim,
          httpPort: portOf(port),
          smtpPort: smtp_port === 0 ? null : portOf(smtp_port),
          pop3Port: pop3_port === 0 ? null : portOf(pop3_port),
          clock,
          log: logs.logOf('mail'),
          folder: folders.mail,
        }),
      )
    }
    // The services' code is loaded while the engine opens in its own thread.
    const [database, mail, { startServices }, identity] = await settleAll([
      stopwatch.time('database', open).then((one) => closing('the database', one, DATABASE_CLOSE_LIMIT)),
      openInbox().then((inbox) => inbox && closing('the mail inbox', inbox)),
      import('./services.ts'),
      createIdentity({ config: config.auth, clock }),
    ])
    const { url: dbUrl } = database
    const timeline = settings.timeline.enabled
      ? createTimeline({ ...settings.timeline, characters: TIMELINE_CHARACTERS })
      : null
    const collector = settings.timeline.otlp ?? env.OTEL_EXPORTER_OTLP_ENDPOINT
    if (timeline && collector && !URL.canParse(collector))
      logs.logOf('gateway').warn('The timeline is not exported: OTEL_EXPORTER_OTLP_ENDPOINT is no address')
    else if (timeline && collector) {
      const { startOtlpExport } = await import('../timeline/otlp-export.ts')
      const serviceName = env.OTEL_SERVICE_NAME || 'undock'
      closing(
        'the export of the timeline',
        startOtlpExport(timeline, { endpoint: collector, serviceName, log: logs.logOf('gateway') }),
      )
    }
    const db = timeline ? traceDb(database.db, timeline) : database.db
    const mailer = faults.wrapMailer(await mailerOf(config, mail))
    const { pooler } = config.db
    const poolerServer =
      pooler.enabled &&
      closing(
        'the pooler',
        await claim(portOf(pooler.port), 'the pooler', (port) =>
          startPooler({
            host,
            port,
            target: addressOf(dbUrl),
            maxClients: pooler.max_client_conn,
            certificate: certificateForClients,
            log: logs.logOf('database'),
          }),
        ),
      )
    const services = closing(
      'the services',
      await startServices({
        db,
        identity: timeline ? traceIdentity(identity, timeline) : identity,
        config,
        clock,
        logs,
        mailer: timeline ? traceMailer(mailer, timeline) : mailer,
        onFunctionCall: timeline?.addCall,
        tracer: timeline?.tracer ?? NO_TRACER,
        env,
        functionsApiUrl: inner ? `http://127.0.0.1:${inner.port}` : config.api.external_url,
        dbUrl,
        storageFolder: folders.storage,
        functionsFolder: join(workdir, 'supabase', 'functions'),
        isOff: (name) => off.has(name),
        privateOnly: settings.realtime.private_only,
        limits: settings.limits,
        stopwatch,
      }),
      SERVICES_CLOSE_LIMIT,
    )
    if (database.origin !== 'kept') await services.seed()
    const background = closing(
      'the background jobs',
      await startExtensionWorkers({
        db,
        clock,
        log: logs.logOf('database'),
        route: createRoute(config.api.external_url, asked.config.api.port),
      }),
    )
    database.onReopened(async () => {
      await settleAll([services.onDatabaseReplaced('reopened'), background.onDatabaseReplaced('reopened')])
    })

    const { reset, snapshot, inTurn } = closing(
      'a reset or restore',
      createStackSnapshots({
        database,
        mail,
        services,
        storageFolder: folders.storage,
        ephemeralFolder: folders.ephemeral,
      }),
    )
    const memory = async () => ({ total: process.memoryUsage.rss(), database: await database.memory() })
    const { copyTo } = database
    const root = stateFolder(workdir, name)
    const branches =
      state === 'disk'
        ? createBranchControl({
            workdir,
            root,
            dbUrl,
            startCopy: (folder) => startStack(copyOptions(workdir, folder)),
            copyCurrent: copyTo && ((to) => copyUsedState(currentState(root), to, copyTo)),
            inTurn,
            restart: options.restart,
          })
        : null
    const access = logs.logOf('gateway')
    const foreignPages = createForeignPages({
      identity,
      host,
      ownUrls: [...settings.allowed_origins, config.api.external_url, config.auth.site_url],
    })
    const explainAnswers = createAnswerExplainer({
      // What explains a request is no part of what the request did.
      db: database.db,
      identity,
      isForeign: foreignPages.isForeign,
      restTargetOf: services.restTargetOf,
      log: logs.logOf('rest'),
    })
    const handlers = new Map(
      [...services.handlers].map(([name, handle]) => {
        const explained = name === 'rest' && settings.explain ? explainAnswers(handle) : handle
        const wrapped = faults.wrapHandler(name, explained)
        return [name, timeline?.wrapHandler(name, wrapped) ?? wrapped] as const
      }),
    )
    handlers.set(
      'undock',
      createControl({
        identity,
        db,
        schemas: config.api.schemas,
        clock,
        faults,
        reset,
        branches,
        functions: services.functions,
        realtime: services.realtime,
        timeline,
        restTargetOf: services.restTargetOf,
        consoleLink: () => consoleServer?.openingUrl() ?? null,
        url: config.api.external_url,
        handlers,
      }),
    )
    if (!off.has('mcp'))
      handlers.set(
        'mcp',
        createAgentTools({
          identity,
          config,
          host,
          dbUrl,
          mailUrl: mail?.url ?? null,
          supabaseFolder: join(workdir, 'supabase'),
          readLogs: logs.read,
          functions: services.functions,
          handlers,
          log: logs.logOf('mcp'),
        }),
      )
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
    for (const one of listeners) one.attach(gateway, upgradeOf)
    const poolerUrl = poolerServer ? poolerUrlOf(dbUrl, config.project_id, poolerServer.port) : null
    const consoleServer =
      options.console && config.studio.enabled
        ? closing(
            'the console',
            await openConsole({
              host,
              port: ports === 'free' ? 0 : config.studio.port,
              claimPort: claim,
              onOtherPort: (port, reason) => tell({ kind: 'console-port', port, reason }),
              db: database.db,
              dbUrl,
              apiUrl: config.api.external_url,
              identity,
              isLocal: !settings.database_url,
              supabaseFolder: join(workdir, 'supabase'),
              config,
              handlerOf: (path) =>
                (serviceName(path) === 'undock' ? handlers : services.handlers).get(serviceName(path)) ?? null,
              mail: mail?.handle ?? null,
              mailTemplates: services.mailTemplates,
              joinRealtime: services.upgrades.get('realtime') ?? null,
              clock,
              facts: async () => ({
                name: config.project_id,
                engine: database.engine,
                isLocal: !settings.database_url,
                urls: { api: config.api.external_url, database: dbUrl, mail: mail?.url ?? null, pooler: poolerUrl },
                keys: identity.keys,
                jwtSecret: identity.jwtSecret,
                schemas: config.api.schemas,
                services: SERVICES.filter((name) => !off.has(name)),
                startedAt,
                memory: await memory(),
              }),
              recentLines: logs.recent,
              log: logs.logOf('console'),
            }),
          )
        : null
    const addresses = {
      url: config.api.external_url,
      dbUrl,
      mailUrl: mail?.url ?? null,
      poolerUrl,
      consoleUrl: consoleServer?.url ?? null,
    }
    await record?.update({ ...addresses, engine: database.engine })
    return {
      ...addresses,
      db,
      identity,
      config,
      origin: database.origin,
      pending: database.pending,
      startTimes: stopwatch.times,
      memory,
      clock,
      faults,
      requests: (time = 0) => timeline?.since(time) ?? [],
      reset,
      snapshot,
      restore: (one) => one.restore(),
      stop,
    }
  } catch (error) {
    // The first error is the one to report.
    await stop().catch(() => undefined)
    throw error
  }
}

const disabledServices = ({
  api,
  auth,
  storage,
  realtime,
  edge_runtime,
  studio,
  local_smtp,
}: Config): ServiceName[] => {
  const enabled: Record<ServiceName, boolean> = {
    rest: api.enabled,
    auth: auth.enabled,
    storage: storage.enabled,
    realtime: realtime.enabled,
    functions: edge_runtime.enabled,
    // The CLI starts postgres-meta for its console, and the console answers /mcp.
    pg: studio.enabled,
    mcp: studio.enabled,
    mail: local_smtp.enabled,
  }
  return SERVICES.filter((name) => !enabled[name])
}

function addressOf(url: string): { host: string; port: number } {
  const { hostname, port } = new URL(url)
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 5432) }
}

/** The pooler's address, with the user name that names a tenant, as for a hosted project. */
function poolerUrlOf(dbUrl: string, tenant: string, port: number): string {
  const url = new URL(dbUrl)
  return Object.assign(url, { username: `${url.username}.${encodeURIComponent(tenant)}`, port: String(port) }).href
}

async function mailerOf(config: Config, mail: MailService | null): Promise<Mailer> {
  const { smtp } = config.auth.email
  if (smtp?.enabled) return (await import('../mail/mailer.ts')).createSmtpMailer(smtp)
  if (mail) return mail.mailer
  return {
    send: () =>
      Promise.reject(new Error('Mail is turned off: enable [local_smtp] or [auth.email.smtp] in supabase/config.toml')),
  }
}

/** Characters of all texts that the timeline keeps. */
const TIMELINE_CHARACTERS = 8 * 1024 * 1024
/** Milliseconds a request waits for the database while another client holds it. */
const WAIT_LIMIT = 15_000
/** Milliseconds that all services together may take to close. */
const SERVICES_CLOSE_LIMIT = 10_000
/** Milliseconds that the database may take to write out what it holds. */
const DATABASE_CLOSE_LIMIT = 15_000
/** The longest time a timer takes, 24 days; stands for "no limit". */
const LONGEST_TIMER = 2 ** 31 - 1
