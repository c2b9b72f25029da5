import { join, resolve } from 'node:path'
import { createAuth } from './auth/index.ts'
import type { Config } from './config/config.ts'
import type { Env } from './config/env.ts'
import type { ConfigWarning } from './config/fault.ts'
import { readProjectConfig } from './config/project.ts'
import { createControl } from './control.ts'
import { takeLock } from './database/lock.ts'
import {
  type OpeningEvent,
  openProjectDatabase,
  type ProjectDatabase,
  type ProjectDatabaseOptions,
  resetProjectDatabase,
} from './database/project-database.ts'
import { userCacheFolder } from './database/snapshots.ts'
import { startWire } from './database/wire/listener.ts'
import { createFunctions } from './functions/index.ts'
import { createGateway } from './gateway/gateway.ts'
import { createIdentity } from './identity/create-identity.ts'
import type { Identity } from './identity/identity.ts'
import type { Mailer } from './kernel/mailer.ts'
import { type Service, systemClock } from './kernel/service.ts'
import { type LogLine, openLogFiles } from './log-files.ts'
import { type MailService, startMail } from './mail/index.ts'
import { createSmtpMailer } from './mail/mailer.ts'
import { claim, claimApi, withApiPort } from './ports.ts'
import { createRealtime } from './realtime/index.ts'
import { createRest } from './rest/index.ts'
import type { ServiceName } from './service-names.ts'
import { keptState, passingState } from './state-folders.ts'
import { createStorage } from './storage/index.ts'

export type StackEvent = OpeningEvent | { readonly kind: 'warning'; readonly warning: ConfigWarning }

export type StackOptions = {
  /** The folder that holds `supabase/`. */
  readonly workdir: string
  /** 'config' takes the ports of config.toml, 'free' whichever are free. */
  readonly ports?: 'config' | 'free'
  /** 'disk' keeps everything in `supabase/.undock/`, 'memory' ends with the stack. */
  readonly state?: 'disk' | 'memory'
  readonly exclude?: readonly ServiceName[]
  readonly env?: Env
  readonly tell?: (event: StackEvent) => void
  readonly show?: (line: LogLine) => void
}

export type Stack = {
  readonly url: string
  readonly dbUrl: string
  readonly mailUrl: string | null
  readonly identity: Identity
  readonly config: Config
  readonly origin: ProjectDatabase['origin']
  readonly pending: ProjectDatabase['pending']
  /** Migrations and seed again, from nothing, while the services stay up. */
  reset(): Promise<void>
  stop(): Promise<void>
}

/** Starts a project's whole backend: ports first, so that a taken one is told before anything else is done; then the
 *  database; then the services that stand on it; the gateway last.
 *  @throws {ConfigError | PortInUseError | LockedError | ScriptError} with what to do about it. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { ports = 'config', state = 'disk', tell = () => undefined, show = () => undefined } = options
  const workdir = resolve(options.workdir)
  const closers: Array<() => Promise<unknown>> = []
  const closing = <T extends { close(): Promise<unknown> | undefined }>(part: T): T => {
    closers.unshift(async () => part.close())
    return part
  }
  const stop = async (): Promise<void> => {
    for (const close of closers.splice(0)) await close()
  }

  try {
    const asked = readProjectConfig(workdir, options.env)
    const { host } = asked.settings
    const listener = closing(await claimApi(host, ports === 'free' ? 0 : asked.config.api.port))
    const { config, settings, warnings, env } =
      ports === 'free' ? readProjectConfig(workdir, withApiPort(options.env ?? process.env, listener.port)) : asked
    for (const warning of warnings) tell({ kind: 'warning', warning })

    const url = config.api.external_url
    const folders = state === 'disk' ? keptState(workdir) : await passingState(workdir)
    closers.push(folders.discard)
    if (folders.lock) {
      const startedAt = systemClock.now().toISOString()
      closers.push(await takeLock(folders.lock, { pid: process.pid, url, startedAt }))
    }
    const logs = closing(openLogFiles(folders.logs, show))
    const off = new Set<string>(options.exclude ?? [])
    const isOn = (name: ServiceName, enabled: boolean): boolean => {
      if (!enabled) off.add(name)
      return !off.has(name)
    }
    const clock = systemClock
    const identity = await createIdentity({ config: config.auth, clock })
    const supabaseFolder = join(workdir, 'supabase')

    const databaseOptions: ProjectDatabaseOptions = {
      supabaseFolder,
      config,
      dataFolder: folders.database,
      snapshotFolder: folders.snapshots,
      cacheFolder: userCacheFolder(env),
      statementLimit: settings.limits.statement_timeout * 1_000 || MAX_TIMER,
      waitLimit: WAIT_LIMIT,
      tell,
    }
    const mail = isOn('mail', config.local_smtp.enabled)
      ? closing(
          await claim(ports === 'free' ? 0 : config.local_smtp.port, 'the mail inbox', (httpPort) =>
            startMail({
              host,
              httpPort,
              smtpPort: ports === 'free' ? 0 : (config.local_smtp.smtp_port ?? null),
              clock,
              log: logs.logOf('mail'),
              folder: folders.mail,
            }),
          ),
        )
      : null
    const database = await openProjectDatabase(databaseOptions)
    closing(database.engine)
    const { db, engine } = database
    const wire = closing(
      await claim(ports === 'free' ? 0 : config.db.port, 'the database', (port) =>
        startWire({
          engine,
          db,
          host,
          port,
          password: 'postgres',
          idleInTransactionTimeout: settings.limits.idle_in_transaction_timeout,
          maxConnections: settings.limits.max_connections,
          log: logs.logOf('database'),
        }),
      ),
    )
    const dbUrl = `postgresql://postgres:postgres@127.0.0.1:${wire.port}/postgres`

    const services: Record<string, Service> = {}
    const rest = closing(await createRest({ db, identity, config: config.api, log: logs.logOf('rest') }))
    if (isOn('rest', config.api.enabled)) services.rest = rest.handle
    if (isOn('auth', config.auth.enabled)) {
      services.auth = closing(
        createAuth({
          db,
          identity,
          config: config.auth,
          apiUrl: url,
          mailer: mailerOf(config, mail),
          clock,
          log: logs.logOf('auth'),
        }),
      ).handle
    }
    const storage = isOn('storage', config.storage.enabled)
      ? closing(
          await createStorage({
            db,
            identity,
            config: config.storage,
            folder: folders.storage,
            clock,
            log: logs.logOf('storage'),
          }),
        )
      : null
    if (storage) {
      services.storage = storage.handle
      if (database.origin !== 'kept') await storage.seed()
    }
    const realtime = isOn('realtime', config.realtime.enabled)
      ? closing(await createRealtime({ db, identity, config: config.realtime, clock, log: logs.logOf('realtime') }))
      : null
    if (realtime) services.realtime = realtime.handle
    const functions = isOn('functions', config.edge_runtime.enabled)
      ? closing(
          await createFunctions({
            identity,
            config,
            folder: join(supabaseFolder, 'functions'),
            env,
            apiUrl: url,
            dbUrl,
            log: logs.logOf('functions'),
          }),
        )
      : null
    if (functions) services.functions = functions.handle

    const reset = async (): Promise<void> => {
      await resetProjectDatabase(databaseOptions, engine)
      await storage?.applyBuckets()
      await storage?.seed()
    }
    services.undock = createControl({ identity, reset })
    const access = logs.logOf('gateway')
    listener.attach(
      createGateway({
        services,
        disabled: off,
        record: ({ method, path, status, duration, service, requestId }) =>
          access.info(`${method} ${path} ${status}`, { service, requestId, ms: Math.round(duration * 10) / 10 }),
      }),
      (path) => {
        if (path.startsWith('/realtime/v1')) return realtime?.upgrade ?? null
        return path.startsWith('/functions/v1') ? (functions?.upgrade ?? null) : null
      },
    )
    return {
      url,
      dbUrl,
      mailUrl: mail?.url ?? null,
      identity,
      config,
      origin: database.origin,
      pending: database.pending,
      reset,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

function mailerOf(config: Config, mail: MailService | null): Mailer {
  const { smtp } = config.auth.email
  if (smtp?.enabled) return createSmtpMailer(smtp)
  if (mail) return mail.mailer
  return {
    send: () =>
      Promise.reject(new Error('Mail is turned off: enable [local_smtp] or [auth.email.smtp] in supabase/config.toml')),
  }
}

/** Milliseconds a request waits for the database while another client holds it. */
const WAIT_LIMIT = 15_000
/** The longest time a timer takes, 24 days; stands for "no limit". */
const MAX_TIMER = 2 ** 31 - 1
