import { isIPv6 } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSharedBuckets, pruneBuckets } from '../../auth/guards/buckets.ts'
import { openNatsBus } from '../../bus/nats-bus.ts'
import { openPostgresBus, readBusKey } from '../../bus/postgres-bus.ts'
import type { Db } from '../../database/db.ts'
import { createDb } from '../../database/engine-db.ts'
import { startExtensionWorkers } from '../../database/extensions/workers.ts'
import { createGateway } from '../../gateway/gateway.ts'
import { listen } from '../../gateway/server.ts'
import { createIdentity } from '../../identity/create-identity.ts'
import type { Bus } from '../../kernel/bus.ts'
import { refuseUpgrade } from '../../kernel/handshake.ts'
import { type Log, systemClock, type UpgradeHandler } from '../../kernel/service.ts'
import { settleAll } from '../../kernel/settle-all.ts'
import { NO_TRACER } from '../../kernel/tracer.ts'
import { openFiles } from '../../storage/files/open-files.ts'
import { FilesError } from '../../storage/files/s3-client.ts'
import { type LogLine, openLogFiles } from '../stack/log-files.ts'
import { mailerOf } from '../stack/mail.ts'
import { createStackParts, createStopwatch } from '../stack/parts.ts'
import { disabledServices } from '../stack/service-names.ts'
import { startServices } from '../stack/services.ts'
import { startAdmin } from './admin.ts'
import { clientAddressOf } from './client-address.ts'
import { checkDatabase, openNodeEngine } from './database.ts'
import { createMetrics } from './metrics.ts'
import { NodeError, type NodeSettings, type Problem } from './settings.ts'

/** A running node of a backend. */
export type Node = {
  readonly port: number
  readonly adminPort: number
  /** Ends the node so that no client notices: balancers see that it is not ready, sockets are told to connect elsewhere, requests
   *  are answered. @returns whether all of them were. */
  drain(): Promise<boolean>
  /** Ends it at once. */
  stop(): Promise<void>
}

/** Sessions for counting requests: a transaction of Auth, which holds a session, must not wait for another one of the same pool. */
const COUNTING_SESSIONS = 3
/** Milliseconds that the database may take to answer before a node counts as not ready. */
const READY_LIMIT = 2_000
const PRUNE_INTERVAL = 60 * 60 * 1_000
/** Seconds over which sockets are told to connect elsewhere, so that they do not all come at once. */
const SOCKETS_SPREAD = 5
/** Milliseconds that all services together may take to close. */
const SERVICES_CLOSE_LIMIT = 10_000

/** What keeps a node from serving: nothing of it is changed, but a file is written to the store and removed.
 *  @throws {UnreachableServerError} */
export const checkNode = async (node: NodeSettings): Promise<Problem[]> => [
  ...(await checkDatabase(node)),
  ...(await checkFiles(node)),
]

async function checkFiles({ config, files }: NodeSettings): Promise<Problem[]> {
  if (!config.storage.enabled) return []
  try {
    const opened = await openFiles(files, { log: { info: () => undefined } })
    opened.close()
    return []
  } catch (error) {
    if (!(error instanceof FilesError)) throw error
    return [{ what: error.message, remedy: 'The variables of the store begin with UNDOCK_SERVE_S3_.' }]
  }
}

/** Starts a node on a database that is prepared. It keeps nothing that another node would need.
 *  @param show Gets each line of the log.
 *  @throws {NodeError | UnreachableServerError} with what to do about it. */
export async function startNode(node: NodeSettings, show: (line: LogLine) => void): Promise<Node> {
  const problems = await checkNode(node)
  if (problems.length > 0) throw new NodeError(problems)
  const { config, settings, env, supabaseFolder, databaseUrl } = node
  const { serve, limits, host } = settings
  const clock = systemClock
  const logs = openLogFiles(null, show)
  const metrics = createMetrics()
  const parts = createStackParts()
  const off = new Set([...disabledServices(config), 'pg', 'mcp', 'mail'] as const)
  let draining = false
  try {
    const listener = parts.addListener(
      'the listener',
      await listen(host, serve.port, { addressOf: clientAddressOf(node.trustedProxies) }).catch(
        refuseTakenPort(serve.port, 'UNDOCK_SERVE_PORT'),
      ),
    )
    const engine = parts.add('the database', await openNodeEngine(node))
    const counting = parts.add('the limits', await openNodeEngine(node, COUNTING_SESSIONS))
    const db = createDb(engine)
    const countingDb = createDb(counting)
    const bus = parts.add('the bus', await openBus(serve.bus, db, logs.logOf('realtime')))
    const services = parts.add(
      'the services',
      await startServices({
        db,
        identity: await createIdentity({ config: config.auth, clock }),
        config,
        clock,
        logs,
        mailer: await mailerOf(config, null),
        buckets: createSharedBuckets(countingDb),
        env,
        dbUrl: databaseUrl,
        // A node's functions call the node itself.
        functionsApiUrl: `http://${ownHost(host)}:${listener.port}`,
        files: node.files,
        s3Credentials: node.s3Credentials,
        functionsFolder: join(supabaseFolder, 'functions'),
        isOff: (name) => off.has(name),
        privateOnly: settings.realtime.private_only,
        bus,
        // Its keys are secrets, so a page that has one was given it.
        isForeign: () => false,
        limits,
        onFunctionCall: undefined,
        onFetchingDeno: () => undefined,
        tracer: NO_TRACER,
        stopwatch: createStopwatch(),
      }),
      SERVICES_CLOSE_LIMIT,
    )
    const background = parts.add(
      'the background jobs',
      await startExtensionWorkers({ db, clock, log: logs.logOf('database'), route: (url) => url, isShared: true }),
    )
    engine.onReopened(async () => {
      await settleAll([services.onDatabaseReplaced('reopened'), background.onDatabaseReplaced('reopened')])
    })
    const pruning = setInterval(() => {
      pruneBuckets(countingDb, clock.now()).catch((error: unknown) =>
        logs.logOf('auth').error('Old limits could not be removed', error),
      )
    }, PRUNE_INTERVAL)
    parts.add('the cleanup', { close: async () => clearInterval(pruning) })
    const admin = parts.add(
      'health and metrics',
      await startAdmin({
        host,
        port: serve.admin_port,
        metrics,
        unreadiness: async () => (draining ? 'draining' : unreadinessOf(db)),
      }).catch(refuseTakenPort(serve.admin_port, 'UNDOCK_SERVE_ADMIN_PORT')),
    )
    const access = logs.logOf('gateway')
    const gateway = createGateway({
      handlers: services.handlers,
      disabled: off,
      foreignPages: { refuses: () => false, isForeign: () => false },
      record(entry) {
        metrics.countRequest(entry)
        const { method, path, status, duration, service, requestId } = entry
        access.info(`${method} ${path} ${status}`, { service, requestId, ms: Math.round(duration * 10) / 10 })
      },
    })
    listener.attach(gateway, (name) => (draining ? refuseDraining : (services.upgrades.get(name) ?? null)))
    return {
      port: listener.port,
      adminPort: admin.port,
      async drain() {
        draining = true
        await sleep(serve.drain_delay * 1_000)
        const spread = Math.min(SOCKETS_SPREAD, serve.drain_limit)
        const [allAnswered] = await Promise.all([
          listener.drain(serve.drain_limit * 1_000),
          services.realtime?.drain(spread),
        ])
        await parts.stop()
        return allAnswered
      },
      stop: parts.stop,
    }
  } catch (error) {
    await parts.stop().catch(() => undefined)
    throw error
  }
}

/** @param name `postgres`, or the URL of a NATS server. */
async function openBus(name: string, db: Db, log: Log): Promise<Bus> {
  if (name === 'postgres') return openPostgresBus(db, log)
  const key = await readBusKey(db)
  return openNatsBus({ url: name, key, log, onFetching: () => log.info('Fetching the client of NATS') }).catch(
    ({ message }: Error) => {
      throw new NodeError([
        {
          what: `The bus at ${URL.canParse(name) ? new URL(name).host : name} cannot be used: ${message}`,
          remedy: 'Start that NATS server, or correct UNDOCK_SERVE_BUS; "postgres" uses the database itself.',
        },
      ])
    },
  )
}

/** Where this machine reaches a server that listens on an address. */
function ownHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return isIPv6(host) ? `[${host}]` : host
}

const refuseTakenPort = (port: number, variable: string) => (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EADDRINUSE') throw error
  throw new NodeError([{ what: `Port ${port} is in use.`, remedy: `End what uses it, or set ${variable}.` }])
}

const refuseDraining: UpgradeHandler = (_request, socket) => refuseUpgrade(socket, 503)

/** Why the database does not let the node serve; null when it does. */
async function unreadinessOf(db: Db): Promise<string | null> {
  const asked = db.query({ text: 'select 1', values: [] }).then(
    () => null,
    ({ message }: Error) => `the database cannot be asked: ${message}`,
  )
  return Promise.race([asked, sleep(READY_LIMIT, 'the database does not answer', { ref: false })])
}
