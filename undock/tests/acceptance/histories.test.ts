import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDb } from '../../src/database/engine-db.ts'
import { openServerEngine } from '../../src/database/postgres/server-engine.ts'
import { ChangeQueue, ReplacedServerError } from '../../src/realtime/changes/change-queue.ts'
import { startCluster, type TestCluster } from '../cluster/cluster.ts'
import { HISTORY_PROJECT, playHistory } from '../cluster/history.ts'

let cluster: TestCluster
beforeAll(async () => {
  cluster = await startCluster({ nodes: 2, bus: 'postgres', replica: 'sync', files: HISTORY_PROJECT })
})
afterAll(() => cluster?.close())

/** Ten seconds, ten more to deliver everything, and the time to replace a node. */
const LIMIT = 120_000

/** Longer histories on three nodes and each bus run at night. */
test(
  'clients and faults on two nodes: no acknowledged write is lost or repeated',
  async () => {
    const { counts, violations } = await playHistory(cluster, { seed: 7, seconds: 10, first: 'promote' })
    expect(violations).toEqual([])
    for (const kind of ['rows', 'files', 'codes', 'refreshed', 'webhooks', 'promote'])
      expect([kind, counts[kind] ?? 0]).not.toEqual([kind, 0])
  },
  LIMIT,
)

test(
  'skips no change when a promoted replica reuses the ids of lost transactions',
  async () => {
    const engine = await openServerEngine({ url: cluster.databaseUrl, statementLimit: 30_000, waitLimit: 30_000 })
    const db = createDb(engine)
    const add = async (...ids: readonly number[]): Promise<void> => {
      // Commits without waiting for the replica.
      for (const id of ids)
        await db.exec(`
          begin; set local synchronous_commit = local;
          insert into _realtime.changes (xid, entity, action, happened_at, record)
          values (pg_current_xact_id(), 'public.entries'::regclass, 'INSERT', clock_timestamp(), '{"n": ${id}}');
          commit`)
    }
    const queue = new ChangeQueue(db, { node: '00000000-0000-4000-8000-0000000000aa', isAlone: false })
    const read = async (): Promise<unknown[]> => {
      const { taken } = await queue.take(1_000)
      return taken.flatMap((one) => ('record' in one && one.record?.n ? [Number(one.record.n)] : []))
    }
    await queue.join()
    await add(1, 2)
    expect(await read()).toEqual([1, 2])
    cluster.isolateReplica()
    await add(...Array.from({ length: 50 }, (_, index) => 100 + index))
    expect(await read()).toHaveLength(50)
    await cluster.promote(() => undefined)
    // More transactions than were lost.
    const after = Array.from({ length: 100 }, (_, index) => 200 + index)
    await add(...after)
    await expect(read()).rejects.toThrow(ReplacedServerError)
    await queue.goBack()
    expect(await read()).toEqual(after)
    await queue.leave()
    await engine.close()
  },
  LIMIT,
)
