import { bootstrapSnapshot } from '../database/bootstrap.ts'
import type { Db } from '../database/db.ts'
import { type EmbeddedEngine, openEngine } from '../database/engine/engine.ts'
import { createDb } from '../database/engine-db.ts'
import { openSnapshotStore, userCacheFolder } from '../database/snapshots.ts'

export type TestDatabase = { readonly db: Db; readonly engine: EmbeddedEngine; close(): Promise<void> }

/** A bootstrapped database in memory, of its own for each caller.
 *  @param script Runs once before the database is handed over. */
export async function openTestDatabase(script = ''): Promise<TestDatabase> {
  const { path } = await bootstrapSnapshot(openSnapshotStore(userCacheFolder(process.env), 3))
  const engine = await openEngine({ folder: null, snapshot: path, statementLimit: 30_000, waitLimit: 10_000 })
  const db = createDb(engine)
  if (script) await db.exec(script)
  return { db, engine, close: () => engine.close() }
}
