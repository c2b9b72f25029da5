import { setTimeout as sleep } from 'node:timers/promises'
import { hasNats, startNatsServer } from '../../src/testing/nats-server.ts'
import { type NetworkLink, openLink } from '../../src/testing/network-link.ts'
import { startS3Store } from '../../src/testing/s3-store.ts'
import { type Balancer, startBalancer } from '../support/balancer.ts'
import { hasHaproxy, startHaproxy, startPrimaryAddress } from '../support/haproxy.ts'
import { makeServedProject, type ServedNode, type ServedProject, storeVariables } from '../support/nodes.ts'
import { hasPgBouncer, startPgBouncer } from '../support/pgbouncer.ts'
import { type PlainServer, startPlainServer } from '../support/plain-server.ts'
import { freePort } from '../support/project.ts'
import { endRunning } from '../support/undock.ts'

export type ClusterOptions = {
  readonly nodes: number
  readonly bus: 'postgres' | 'nats'
  /** Whether commits wait for a replica that takes over when the server is killed; without a replica, nothing takes over. */
  readonly replica?: 'sync' | 'async' | undefined
  /** Uses HAProxy instead of the tests' balancer, also in front of the database. */
  readonly haproxy?: boolean
  /** Uses PgBouncer between nodes and database. */
  readonly pgbouncer?: boolean
  /** Contents by their path in `supabase/`. */
  readonly files: Readonly<Record<string, string>>
}

/** A backend of several nodes on this machine with the components of a real deployment. */
export type TestCluster = {
  readonly options: ClusterOptions
  readonly served: ServedProject
  readonly balancer: Pick<Balancer, 'url'>
  /** The running nodes; `restart` replaces a killed one. */
  readonly nodes: ServedNode[]
  /** The administrator's URL of the current database server. */
  readonly databaseUrl: string
  /** Replaces a node at the same address. */
  restart(index: number): Promise<void>
  /** Cuts a node off from the store, or from everything it uses, for some milliseconds; clients still reach it. */
  partition(index: number, from: 'store' | 'everything', duration: number): Promise<void>
  /** Stops the bus or the pooler and restarts it after some milliseconds. */
  interrupt(part: 'bus' | 'pooler', duration: number): Promise<void>
  /** Later commits don't reach the replica. */
  isolateReplica(): void
  /** Kills the database's server, promotes its replica, and creates another replica.
   *  @param onKill Called right before. */
  promote(onKill: () => void): Promise<void>
  close(): Promise<void>
}

const NEEDED: readonly (readonly [keyof ClusterOptions, boolean, string])[] = [
  ['haproxy', hasHaproxy, 'haproxy'],
  ['pgbouncer', hasPgBouncer, 'pgbouncer'],
]

/** The options this machine supports. @param tell Called for each missing program. */
export function availableOptions(options: ClusterOptions, tell: (missing: string) => void): ClusterOptions {
  const missing = NEEDED.filter(([name, isThere]) => options[name] === true && !isThere)
  for (const [, , program] of missing) tell(`There is no ${program} on this machine, so it is left out`)
  return { ...options, ...Object.fromEntries(missing.map(([name]) => [name, false])) }
}

export async function startCluster(options: ClusterOptions): Promise<TestCluster> {
  const { nodes: count, files } = options
  if (options.bus === 'nats' && !hasNats)
    throw new Error('There is no nats-server on this machine (Debian: nats-server).')
  const database = await startDatabase(options)
  const store = await startS3Store()
  const storeUrl = store.files.endpoint ?? ''
  const nats = options.bus === 'nats' ? await startNatsServer() : null
  const links: NetworkLink[] = []
  const link = async (target: () => number): Promise<NetworkLink> => {
    const opened = await openLink(target)
    links.push(opened)
    return opened
  }
  const databaseUrl = at(database.url, (await link(database.port)).port)
  const pooler = options.pgbouncer ? await startPgBouncer(databaseUrl) : null
  const served = await makeServedProject(files, {
    ...storeVariables(store),
    UNDOCK_DATABASE_URL: databaseUrl,
    ...(pooler && { UNDOCK_SERVE_POOLER_URL: at(databaseUrl, pooler.port) }),
    UNDOCK_SERVE_DRAIN_DELAY: options.haproxy ? '3' : '1',
    UNDOCK_SERVE_TRUSTED_PROXIES: '127.0.0.0/8',
    UNDOCK_SERVE_BUS: nats?.url ?? 'postgres',
  })
  const { code, stderr } = await served.command(['--migrate'])
  if (code !== 0) throw new Error(stderr)

  const places = await Promise.all(
    Array.from({ length: count }, async () => {
      const toDatabase = await link(database.port)
      const toPooler = pooler && (await link(() => pooler.port))
      const toBus = nats && (await link(() => nats.port))
      const toStore = await link(() => Number(new URL(storeUrl).port))
      const variables: Record<string, string> = {
        UNDOCK_DATABASE_URL: at(databaseUrl, toDatabase.port),
        ...(toPooler && { UNDOCK_SERVE_POOLER_URL: at(databaseUrl, toPooler.port) }),
        ...(toBus && nats && { UNDOCK_SERVE_BUS: at(nats.url, toBus.port) }),
        UNDOCK_SERVE_S3_ENDPOINT: at(storeUrl, toStore.port),
        UNDOCK_SERVE_PORT: String(await freePort()),
        UNDOCK_SERVE_ADMIN_PORT: String(await freePort()),
      }
      const everything = [toDatabase, toPooler, toBus, toStore].filter((one) => one !== null)
      return { variables, links: { everything, store: [toStore] } }
    }),
  )
  const nodes = await Promise.all(places.map(({ variables }) => served.start(variables)))
  const balancer = options.haproxy ? await startHaproxy(nodes) : await startBalancer(nodes)
  const parts = { bus: nats, pooler }
  return {
    options,
    served,
    balancer,
    nodes,
    databaseUrl,
    async restart(index) {
      nodes[index] = await served.start(places[index]?.variables)
    },
    async partition(index, from, duration) {
      const cut = places[index]?.links[from] ?? []
      for (const one of cut) one.cut()
      await sleep(duration)
      for (const one of cut) one.mend()
    },
    async interrupt(part, duration) {
      await parts[part]?.stop()
      await sleep(duration)
      await parts[part]?.start()
    },
    isolateReplica: database.isolateReplica,
    promote: database.promote,
    async close() {
      await balancer.close()
      await endRunning()
      await pooler?.close()
      await Promise.all(links.map((one) => one.close()))
      await nats?.stop()
      await store.close()
      await database.close()
      await served.remove()
    },
  }
}

const at = (url: string, port: number): string => Object.assign(new URL(url), { port: String(port) }).href

/** Milliseconds during which the address leads to a replica that isn't writable yet. */
export const PROMOTION = 500

/** A server with a replica, and the primary's address. */
async function startDatabase({ replica, haproxy }: ClusterOptions) {
  let primary = await startPlainServer()
  const [first, second] = [primary.port, await freePort()] as const
  const replication = await openLink(() => primary.port)
  let standby: PlainServer | null = null
  const follow = async (port: number): Promise<void> => {
    standby = await primary.follow(port, replication.port)
    if (replica === 'sync') await primary.waitForReplica()
  }
  if (replica) await follow(second)
  const { url } = primary
  const address = replica && haproxy ? await startPrimaryAddress([first, second], (port) => at(url, port)) : null
  return {
    url,
    port: () => address?.port ?? primary.port,
    isolateReplica: replication.cut,
    async promote(onKill: () => void) {
      if (!standby) throw new Error('There is no replica')
      const { port } = primary
      onKill()
      await primary.kill()
      primary = standby
      standby = null
      await sleep(PROMOTION)
      await primary.promote()
      replication.mend()
      await follow(port)
    },
    async close() {
      await address?.close()
      await standby?.close()
      await primary.close()
      await replication.close()
    },
  }
}
