import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { publicHost } from '../../config/public-host.ts'
import { createDb } from '../engine-db.ts'
import { bootstrapSnapshot } from '../pglite/bootstrap-snapshot.ts'
import { openEngine } from '../pglite/engine.ts'
import { connectInProcess } from '../pglite/in-process.ts'
import { providePglite } from '../pglite/packages.ts'
import { ProtocolError } from '../pooler/encryption.ts'
import { startPooler } from '../pooler/pooler.ts'
import { openSnapshotStore, tar } from '../snapshot-store.ts'
import { bringUpToDate, copyKeptData, dataMark, folderOf } from './kept-data.ts'
import { hashOf, readContent } from './project-content.ts'
import {
  DATABASE_PASSWORD,
  KeptDataError,
  type OpenedDatabase,
  type ProjectDatabaseOptions,
} from './project-database.ts'

/** Tells Postgres clients why they aren't served while PGlite runs. */
const REFUSAL = new ProtocolError(
  'PGlite, which runs this database as a single session within undock, has no database port',
  '0A000',
  'The native PostgreSQL has one: `undock doctor` says why it does not run this project.',
)

const SNAPSHOTS_KEPT = 3
const SUFFIX = '.pglite.tar'

/** Opens a project's database in PGlite: existing data, or a snapshot of migrations and seed, built if missing.
 *  @throws {ScriptError | KeptDataError | FetchError} */
export async function openEmbeddedProject(options: ProjectDatabaseOptions): Promise<OpenedDatabase> {
  const { dataFolder } = options
  await providePglite(() => options.tell({ kind: 'fetching-pglite' }))
  if (dataFolder && existsSync(join(dataFolder, dataMark))) {
    const engine = await open(options, dataFolder, null).catch((cause: unknown) => {
      throw new KeptDataError(dataFolder, cause)
    })
    await markComplete(dataFolder)
    await bringUpToDate(engine, options.tell)
    return serve(options, engine, 'kept')
  }
  const { path, origin } = await prepare(options)
  if (dataFolder) await rm(dataFolder, { recursive: true, force: true })
  const engine = await open(options, dataFolder, path)
  await markComplete(dataFolder)
  return serve(options, engine, origin)
}

type EmbeddedEngine = Awaited<ReturnType<typeof openEngine>>

async function serve(
  options: ProjectDatabaseOptions,
  engine: EmbeddedEngine,
  origin: OpenedDatabase['origin'],
): Promise<OpenedDatabase> {
  const { dataFolder } = options
  const db = createDb(engine)
  let snapshots = 0
  const replace = async (path: string): Promise<void> => {
    await engine.replace(path)
    await markComplete(dataFolder)
  }
  async function dump(): Promise<string> {
    const path = join(options.ephemeralFolder, `snapshot-${++snapshots}.tar`)
    await mkdir(options.ephemeralFolder, { recursive: true })
    await engine.dump(path)
    return path
  }
  async function copyTo(to: string): Promise<void> {
    const path = await dump()
    if (dataFolder) await copyKeptData(dataFolder, to, 'pglite')
    const folder = folderOf(to, 'pglite')
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await tar('-xf', path, '-C', folder)
    await rm(path)
    await markComplete(folder)
  }
  try {
    const { host, certificate, log } = options
    const targetOf = () => Promise.reject(REFUSAL)
    const maxClients = Number.POSITIVE_INFINITY
    const closed = await options.claimPort((port) =>
      startPooler({ host, port, targetOf, maxClients, certificate, log }),
    )
    return {
      origin,
      db,
      engine: 'pglite',
      url: `postgresql://postgres:${DATABASE_PASSWORD}@${publicHost(host)}:${closed.port}/postgres`,
      connect: (user) => connectInProcess(engine, user),
      onReopened: engine.onReopened,
      memory: engine.memory,
      async reset(part) {
        const { path } = await prepare({ ...options, ...(part && { part }) })
        await replace(path)
      },
      migrate: async () => (await readContent({ ...options, part: { seed: false } })).migrate(engine),
      async snapshot() {
        const path = await dump()
        return { restore: () => replace(path), discard: () => rm(path, { force: true }) }
      },
      copyTo,
      async close() {
        await closed.close()
        await engine.close()
      },
    }
  } catch (error) {
    await engine.close()
    throw error
  }
}

/** Marks a completely unpacked cluster. Without the mark, as after a crash, the folder is made again. */
async function markComplete(dataFolder: string | null): Promise<void> {
  if (dataFolder) await writeFile(join(dataFolder, dataMark), '')
}

/** Returns the snapshot that the project's cluster starts from, built if missing. */
async function prepare(options: ProjectDatabaseOptions): Promise<{ path: string; origin: 'snapshot' | 'migrated' }> {
  const snapshots = openSnapshotStore(options.snapshotFolder, SUFFIX, SNAPSHOTS_KEPT)
  const base = openSnapshotStore(options.cacheFolder, SUFFIX, SNAPSHOTS_KEPT)
  const [content, bootstrap] = await Promise.all([
    readContent(options),
    bootstrapSnapshot(base, () => options.tell({ kind: 'bootstrap' })),
  ])
  const key = hashOf([bootstrap.key, content.key])
  const prepared = await snapshots.find(key)
  if (prepared) return { path: prepared, origin: 'snapshot' }

  // Built in memory, so that a failing migration leaves no partial folder behind.
  const builder = await open(options, null, bootstrap.path)
  try {
    await content.apply(builder)
    return { path: await snapshots.add(key, (draft) => builder.dump(draft)), origin: 'migrated' }
  } finally {
    await builder.close()
  }
}

async function open(options: ProjectDatabaseOptions, folder: string | null, snapshot: string | null) {
  const { statementLimit, waitLimit } = options
  const { extensions } = await readContent({ ...options, tell: () => undefined })
  const hasPostgis = [...extensions].some((name) => name.startsWith('postgis'))
  return openEngine({ folder, snapshot, hasPostgis, statementLimit, waitLimit })
}
