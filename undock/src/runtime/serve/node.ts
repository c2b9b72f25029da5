import type { IncomingMessage } from 'node:http'
import { type BlockList, isIP, isIPv6 } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSharedBuckets, pruneBuckets } from '../../auth/guards/buckets.ts'
import { openNatsBus } from '../../bus/nats-bus.ts'
import { openPostgresBus, readBusKey } from '../../bus/postgres-bus.ts'
import type { Db } from '../../database/db.ts'
import { createDb } from '../../database/engine-db.ts'
import { createRoute } from '../../database/extensions/net/sender.ts'
import { withReplicaReads } from '../../database/replica-reads.ts'
import { createGateway } from '../../gateway/gateway.ts'
import { listen } from '../../gateway/server.ts'
import { createIdentity } from '../../identity/create-identity.ts'
import type { Bus } from '../../kernel/bus.ts'
import { refuseUpgrade } from '../../kernel/node-http.ts'
import { type Log, systemClock, type UpgradeHandler } from '../../kernel/service.ts'
import { disabledServices } from '../stack/disabled-services.ts'
import { type LogLine, openLogFiles } from '../stack/log-files.ts'
import { mailerOf } from '../stack/mail.ts'
import { createStackParts, createStopwatch } from '../stack/parts.ts'
import { composeServices } from '../stack/services.ts'
import { openNodeTimeline } from '../stack/timeline.ts'
import { createMetrics, type MetricValues, startAdmin } from './admin.ts'
import { checkNode } from './checks.ts'
import { openNodeEngine } from './database.ts'
import { openReplica } from './replica.ts'
import { NodeError, type NodeSettings } from './settings.ts'

const isIn = (list: BlockList, address: string): boolean => {
  const family = isIP(address)
  return family !== 0 && list.check(address, family === 6 ? 'ipv6' : 'ipv4')
}

/** Removes the IPv6 prefix of a mapped IPv4 address. */
const plain = (address: string): string => address.trim().replace(/^::ffff:(?=\d+\.)/i, '')

/** Returns a function for the client's address behind trusted proxies: the last one in `X-Forwarded-For` that isn't a
 *  proxy's. Clients can forge anything before it.
 *  @param onUntrusted Called with the first address that sends the header but isn't a proxy's. */
export function clientAddressOf(
  trustedProxies: BlockList,
  onUntrusted: (peer: string) => void,
): (request: IncomingMessage) => string {
  let isTold = false
  return ({ socket, headersDistinct }) => {
    const hops = (headersDistinct['x-forwarded-for'] ?? []).flatMap((text) => text.split(',')).map(plain)
    let address = plain(socket.remoteAddress ?? '')
    if (!isTold && hops.length > 0 && !isIn(trustedProxies, address)) {
      isTold = true
      onUntrusted(address)
    }
    while (isIn(trustedProxies, address)) {
      const before = hops.pop()
      if (before === undefined || isIP(before) === 0) break
      address = before
    }
    return address
  }
}

/** A running node of a backend. */
export type Node = {
  readonly port: number
  /** Null for a worker, whose primary process answers there. */
  readonly adminPort: number | null
  report(): Promise<{ readonly unreadiness: string | null; readonly metrics: MetricValues }>
  /** Stops the node gracefully: it reports not ready, asks sockets to reconnect elsewhere and finishes its requests.
   *  @returns whether all were answered. */
  drain(): Promise<boolean>
  stop(): Promise<void>
}

/** Separate sessions for counting requests: a transaction of Auth must not wait for another session of its own pool. */
const COUNTING_SESSIONS = 3
/** Milliseconds for the database to answer before a node counts as not ready. */
export const READY_LIMIT = 2_000
const PRUNE_INTERVAL = 60 * 60 * 1_000
/** Seconds over which sockets are asked to reconnect, to spread the load. */
const SOCKETS_SPREAD = 5

/** Starts a node on a prepared database. It stores nothing another node would need.
 *  @param show Gets each log line.
 *  @param worker The number of this process, if several share the node's port.
 *  @throws {NodeError | UnreachableServerError} with what to do about it. */
export async function startNode(
  node: NodeSettings,
  show: (line: LogLine) => void,
  worker: number | null = null,
): Promise<Node> {
  const problems = await checkNode(node)
  if (problems.length > 0) throw new NodeError(problems)
  const { config, settings, env, supabaseFolder, databaseUrl } = node
  const { serve, host } = settings
  const clock = systemClock
  const instance = `${hostname()}:${serve.port}${worker === null ? '' : `/${worker}`}`
  const logs = openLogFiles(null, (line) => show({ ...line, fields: { node: instance, ...line.fields } }))
  const metrics = createMetrics()
  const parts = createStackParts()
  const off = new Set([...disabledServices(config), 'pg', 'mcp', 'mail'] as const)
  let draining = false
  try {
    const listener = parts.addListener(
      'the listener',
      await listen(host, serve.port, {
        addressOf: clientAddressOf(node.trustedProxies, (peer) =>
          logs
            .logOf('gateway')
            .warn(
              `${peer} sends X-Forwarded-For but is not trusted, so limits count it as one client. If it is your load balancer, add it to UNDOCK_SERVE_TRUSTED_PROXIES`,
            ),
        ),
      }).catch(refuseTakenPort(serve.port, 'UNDOCK_SERVE_PORT')),
    )
    const engine = parts.add('the database', await openNodeEngine(node))
    const counting = parts.add('the limits', await openNodeEngine(node, COUNTING_SESSIONS))
    engine.onSilence((since) => {
      logs.logOf('database').warn('The database has not responded for too long: its connections are closed')
      counting.dropSilent(since)
    })
    const db = createDb(engine)
    const countingDb = createDb(counting)
    const ownUrl = `http://${ownHost(host)}:${listener.port}`
    const bus = parts.add('the bus', await openBus(serve.bus, db, logs.logOf('realtime')))
    const replica =
      serve.replica_url && parts.add('the replica', openReplica(node, serve.replica_url, logs.logOf('database')))
    const timeline = await openNodeTimeline({ settings, env }, { logs, parts, instance })
    const identity = await createIdentity({ config: config.auth, clock })
    const services = await composeServices({
      parts,
      timeline,
      database: { onReopened: engine.onReopened, isNew: false },
      // The name that the project's SQL uses for the API next to a containerized database.
      background: { route: createRoute(ownUrl, config.api.port), isShared: true },
      db,
      restDb: replica ? withReplicaReads(db, replica.find, logs.logOf('rest')) : db,
      identity,
      config,
      clock,
      logs,
      mailer: mailerOf(config, null),
      buckets: createSharedBuckets(countingDb),
      env,
      dbUrl: databaseUrl,
      // A node's functions call the node itself.
      functionsApiUrl: ownUrl,
      files: node.files,
      s3Credentials: node.s3Credentials,
      functionsFolder: join(supabaseFolder, 'functions'),
      functionsEndpoint: serve.functions_endpoint,
      off,
      settings,
      bus,
      // A node's keys are secret, so a page with one is trusted.
      isForeign: () => false,
      onFetchingDeno: () => undefined,
      stopwatch: createStopwatch(),
    })
    const pruning = setInterval(() => {
      pruneBuckets(countingDb, clock.now()).catch((error: unknown) =>
        logs.logOf('auth').error("Couldn't remove old limits", error),
      )
    }, PRUNE_INTERVAL)
    parts.add('the cleanup', { close: async () => clearInterval(pruning) })
    const unreadiness = async () => (draining ? 'draining' : unreadinessOf(db))
    const admin =
      worker === null
        ? parts.add(
            'health and metrics',
            await startAdmin({ host, port: serve.admin_port, metrics: metrics.text, unreadiness }).catch(
              refuseTakenPort(serve.admin_port, 'UNDOCK_SERVE_ADMIN_PORT'),
            ),
          )
        : null
    const access = logs.logOf('gateway')
    const gateway = createGateway({
      handlers: timeline
        ? new Map([...services.handlers].map(([name, handle]) => [name, timeline.wrapHandler(name, handle)]))
        : services.handlers,
      disabled: off,
      foreignPages: { refuses: () => false, isForeign: () => false },
      record(entry) {
        metrics.countRequest(entry)
        const { method, path, status, duration, service, requestId, traceId } = entry
        const ms = Math.round(duration * 10) / 10
        access.info(`${method} ${path} ${status}`, { service, requestId, traceId: traceId ?? undefined, ms })
      },
    })
    // Other workers take over a worker's sockets; a load balancer tries another node.
    const upgradeOf = (name: string) => services.upgrades.get(name) ?? null
    listener.attach(gateway, (name) => (draining && worker === null ? refuseDraining : upgradeOf(name)))
    return {
      port: listener.port,
      adminPort: admin?.port ?? null,
      report: async () => ({ unreadiness: await unreadiness(), metrics: await metrics.values() }),
      async drain() {
        draining = true
        listener.retire(worker === null)
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

/** @param name `postgres`, or a NATS URL. */
async function openBus(name: string, db: Db, log: Log): Promise<Bus> {
  if (name === 'postgres') return openPostgresBus(db, log)
  const key = await readBusKey(db)
  return openNatsBus({ url: name, key, log, onFetching: () => log.info('Fetching the NATS client') }).catch(
    ({ message }: Error) => {
      throw new NodeError([
        {
          what: `Couldn't use the bus at ${URL.canParse(name) ? new URL(name).host : name}: ${message}`,
          remedy: 'Start that NATS server, or correct UNDOCK_SERVE_BUS; "postgres" uses the database itself.',
        },
      ])
    },
  )
}

/** The host for reaching a server of this machine by its listen address. */
function ownHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return isIPv6(host) ? `[${host}]` : host
}

export const refuseTakenPort = (port: number, variable: string) => (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EADDRINUSE') throw error
  throw new NodeError([
    { what: `Port ${port} is in use.`, remedy: `Stop the program that uses it, or set ${variable}.` },
  ])
}

const refuseDraining: UpgradeHandler = (_request, socket) => refuseUpgrade(socket, 503)

/** Why the database prevents the node from serving, or null. */
async function unreadinessOf(db: Db): Promise<string | null> {
  const answer = db.query<{ standby: boolean }>({ text: 'select pg_is_in_recovery() as standby', values: [] }).then(
    ({ rows }) => (rows[0]?.standby ? 'the database is a standby' : null),
    ({ message }: Error) => `the database can't be queried: ${message}`,
  )
  return Promise.race([answer, sleep(READY_LIMIT, 'the database is not responding', { ref: false })])
}
