import { createAuth } from './auth/index.ts'
import type { Config } from './config/config.ts'
import type { Env } from './config/env.ts'
import type { Db } from './database/db.ts'
import { createFunctions } from './functions/index.ts'
import type { UpgradeHandler } from './gateway/server.ts'
import type { Identity } from './identity/identity.ts'
import { allDone } from './kernel/all-done.ts'
import type { Mailer } from './kernel/mailer.ts'
import type { Clock, Service } from './kernel/service.ts'
import type { LogFiles } from './log-files.ts'
import { createRealtime } from './realtime/index.ts'
import { createRest } from './rest/index.ts'
import type { ServiceName } from './service-names.ts'
import type { Stopwatch } from './stopwatch.ts'
import { createStorage } from './storage/index.ts'

export type ServicesOptions = {
  readonly db: Db
  readonly identity: Identity
  readonly config: Config
  readonly clock: Clock
  readonly logs: LogFiles
  readonly mailer: Mailer
  readonly env: Env
  readonly dbUrl: string
  /** SUPABASE_URL of the edge functions. */
  readonly functionsApiUrl: string
  readonly storageFolder: string
  readonly functionsFolder: string
  readonly isOff: (name: ServiceName) => boolean
  /** Realtime refuses public channels. */
  readonly privateOnly: boolean
  /** Told how long each service takes to start. */
  readonly stopwatch: Stopwatch
}

export type Services = {
  /** By their first path segment. */
  readonly handlers: Readonly<Record<string, Service>>
  readonly upgrades: Readonly<Record<string, UpgradeHandler>>
  /** Files that the project's buckets begin with: part of the seed. */
  seed(): Promise<void>
  /** After the database was opened again: it may be another one, and nobody may go on with what they knew of the old. */
  afterReopening(): void
  /** After the database was replaced by one that begins anew. */
  afterReset(): Promise<void>
  /** After the database was replaced by one of another moment. */
  afterRestore(): Promise<void>
  close(): Promise<void>
}

/** Starts the services that stand on the database, together; this is the one place that knows what each is given. */
export async function startServices(options: ServicesOptions): Promise<Services> {
  const { db, identity, config, clock, logs, mailer, env, dbUrl, isOff, stopwatch } = options
  const apiUrl = config.api.external_url
  const unless = <T>(name: ServiceName, start: () => T | Promise<T>): Promise<T> | null =>
    isOff(name) ? null : stopwatch.time(name, start)

  const starting = [
    unless('rest', () => createRest({ db, identity, config: config.api, log: logs.logOf('rest') })),
    unless('auth', () =>
      createAuth({ db, identity, config: config.auth, apiUrl, mailer, clock, log: logs.logOf('auth') }),
    ),
    unless('storage', () =>
      createStorage({
        db,
        identity,
        config: config.storage,
        folder: options.storageFolder,
        clock,
        log: logs.logOf('storage'),
      }),
    ),
    unless('realtime', () =>
      createRealtime({
        db,
        identity,
        config: config.realtime,
        clock,
        log: logs.logOf('realtime'),
        privateOnly: options.privateOnly,
      }),
    ),
    unless('functions', () =>
      createFunctions({
        identity,
        config,
        folder: options.functionsFolder,
        env,
        apiUrl: options.functionsApiUrl,
        dbUrl,
        log: logs.logOf('functions'),
      }),
    ),
  ] as const
  const [rest, auth, storage, realtime, functions] = await allDone(starting).catch(async (error: unknown) => {
    for (const part of await Promise.allSettled(starting)) if (part.status === 'fulfilled') await part.value?.close()
    throw error
  })
  const started = { rest, auth, storage, realtime, functions }
  return {
    handlers: present(started, (part) => part.handle),
    upgrades: present({ realtime, functions }, (part) => part.upgrade),
    async seed() {
      await storage?.seed()
    },
    afterReopening() {
      rest?.forget()
    },
    async afterReset() {
      await realtime?.restore()
      await storage?.applyBuckets()
      await storage?.seed()
    },
    async afterRestore() {
      await realtime?.restore()
    },
    async close() {
      // What calls others ends first.
      for (const part of [functions, realtime, storage, auth, rest]) await part?.close()
    },
  }
}

/** The parts that run, each turned into what the gateway wants of it. */
function present<T, R>(parts: Readonly<Record<string, T | null>>, turn: (part: T) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(parts).flatMap(([name, part]) => (part ? [[name, turn(part)]] : [])))
}
