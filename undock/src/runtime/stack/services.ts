import type { Buckets } from '../../auth/guards/buckets.ts'
import { createAuth } from '../../auth/index.ts'
import type { Config } from '../../config/config.ts'
import type { Env } from '../../config/env.ts'
import type { UndockSettings } from '../../config/settings.ts'
import type { Db } from '../../database/db.ts'
import type { ExtensionWorkersOptions } from '../../database/extensions/worker.ts'
import { type ExtensionWorkers, startExtensionWorkers } from '../../database/extensions/workers.ts'
import { createFunctions, type Functions } from '../../functions/index.ts'
import type { FunctionCall } from '../../functions/messages.ts'
import { createRemoteFunctions } from '../../functions/remote-functions.ts'
import type { Identity } from '../../identity/identity.ts'
import type { Bus } from '../../kernel/bus.ts'
import type { Mailer, MailTemplates } from '../../kernel/mail-templates.ts'
import { closeAll, settleAll } from '../../kernel/promises.ts'
import type { Clock, Lifecycle, RequestHandler, Service, UpgradeHandler } from '../../kernel/service.ts'
import { NO_TRACER, type Tracer } from '../../kernel/tracer.ts'
import { createPostgresMeta } from '../../postgres-meta/index.ts'
import { createRealtime, type Realtime, type RealtimeOptions } from '../../realtime/index.ts'
import { createRest, type Rest } from '../../rest/index.ts'
import type { FilesOptions } from '../../storage/files/open-files.ts'
import { createStorage } from '../../storage/index.ts'
import type { Credentials } from '../../storage/s3/signer.ts'
import type { Timeline } from '../../timeline/timeline.ts'
import { traceDb, traceIdentity, traceMailer } from '../../timeline/traced.ts'
import type { LogFiles } from './log-files.ts'
import type { ServiceName } from './options.ts'
import type { StackParts, Stopwatch } from './parts.ts'
import { createRestAdmin } from './rest-admin.ts'

type ServicesOptions = {
  readonly db: Db
  /** For the Data API, whose reads may go elsewhere. */
  readonly restDb: Db
  readonly identity: Identity
  readonly config: Config
  readonly clock: Clock
  readonly logs: LogFiles
  readonly mailer: Mailer
  /** Where Auth counts requests and attempts; in memory by default. */
  readonly buckets?: Buckets
  readonly env: Env
  readonly dbUrl: string
  /** SUPABASE_URL of edge functions. */
  readonly functionsApiUrl: string
  /** For Storage's S3 protocol; by default the keys shared by all local projects. */
  readonly s3Credentials?: Credentials | undefined
  /** Where Storage keeps objects' bytes. */
  readonly files: FilesOptions
  readonly functionsFolder: string
  /** Where edge functions run; locally by default. */
  readonly functionsEndpoint?: string | undefined
  readonly off: ReadonlySet<ServiceName>
  /** To other nodes on this database, if any. The caller closes it after the services. */
  readonly bus?: Bus
  /** Whether a request comes from a page of another machine. */
  readonly isForeign: RealtimeOptions['isForeign']
  readonly settings: Pick<UndockSettings, 'limits' | 'realtime'>
  /** Called for each request a function makes to another server. */
  readonly onFunctionCall: ((call: FunctionCall) => void) | undefined
  onFetchingDeno(): void
  readonly tracer: Tracer
  /** Measures each service's start. */
  readonly stopwatch: Stopwatch
}

export type Services = Lifecycle & {
  readonly handlers: ReadonlyMap<string, RequestHandler>
  readonly upgrades: ReadonlyMap<string, UpgradeHandler>
  readonly functions: Functions | null
  readonly mailTemplates: MailTemplates | null
  readonly realtime: Pick<Realtime, 'clients' | 'drain'> | null
  /** The relation a Data API request is about; null without a Data API. */
  readonly restTargetOf: Rest['targetOf'] | null
  /** Uploads the buckets' initial files: the part of the seed that isn't SQL. */
  seed(): Promise<void>
}

/** Milliseconds for all services together to close. */
const SERVICES_CLOSE_LIMIT = 10_000

type Composition = Omit<ServicesOptions, 'restDb' | 'onFunctionCall' | 'tracer'> & {
  /** `db` by default. */
  readonly restDb?: Db
  readonly parts: StackParts
  readonly timeline: Timeline | null
  readonly database: {
    onReopened(listener: () => Promise<void>): void
    /** Whether the buckets' initial files are missing. */
    readonly isNew: boolean
  }
  /** What the project's SQL schedules and sends. */
  readonly background: Omit<ExtensionWorkersOptions, 'db' | 'clock' | 'log'>
}

/** Starts what `undock start` and each node of `undock serve` have in common: the services, traced if there is a
 *  timeline, and the background jobs. The stack's parts close them. */
export async function composeServices({
  parts,
  timeline,
  database,
  background,
  ...options
}: Composition): Promise<Services & { readonly jobs: ExtensionWorkers }> {
  const { db, restDb = db, identity, mailer, clock, logs } = options
  const services = parts.add(
    'the services',
    await startServices({
      ...options,
      db: timeline ? traceDb(db, timeline) : db,
      restDb: timeline ? traceDb(restDb, timeline) : restDb,
      identity: timeline ? traceIdentity(identity, timeline) : identity,
      mailer: timeline ? traceMailer(mailer, timeline) : mailer,
      onFunctionCall: timeline?.addCall,
      tracer: timeline?.tracer ?? NO_TRACER,
    }),
    SERVICES_CLOSE_LIMIT,
  )
  if (database.isNew) await services.seed()
  const jobs = parts.add(
    'the background jobs',
    await startExtensionWorkers({ ...background, db, clock, log: logs.logOf('database') }),
  )
  database.onReopened(async () => {
    await settleAll([services.onDatabaseReplaced('reopened'), jobs.onDatabaseReplaced('reopened')])
  })
  return { ...services, jobs }
}

/** Starts the database-backed services in parallel. Only this function knows their dependencies. */
async function startServices(options: ServicesOptions): Promise<Services> {
  const { db, identity, config, clock, logs, mailer, buckets, env, dbUrl, off, stopwatch, tracer } = options
  const { limits, realtime: realtimeSettings } = options.settings
  const apiUrl = config.api.external_url
  const unless = <T>(name: ServiceName, start: () => T | Promise<T>): Promise<T> | null =>
    off.has(name) ? null : stopwatch.time(name, start)

  const functionsOptions = { identity, bodyLimit: limits.functions_body, log: logs.logOf('functions') }
  const starting = [
    unless('rest', () =>
      createRest({
        db: options.restDb,
        identity,
        clock,
        config: config.api,
        bodyLimit: limits.rest_body,
        log: logs.logOf('rest'),
      }),
    ),
    unless('auth', () =>
      createAuth({
        db,
        identity,
        config: config.auth,
        apiUrl,
        mailer,
        clock,
        log: logs.logOf('auth'),
        tracer,
        // Nodes share limits and have real users: a loopback client is a proxy or one of them.
        ...(buckets && { buckets, limitsLoopback: true }),
      }),
    ),
    unless('storage', () =>
      createStorage({
        db,
        identity,
        config: config.storage,
        files: options.files,
        credentials: options.s3Credentials,
        clock,
        log: logs.logOf('storage'),
        tracer,
      }),
    ),
    unless('realtime', () =>
      createRealtime({
        db,
        identity,
        config: config.realtime,
        clock,
        log: logs.logOf('realtime'),
        tracer,
        privateOnly: realtimeSettings.private_only,
        isForeign: options.isForeign,
        ...(options.bus && { bus: options.bus }),
      }),
    ),
    unless('functions', () =>
      options.functionsEndpoint
        ? null
        : createFunctions({
            ...functionsOptions,
            config,
            folder: options.functionsFolder,
            env,
            machine: process.env,
            apiUrl: options.functionsApiUrl,
            dbUrl,
            onCall: options.onFunctionCall,
            onFetchingDeno: options.onFetchingDeno,
          }),
    ),
    unless('functions', () =>
      options.functionsEndpoint
        ? createRemoteFunctions({
            ...functionsOptions,
            functions: config.functions,
            endpoint: new URL(options.functionsEndpoint),
          })
        : null,
    ),
  ] as const
  const [rest, auth, storage, realtime, functions, elsewhere] = await settleAll(starting).catch(
    async (error: unknown) => {
      for (const part of await Promise.allSettled(starting))
        if (part.status === 'fulfilled') await part.value?.close().catch(() => undefined)
      throw error
    },
  )
  // Started by its first request.
  const pg = off.has('pg') ? null : createPostgresMeta({ identity, dbUrl, log: logs.logOf('pg') })
  const running = Object.entries({ rest, auth, storage, realtime, functions: functions ?? elsewhere, pg }).flatMap(
    ([name, service]: [string, Service | null]) => (service ? [{ name, service }] : []),
  )
  return {
    handlers: new Map([
      ...running.map(({ name, service }) => [name, service.handle] as const),
      ...(rest ? [['rest-admin', createRestAdmin({ rest: rest.handle, db })] as const] : []),
    ]),
    upgrades: new Map(
      running.flatMap(({ name, service }) => (service.upgrade ? [[name, service.upgrade] as const] : [])),
    ),
    functions,
    mailTemplates: auth?.mailTemplates ?? null,
    realtime,
    restTargetOf: rest?.targetOf ?? null,
    async seed() {
      await storage?.seed()
    },
    async onDatabaseReplaced(replacement) {
      await settleAll(running.map(({ service }) => service.onDatabaseReplaced(replacement)))
    },
    // In reverse: edge functions and sockets, which call the others, end first.
    close: () => closeAll(running.toReversed().map(({ name, service }) => ({ name, close: () => service.close() }))),
  }
}
