import { rm } from 'node:fs/promises'
import type { Db } from '../database/db.ts'
import { createDb } from '../database/engine-db.ts'
import { bootstrapSnapshot } from '../database/pglite/bootstrap-snapshot.ts'
import { type EmbeddedEngine, openEngine } from '../database/pglite/engine.ts'
import { startCluster } from '../database/postgres/cluster.ts'
import { openDatabases } from '../database/postgres/databases.ts'
import { makeEphemeralFolder } from '../database/postgres/ephemeral-folder.ts'
import { provideInstallation } from '../database/postgres/installation.ts'
import { DEFAULT_MAJOR, majorFor } from '../database/postgres/majors.ts'
import { BASE_DATABASE, baseCluster, copyCluster } from '../database/postgres/native-cluster.ts'
import { openServerEngine } from '../database/postgres/server-engine.ts'
import { runScript } from '../database/protocol/run-script.ts'
import type { Engine } from '../database/session.ts'
import { openSnapshotStore } from '../database/snapshot-store.ts'
import { userCacheFolder } from '../platform/cache-folder.ts'

export type TestDatabase = { readonly db: Db; readonly engine: Engine; close(): Promise<void> }
/** @property url For clients of the database port. @property ownUrl For the stack itself, in another process. */
export type NativeTestDatabase = TestDatabase & { readonly url: string; readonly ownUrl: string }
export type EmbeddedTestDatabase = TestDatabase & { readonly engine: EmbeddedEngine }

/** What nothing above `database/` may notice: `UNDOCK_TEST_ENGINE=native` runs the same tests on a server. */
export const isNative = process.env.UNDOCK_TEST_ENGINE === 'native'

/** The major version of the server; 17 unless `UNDOCK_TEST_MAJOR` names another. */
export const nativeMajor = majorFor(Number(process.env.UNDOCK_TEST_MAJOR ?? DEFAULT_MAJOR))

/** A bootstrapped database of its own for each caller.
 *  @param script Runs once before the database is handed over. */
export async function openTestDatabase(script = ''): Promise<TestDatabase> {
  const database = isNative ? await openNativeTestDatabase() : await openEmbeddedTestDatabase()
  if (script) await database.db.exec(script)
  return database
}

/** The same on the embedded engine, for tests of what it alone does. */
export async function openEmbeddedTestDatabase(script = ''): Promise<EmbeddedTestDatabase> {
  const { path } = await bootstrapSnapshot(openSnapshotStore(userCacheFolder(process.env), 3))
  const engine = await openEngine({ folder: null, snapshot: path, isShortLived: true, ...LIMITS })
  const db = createDb(engine)
  // As migrations run: without a limit.
  if (script) await engine.withProjectSession((session) => runScript(session, script))
  return { db, engine, close: () => engine.close() }
}

const LIMITS = { statementLimit: 30_000, waitLimit: 10_000 }

/** The same on the native engine, for tests of what it alone does. */
export async function openNativeTestDatabase(): Promise<NativeTestDatabase> {
  const folder = await makeEphemeralFolder()
  await provideInstallation(nativeMajor, () => undefined)
  await copyCluster(await baseCluster(userCacheFolder(process.env), nativeMajor, () => undefined), folder)
  const cluster = await startCluster({
    major: nativeMajor,
    folder,
    host: '127.0.0.1',
    port: 0,
    isDurable: false,
    settings: {},
    log: () => undefined,
  })
  const databases = await openDatabases(`${cluster.address}/template1`)
  await databases.rename(BASE_DATABASE, 'postgres')
  await databases.close()
  const urlAs = cluster.addressAs && ((user: string) => `${cluster.addressAs?.(user)}/postgres`)
  const engine = await openServerEngine({ url: `${cluster.address}/postgres`, urlAs, ...LIMITS })
  return {
    db: createDb(engine),
    engine,
    url: `${cluster.publicAddress}/postgres`,
    ownUrl: `${cluster.address}/postgres`,
    async close() {
      await engine.close()
      await cluster.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
