import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bootstrapSnapshot } from '../database/bootstrap.ts'
import type { Db } from '../database/db.ts'
import { type EmbeddedEngine, openEngine } from '../database/engine/engine.ts'
import { createDb } from '../database/engine-db.ts'
import { runScript } from '../database/script.ts'
import { startCluster } from '../database/server/cluster.ts'
import { openDatabases } from '../database/server/databases.ts'
import { BASE, baseCluster, unpackCluster } from '../database/server/native-cluster.ts'
import { openServerEngine } from '../database/server/server-engine.ts'
import type { Engine } from '../database/session.ts'
import { openSnapshotStore, userCacheFolder } from '../database/snapshots.ts'

export type TestDatabase = { readonly db: Db; readonly engine: Engine; close(): Promise<void> }

/** What nothing above `database/` may notice: `UNDOCK_TEST_ENGINE=native` runs the same tests on a server. */
export const isNative = process.env.UNDOCK_TEST_ENGINE === 'native'

/** A bootstrapped database of its own for each caller.
 *  @param script Runs once before the database is handed over. */
export async function openTestDatabase(script = ''): Promise<TestDatabase> {
  const database = isNative ? await openNative() : await openEmbeddedTestDatabase()
  if (script) await database.db.exec(script)
  return database
}

/** The same on the embedded engine, for tests of what it alone does. */
export async function openEmbeddedTestDatabase(script = ''): Promise<TestDatabase & { engine: EmbeddedEngine }> {
  const { path } = await bootstrapSnapshot(openSnapshotStore(userCacheFolder(process.env), 3))
  const engine = await openEngine({ folder: null, snapshot: path, isBrief: true, ...LIMITS })
  const db = createDb(engine)
  // As migrations run: without a limit.
  if (script) await engine.administer((session) => runScript(session, script))
  return { db, engine, close: () => engine.close() }
}

const LIMITS = { statementLimit: 30_000, waitLimit: 10_000 }

async function openNative(): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'undock-test-native-'))
  const data = join(folder, 'data')
  await unpackCluster(await baseCluster(userCacheFolder(process.env), () => undefined), data)
  const cluster = await startCluster({
    folder: data,
    host: '127.0.0.1',
    port: 0,
    durable: false,
    settings: {},
    log: () => undefined,
  })
  const databases = await openDatabases(`${cluster.address}/template1`)
  await databases.rename(BASE, 'postgres')
  await databases.close()
  const engine = await openServerEngine({ url: `${cluster.address}/postgres`, ...LIMITS })
  return {
    db: createDb(engine),
    engine,
    async close() {
      await engine.close()
      await cluster.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
