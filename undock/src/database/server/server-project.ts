import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isOfOtherVersion, projectKey } from '../bootstrap.ts'
import { createDb } from '../engine-db.ts'
import { pendingMigrations } from '../migrations/apply.ts'
import { nativeFolder } from '../native-folder.ts'
import { hashOf, migrationsOf, type ProjectContent, readContent } from '../project-content.ts'
import {
  KeptDataError,
  type ProjectDatabase,
  type ProjectDatabaseOptions,
  UnreachableServerError,
} from '../project-database.ts'
import { bootstrapServer } from './bootstrap-server.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { openDatabases } from './databases.ts'
import { baseCluster, FOR_BUILDING, openClusterStore, unpackCluster } from './native-cluster.ts'
import { openServerEngine } from './server-engine.ts'
import { createSwitch, type Switch } from './switch.ts'

const COMPLETE = 'undock.complete'
const DATABASE = 'postgres'

/** A project's database on a Postgres server.
 *  @throws {ScriptError | KeptDataError | ClusterError | UnreachableServerError} */
export function openServerProject(options: ProjectDatabaseOptions): Promise<ProjectDatabase> {
  return typeof options.engine === 'object' ? openByUrl(options, options.engine.url) : openNative(options)
}

/** The server that comes along, with a data directory of its own. */
async function openNative(options: ProjectDatabaseOptions): Promise<ProjectDatabase> {
  const { dataFolder } = options
  const folder = dataFolder ? nativeFolder(dataFolder) : join(options.passingFolder, 'database')
  const complete = join(folder, COMPLETE)
  const isKept = existsSync(complete)
  const origin = isKept ? 'kept' : await unpackProject(options, folder)
  const cluster = await start(options, folder).catch((cause: unknown) => {
    throw isKept ? new KeptDataError(folder, cause) : cause
  })
  const urlOf = (database: string): string => `${cluster.address}/${database}`
  const publicUrl = `${cluster.publicAddress}/${DATABASE}`
  try {
    const project = await openOn(options, {
      urlOf,
      publicUrl,
      maintenance: 'template1',
      database: DATABASE,
      owned: true,
    })
    if (isKept && (await isOfOtherVersion(project.db))) options.tell({ kind: 'other-version' })
    await writeFile(complete, '')
    return {
      ...project,
      origin,
      pending: isKept ? project.pending : [],
      async close() {
        await project.close()
        await cluster.close()
      },
    }
  } catch (error) {
    await cluster.close()
    throw error
  }
}

const start = (
  { claimPort, wire, dataFolder, config, log }: ProjectDatabaseOptions,
  folder: string,
): Promise<Cluster> =>
  claimPort((port) =>
    startCluster({
      folder,
      host: wire.host,
      port,
      durable: dataFolder !== null,
      settings: Object.fromEntries(
        Object.entries(config.db.settings).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, String(value)]],
        ),
      ),
      log: (line) => log.info(line),
    }),
  )

/** A database that somebody else keeps. It is prepared where it stands; only a reset puts another in its place. */
async function openByUrl(options: ProjectDatabaseOptions, url: string): Promise<ProjectDatabase> {
  const database = decodeURIComponent(new URL(url).pathname.slice(1)) || DATABASE
  const urlOf = (name: string): string => Object.assign(new URL(url), { pathname: `/${encodeURIComponent(name)}` }).href
  const maintenance = database === DATABASE ? 'template1' : DATABASE
  const engine = await openServerEngine({ ...options, url }).catch((cause: unknown) => {
    throw new UnreachableServerError(url, cause)
  })
  let isKept = true
  try {
    isKept = await hasHistory(engine)
    for (const what of await bootstrapServer(engine)) options.tell({ kind: 'omitted', what })
    if (!isKept) await (await readContent(options)).apply(engine)
  } finally {
    await engine.close()
  }
  const project = await openOn(options, {
    urlOf,
    publicUrl: url,
    maintenance,
    database,
    owned: false,
  })
  return isKept ? project : { ...project, origin: 'migrated' }
}

const hasHistory = (engine: Awaited<ReturnType<typeof openServerEngine>>): Promise<boolean> =>
  createDb(engine)
    .query({ text: `select to_regclass('supabase_migrations.schema_migrations') is not null as there`, values: [] })
    .then(({ rows }) => rows[0]?.there === true)

type Place = {
  urlOf(database: string): string
  /** For clients. */
  readonly publicUrl: string
  /** A database to stand in while others are made. */
  readonly maintenance: string
  readonly database: string
  readonly owned: boolean
}

async function openOn(options: ProjectDatabaseOptions, place: Place): Promise<ProjectDatabase> {
  const change = switchOf(options, place)
  if (place.owned) await change.repair()
  const { statementLimit, waitLimit } = options
  const engine = await openServerEngine({ url: place.urlOf(place.database), statementLimit, waitLimit })
  return {
    db: createDb(engine),
    url: place.publicUrl,
    origin: 'kept',
    pending: await pendingMigrations(engine, await migrationsOf(options)),
    onReopened: engine.onReopened,
    memory: async () => null,
    async reset() {
      await change.toContent(await readContent(options), engine.replace)
    },
    snapshot: () => change.snapshot(engine.replace),
    async close() {
      await engine.close()
      await change.close()
    },
  }
}

function switchOf({ waitLimit }: ProjectDatabaseOptions, place: Place): Switch {
  const { urlOf, database, owned, maintenance } = place
  const prefix = owned ? 'undock_' : `undock_${database}_`
  return createSwitch({ connect: () => openDatabases(urlOf(maintenance)), database, prefix, owned, urlOf, waitLimit })
}

/** The data directory that a project begins with: a copy of the one that its files made before, or make now.
 *  @throws {ScriptError} */
async function unpackProject(options: ProjectDatabaseOptions, folder: string): Promise<'snapshot' | 'migrated'> {
  const content = await readContent(options)
  const base = await baseCluster(options.cacheFolder, () => options.tell({ kind: 'bootstrap' }))
  const store = openClusterStore(options.snapshotFolder)
  const key = hashOf([projectKey(), content.key])
  const known = store.find(key)
  const kept = known ?? (await store.add(key, (work) => buildProject(options, content, base, work)))
  await unpackCluster(kept, folder)
  return known ? 'snapshot' : 'migrated'
}

async function buildProject(
  options: ProjectDatabaseOptions,
  content: ProjectContent,
  base: string,
  folder: string,
): Promise<void> {
  await unpackCluster(base, folder)
  const cluster = await startCluster({ ...FOR_BUILDING, folder })
  try {
    const urlOf = (database: string): string => `${cluster.address}/${database}`
    const place = { urlOf, publicUrl: '', maintenance: 'template1', database: DATABASE, owned: true }
    const change = switchOf(options, place)
    await change.toContent(content, (work) => work()).finally(change.close)
  } finally {
    await cluster.close()
  }
}
