import { join, resolve } from 'node:path'
import type { Config } from './config/config.ts'
import { parseDuration } from './config/duration.ts'
import type { Env } from './config/env.ts'
import type { ConfigWarning } from './config/fault.ts'
import { readProjectConfig } from './config/project.ts'
import { createControl } from './control.ts'
import { startBackground } from './database/background/background.ts'
import { createRoute } from './database/background/net/route.ts'
import type { Db } from './database/db.ts'
import { type Lock, takeLock } from './database/lock.ts'
import { endLeftoverServer, openProjectDatabase } from './database/open-project.ts'
import type { OpeningEvent } from './database/project-content.ts'
import type { ProjectDatabase } from './database/project-database.ts'
import { userCacheFolder } from './database/snapshots.ts'
import { createFaults, type Faults } from './faults.ts'
import { createGateway } from './gateway/gateway.ts'
import { createIdentity } from './identity/create-identity.ts'
import type { Identity } from './identity/identity.ts'
import { allDone } from './kernel/all-done.ts'
import type { Mailer } from './kernel/mailer.ts'
import { createTurningClock, type TurningClock } from './kernel/turning-clock.ts'
import { type LogLine, openLogFiles } from './log-files.ts'
import type { MailService } from './mail/index.ts'
import { createMoments, type StackSnapshot } from './moments.ts'
import { certificateOf, claim, claimApi, probe, withApiPort } from './ports.ts'
import { SERVICES, type ServiceName } from './service-names.ts'
import { keptState, passingState } from './state-folders.ts'
import { createStopwatch } from './stopwatch.ts'

export type StackEvent = OpeningEvent | { readonly kind: 'warning'; readonly warning: ConfigWarning }

export type StackOptions = {
  /** The folder that holds `supabase/`. */
  readonly workdir: string
  /** 'config' takes the ports of config.toml, 'free' whichever are free. */
  readonly ports?: 'config' | 'free'
  /** 'disk' keeps everything in `supabase/.undock/`, 'memory' ends with the stack. */
  readonly state?: 'disk' | 'memory'
  readonly exclude?: readonly ServiceName[]
  /** Another Postgres than undock.toml says: an engine's name, or an address. */
  readonly engine?: 'pglite' | 'native' | { readonly url: string }
  readonly env?: Env
  readonly tell?: (event: StackEvent) => void
  readonly show?: (line: LogLine) => void
}

export type Stack = {
  readonly url: string
  readonly dbUrl: string
  readonly mailUrl: string | null
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
  readonly clock: TurningClock
  readonly faults: Faults
  /** Migrations and seed again, from nothing, while the services stay up; files and mails go. */
  reset(): Promise<void>
  /** What database, files and mails hold now, for `restore`. */
  snapshot(): Promise<StackSnapshot>
  restore(snapshot: StackSnapshot): Promise<void>
  stop(): Promise<void>
}

/** Starts a project's whole backend: lock and ports first, so that what stands in the way is told before anything
 *  else is done; then the database; then the services that stand on it; the gateway last.
 *  @throws {ConfigError | PortInUseError | LockedError | ScriptError} with what to do about it. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { ports = 'config', state = 'disk', tell = () => undefined, show = () => undefined } = options
  const workdir = resolve(options.workdir)
  const clock = createTurningClock(parseDuration)
  const stopwatch = createStopwatch()
  const closers: Array<() => Promise<unknown>> = []
  const closing = <T extends { close(): Promise<unknown> }>(part: T): T => {
    closers.unshift(() => part.close())
    return part
  }
  const stop = async (): Promise<void> => {
    for (const close of closers.splice(0)) await close()
  }
  const portOf = (configured: number): number => (ports === 'free' ? 0 : configured)

  try {
    const asked = readProjectConfig(workdir, options.env)
    const { host } = asked.settings
    const folders = state === 'disk' ? keptState(workdir) : await passingState(workdir)
    closers.push(folders.discard)
    const holder = { pid: process.pid, startedAt: clock.now().toISOString() }
    let lock: Lock | undefined
    if (folders.lock) {
      lock = await takeLock(folders.lock, { ...holder, url: asked.config.api.external_url })
      closers.push(lock.release)
    }
    const certificate = await certificateOf(asked, folders.certificate)
    const listener = closing(await claimApi(host, portOf(asked.config.api.port), certificate))
    // Edge functions do not trust a certificate that was made here: they are given an address that needs none.
    const inner = certificate && closing(await claimApi('127.0.0.1', 0, null))
    const { config, settings, warnings, env } =
      ports === 'free' ? readProjectConfig(workdir, withApiPort(asked, listener.port)) : asked
    await endLeftoverServer(folders.database)
    await probe(host, portOf(config.db.port), 'the database')
    if (config.local_smtp.enabled) await probe(host, portOf(config.local_smtp.port), 'the mail inbox')
    for (const warning of warnings) tell({ kind: 'warning', warning })

    const faults = createFaults(listener.connections)
    const off = new Set<ServiceName>([...(options.exclude ?? []), ...disabledServices(config)])
    const logs = closing(openLogFiles(folders.logs, show))
    const open = (): Promise<ProjectDatabase> =>
      openProjectDatabase({
        engine: options.engine ?? (settings.database_url ? { url: settings.database_url } : settings.engine),
        supabaseFolder: join(workdir, 'supabase'),
        config,
        missingExtensions: settings.missing_extensions,
        experimental: ['1', 'true'].includes(env.SUPABASE_EXPERIMENTAL ?? ''),
        dataFolder: folders.database,
        passingFolder: folders.passing,
        snapshotFolder: folders.snapshots,
        cacheFolder: userCacheFolder(env),
        statementLimit: settings.limits.statement_timeout * 1_000 || LONGEST_TIMER,
        waitLimit: WAIT_LIMIT,
        wire: {
          host,
          idleInTransactionTimeout: settings.limits.idle_in_transaction_timeout,
          maxConnections: settings.limits.max_connections,
        },
        claimPort: (take) => claim(portOf(config.db.port), 'the database', take),
        log: logs.logOf('database'),
        tell,
      })
    const openInbox = async (): Promise<MailService | null> => {
      if (off.has('mail')) return null
      const { startMail } = await import('./mail/index.ts')
      const { port, smtp_port } = config.local_smtp
      return stopwatch.time('mail', () =>
        startMail({
          host,
          httpPort: portOf(port),
          smtpPort: smtp_port === 0 ? null : portOf(smtp_port),
          clock,
          log: logs.logOf('mail'),
          folder: folders.mail,
        }),
      )
    }
    // The services' code is loaded while the engine opens in its own thread.
    const [database, mail, { startServices }, identity] = await allDone([
      stopwatch.time('database', open).then(closing),
      openInbox().then((inbox) => inbox && closing(inbox)),
      import('./services.ts'),
      createIdentity({ config: config.auth, clock }),
    ])
    const { db, url: dbUrl } = database
    const services = closing(
      await startServices({
        db,
        identity,
        config,
        clock,
        logs,
        mailer: faults.onMailer(await mailerOf(config, mail)),
        env,
        functionsApiUrl: inner ? `http://127.0.0.1:${inner.port}` : config.api.external_url,
        dbUrl,
        storageFolder: folders.storage,
        functionsFolder: join(workdir, 'supabase', 'functions'),
        isOff: (name) => off.has(name),
        privateOnly: settings.realtime.private_only,
        stopwatch,
      }),
    )
    if (database.origin !== 'kept') await services.seed()
    const background = closing(
      await startBackground({
        db,
        clock,
        log: logs.logOf('database'),
        route: createRoute(config.api.external_url, asked.config.api.port),
      }),
    )
    database.onReopened(services.afterReopening)
    database.onReopened(background.look)

    const { reset, snapshot } = closing(
      createMoments({
        database,
        mail,
        services,
        storageFolder: folders.storage,
        passingFolder: folders.passing,
      }),
    )
    const access = logs.logOf('gateway')
    const handlers = Object.entries(services.handlers).map(([name, service]) => [name, faults.onService(name, service)])
    const gateway = createGateway({
      services: { ...Object.fromEntries(handlers), undock: createControl({ identity, reset }) },
      disabled: off,
      record: ({ method, path, status, duration, service, requestId }) =>
        access.info(`${method} ${path} ${status}`, { service, requestId, ms: Math.round(duration * 10) / 10 }),
    })
    for (const one of [listener, inner]) one?.attach(gateway, (name) => services.upgrades[name] ?? null)
    const addresses = { url: config.api.external_url, dbUrl, mailUrl: mail?.url ?? null }
    await lock?.update({ ...holder, ...addresses })
    return {
      ...addresses,
      db,
      identity,
      config,
      origin: database.origin,
      pending: database.pending,
      startTimes: stopwatch.times,
      memory: async () => ({ total: process.memoryUsage.rss(), database: await database.memory() }),
      clock,
      faults,
      reset,
      snapshot,
      restore: (one) => one.restore(),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

const disabledServices = ({ api, auth, storage, realtime, edge_runtime, local_smtp }: Config): ServiceName[] => {
  const enabled: Record<ServiceName, boolean> = {
    rest: api.enabled,
    auth: auth.enabled,
    storage: storage.enabled,
    realtime: realtime.enabled,
    functions: edge_runtime.enabled,
    mail: local_smtp.enabled,
  }
  return SERVICES.filter((name) => !enabled[name])
}

async function mailerOf(config: Config, mail: MailService | null): Promise<Mailer> {
  const { smtp } = config.auth.email
  if (smtp?.enabled) return (await import('./mail/mailer.ts')).createSmtpMailer(smtp)
  if (mail) return mail.mailer
  return {
    send: () =>
      Promise.reject(new Error('Mail is turned off: enable [local_smtp] or [auth.email.smtp] in supabase/config.toml')),
  }
}

/** Milliseconds a request waits for the database while another client holds it. */
const WAIT_LIMIT = 15_000
/** The longest time a timer takes, 24 days; stands for "no limit". */
const LONGEST_TIMER = 2 ** 31 - 1
