import { setTimeout as sleep } from 'node:timers/promises'
import type { TestCluster } from './cluster.ts'

/** A fault of a node, a connection between nodes, or the database. */
export type Fault = 'kill' | 'pause' | 'replace' | 'partition' | 'store' | 'bus' | 'pooler' | 'promote'

type Course = {
  /** The maximum duration of a partition in milliseconds. */
  readonly longest: number
  /** The fault; chosen by `random` if missing. */
  readonly kind?: Fault | undefined
  /** Called when a database server is killed. */
  readonly kills: number[]
}

const faultsOf = ({ options: { bus, replica, pgbouncer } }: TestCluster): Fault[] => [
  ...(['kill', 'pause', 'replace', 'partition', 'store'] as const),
  ...(bus === 'nats' ? (['bus'] as const) : []),
  ...(pgbouncer ? (['pooler'] as const) : []),
  ...(replica ? (['promote'] as const) : []),
]

/** Causes a fault in a cluster and waits until it is over.
 *  @param random Chooses the fault, the node and the duration.
 *  @returns a description */
export async function playFault(
  cluster: TestCluster,
  random: () => number,
  { longest, kills, ...course }: Course,
): Promise<Fault> {
  const faults = faultsOf(cluster)
  const kind = course.kind ?? faults[Math.floor(random() * faults.length)] ?? 'kill'
  // The first node stays up, so one socket must receive everything.
  const index = 1 + Math.floor(random() * (cluster.nodes.length - 1))
  const share = random()
  const node = cluster.nodes[index]
  if (!node) throw new Error('Faults need at least two nodes')
  if (kind === 'promote') await cluster.promote(() => kills.push(Date.now()))
  else if (kind === 'bus' || kind === 'pooler') await cluster.interrupt(kind, 500 + 1_500 * share)
  else if (kind === 'partition' || kind === 'store')
    await cluster.partition(index, kind === 'store' ? 'store' : 'everything', 1_000 + (longest - 1_000) * share)
  else if (kind === 'pause') {
    node.process.kill('SIGSTOP')
    await sleep(1_000 + 6_000 * share)
    node.process.kill('SIGCONT')
  } else {
    await node.end(kind === 'kill' ? 'SIGKILL' : 'SIGTERM')
    await cluster.restart(index)
  }
  return kind
}
