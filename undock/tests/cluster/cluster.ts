import { setTimeout as sleep } from 'node:timers/promises'
import { hasNats, startNatsServer } from '../../src/testing/nats-server.ts'
import { startS3Store } from '../../src/testing/s3-store.ts'
import { type Balancer, startBalancer } from '../support/balancer.ts'
import { makeServedProject, type ServedNode, type ServedProject, storeVariables } from '../support/nodes.ts'
import { startPlainServer } from '../support/plain-server.ts'
import { endRunning } from '../support/undock.ts'

export type ClusterOptions = {
  readonly nodes: number
  readonly bus: 'postgres' | 'nats'
  /** Contents by their path below `supabase/`. */
  readonly files: Readonly<Record<string, string>>
}

/** A whole backend of several nodes on this machine, of the components that it would have elsewhere. */
export type TestCluster = {
  readonly served: ServedProject
  readonly balancer: Balancer
  /** Those that run; one that was killed is replaced by `restart`. */
  readonly nodes: ServedNode[]
  /** The database's URL for its administrator. */
  readonly databaseUrl: string
  /** Replaces a node. */
  restart(index: number): Promise<void>
  /** Ends what carries messages, and starts it again after some milliseconds; nothing where that is the database. */
  interruptBus(duration: number): Promise<void>
  close(): Promise<void>
}

export async function startCluster({ nodes: count, bus, files }: ClusterOptions): Promise<TestCluster> {
  if (bus === 'nats' && !hasNats) throw new Error('There is no nats-server on this machine (Debian: nats-server).')
  const server = await startPlainServer()
  const store = await startS3Store()
  const nats = bus === 'nats' ? await startNatsServer() : null
  const served = await makeServedProject(files, {
    ...storeVariables(store),
    UNDOCK_DATABASE_URL: server.url,
    UNDOCK_SERVE_DRAIN_DELAY: '1',
    UNDOCK_SERVE_BUS: nats?.url ?? 'postgres',
  })
  const { code, stderr } = await served.command(['--migrate'])
  if (code !== 0) throw new Error(stderr)
  const nodes = await Promise.all(Array.from({ length: count }, () => served.start()))
  const balancer = await startBalancer(nodes)
  return {
    served,
    balancer,
    nodes,
    databaseUrl: server.url,
    async restart(index) {
      nodes[index] = await served.start()
    },
    async interruptBus(duration) {
      await nats?.stop()
      await sleep(duration)
      await nats?.start()
    },
    async close() {
      await balancer.close()
      await endRunning()
      await nats?.stop()
      await store.close()
      await server.close()
      await served.remove()
    },
  }
}
