import { afterAll, beforeAll, expect, test } from 'vitest'
import { startCluster, type TestCluster } from '../cluster/cluster.ts'
import { HISTORY_PROJECT, playHistory } from '../cluster/history.ts'

let cluster: TestCluster
beforeAll(async () => {
  cluster = await startCluster({ nodes: 2, bus: 'postgres', files: HISTORY_PROJECT })
})
afterAll(() => cluster?.close())

/** Ten seconds, ten for everybody to hear of everything, and what a node takes to be replaced. */
const LIMIT = 120_000

/** Longer ones, on three nodes and each bus, are played at night. */
test(
  'clients and faults on two nodes: nothing that was acknowledged is lost, and nothing happens twice',
  async () => {
    const { counts, violations } = await playHistory(cluster, { seed: 7, seconds: 10 })
    expect(violations).toEqual([])
    for (const kind of ['rows', 'files', 'codes', 'refreshed', 'webhooks'])
      expect([kind, counts[kind] ?? 0]).not.toEqual([kind, 0])
  },
  LIMIT,
)
