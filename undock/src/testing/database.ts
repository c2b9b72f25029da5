import { rm } from 'node:fs/promises'
import type { Db } from '../database/db.ts'
import { createDb } from '../database/engine-db.ts'
import { startCluster } from '../database/postgres/cluster.ts'
import { openDatabases } from '../database/postgres/databases.ts'
import { provideInstallation } from '../database/postgres/installation.ts'
import { BASE_DATABASE, baseCluster, copyCluster } from '../database/postgres/native-cluster.ts'
import { DEFAULT_MAJOR, majorFor } from '../database/postgres/postgres-package.ts'
import { openServerEngine } from '../database/postgres/server-engine.ts'
import type { Engine } from '../database/session.ts'
import { makeEphemeralFolder, userCacheFolder } from '../platform/folders.ts'

/** A database of its own, with a server of its own. */
export type TestDatabase = TestNode & {
  /** For clients of the database port. */
  readonly url: string
  /** For the stack's own sessions. */
  readonly ownUrl: string
  /** The same database with sessions of its own, as another process has them. */
  openNode(): Promise<TestNode>
}
export type TestNode = { readonly db: Db; readonly engine: Engine; close(): Promise<void> }

/** The major version of the server; 17 unless `UNDOCK_TEST_MAJOR` names another. */
export const testMajor = majorFor(Number(process.env.UNDOCK_TEST_MAJOR ?? DEFAULT_MAJOR))

const LIMITS = { statementLimit: 30_000, waitLimit: 10_000 }

/** A bootstrapped database for each caller. The server is its own, too, because roles belong to the whole server; a copy of the
 *  bootstrapped data directory starts in a fifth of a second.
 *  @param script Runs once before the database is handed over. */
export async function openTestDatabase(script = ''): Promise<TestDatabase> {
  const folder = await makeEphemeralFolder()
  await provideInstallation(testMajor, () => undefined)
  await copyCluster(await baseCluster(userCacheFolder(process.env), testMajor, () => undefined), folder)
  const cluster = await startCluster({
    major: testMajor,
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
  const ownUrl = `${cluster.address}/postgres`
  const openNode = async (): Promise<TestNode> => {
    const node = await openServerEngine({ url: ownUrl, urlAs, ...LIMITS })
    return { db: createDb(node), engine: node, close: () => node.close() }
  }
  const { db, engine } = await openNode()
  if (script) await db.exec(script)
  return {
    db,
    engine,
    ownUrl,
    openNode,
    url: `${cluster.publicAddress}/postgres`,
    async close() {
      await engine.close()
      await cluster.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
