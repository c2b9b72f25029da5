import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { publicHost } from '../config/public-host.ts'
import { startAutovacuum } from './autovacuum.ts'
import { bootstrapSnapshot, isOfOtherVersion } from './bootstrap.ts'
import { openEngine } from './engine/engine.ts'
import { createDb } from './engine-db.ts'
import { pendingMigrations } from './migrations/apply.ts'
import { hashOf, migrationsOf, readContent } from './project-content.ts'
import {
  DATABASE_PASSWORD,
  KeptDataError,
  type ProjectDatabase,
  type ProjectDatabaseOptions,
} from './project-database.ts'
import { openSnapshotStore } from './snapshots.ts'
import { startWire } from './wire/listener.ts'

const SNAPSHOTS_KEPT = 3
const COMPLETE = 'undock.complete'

/** A project's database in the embedded engine: what is kept if there is any, else migrations and seed, by way of a
 *  snapshot when the same ones were applied before.
 *  @throws {ScriptError | KeptDataError} */
export async function openEmbeddedProject(options: ProjectDatabaseOptions): Promise<ProjectDatabase> {
  const { dataFolder } = options
  if (dataFolder && existsSync(join(dataFolder, COMPLETE))) {
    const engine = await open(options, dataFolder, null).catch((cause: unknown) => {
      throw new KeptDataError(dataFolder, cause)
    })
    if (await isOfOtherVersion(createDb(engine))) options.tell({ kind: 'other-version' })
    const pending = await pendingMigrations(engine, await migrationsOf(options))
    return serve(options, engine, { origin: 'kept', pending })
  }
  const { path, origin } = await prepare(options)
  if (dataFolder) await rm(dataFolder, { recursive: true, force: true })
  const engine = await open(options, dataFolder, path)
  await markComplete(dataFolder)
  return serve(options, engine, { origin, pending: [] })
}

type EmbeddedEngine = Awaited<ReturnType<typeof openEngine>>

async function serve(
  options: ProjectDatabaseOptions,
  engine: EmbeddedEngine,
  found: Pick<ProjectDatabase, 'origin' | 'pending'>,
): Promise<ProjectDatabase> {
  const db = createDb(engine)
  const autovacuum = startAutovacuum(db, options.log)
  let snapshots = 0
  const replace = async (path: string): Promise<void> => {
    await engine.replace(path)
    await markComplete(options.dataFolder)
  }
  async function close(): Promise<void> {
    await autovacuum.close()
    await engine.close()
  }
  try {
    const wire = await options.claimPort((port) =>
      startWire({ engine, db, port, password: DATABASE_PASSWORD, ...options.wire, log: options.log }),
    )
    return {
      ...found,
      db,
      url: `postgresql://postgres:${DATABASE_PASSWORD}@${publicHost(options.wire.host)}:${wire.port}/postgres`,
      onReopened: engine.onReopened,
      memory: engine.memory,
      async reset() {
        const { path } = await prepare(options)
        await replace(path)
      },
      async snapshot() {
        const path = join(options.passingFolder, `snapshot-${++snapshots}.tar`)
        await mkdir(options.passingFolder, { recursive: true })
        await engine.dump(path)
        return { restore: () => replace(path), discard: () => rm(path, { force: true }) }
      },
      async close() {
        await wire.close()
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Says that the cluster was unpacked whole: an end at any moment leaves a folder that counts or one to make anew. */
async function markComplete(dataFolder: string | null): Promise<void> {
  if (dataFolder) await writeFile(join(dataFolder, COMPLETE), '')
}

/** The project's cluster as it begins, as a snapshot's file: prepared before, or made now. */
async function prepare(options: ProjectDatabaseOptions): Promise<{ path: string; origin: 'snapshot' | 'migrated' }> {
  const snapshots = openSnapshotStore(options.snapshotFolder, SNAPSHOTS_KEPT)
  const base = openSnapshotStore(options.cacheFolder, SNAPSHOTS_KEPT)
  const [content, bootstrap] = await Promise.all([
    readContent(options),
    bootstrapSnapshot(base, () => options.tell({ kind: 'bootstrap' })),
  ])
  const key = hashOf([bootstrap.key, content.key])
  const prepared = await snapshots.find(key)
  if (prepared) return { path: prepared, origin: 'snapshot' }

  // Built in memory, so that a migration that fails leaves no half-made folder behind.
  const builder = await open(options, null, bootstrap.path)
  try {
    await content.apply(builder)
    return { path: await snapshots.add(key, (draft) => builder.dump(draft)), origin: 'migrated' }
  } finally {
    await builder.close()
  }
}

const open = (
  { dataFolder, statementLimit, waitLimit }: ProjectDatabaseOptions,
  folder: string | null,
  snapshot: string | null,
) => openEngine({ folder, snapshot, statementLimit, waitLimit, isBrief: dataFolder === null })
