import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createDb } from '../engine-db.ts'
import { pendingMigrations } from '../migrations/apply.ts'
import { migrationsOf, readContent } from '../project-content.ts'
import { KeptDataError, type ProjectDatabase, type ProjectDatabaseOptions } from '../project-database.ts'
import { bootstrapServer } from './bootstrap-server.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { openDatabases } from './databases.ts'
import { unpackCluster } from './native-cluster.ts'
import { openServerEngine } from './server-engine.ts'
import { createSwitch } from './switch.ts'

const COMPLETE = 'undock.complete'
const DATABASE = 'postgres'

/** A project's database on a Postgres server.
 *  @throws {ScriptError | KeptDataError | ClusterError} */
export function openServerProject(options: ProjectDatabaseOptions): Promise<ProjectDatabase> {
  return typeof options.engine === 'object' ? openByUrl(options, options.engine.url) : openNative(options)
}

/** The server that comes along, with a data directory of its own. */
async function openNative(options: ProjectDatabaseOptions): Promise<ProjectDatabase> {
  const { dataFolder, cacheFolder, tell } = options
  const folder = dataFolder ?? join(options.passingFolder, 'database')
  const complete = join(folder, COMPLETE)
  const isKept = existsSync(complete)
  if (!isKept) await unpackCluster(cacheFolder, folder, () => tell({ kind: 'bootstrap' }))
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
      isKept,
      owned: true,
    })
    await writeFile(complete, '')
    return {
      ...project,
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
  const engine = await openServerEngine({ ...options, url })
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
    isKept: true,
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
  readonly isKept: boolean
  readonly owned: boolean
}

async function openOn(options: ProjectDatabaseOptions, place: Place): Promise<ProjectDatabase> {
  const { urlOf, database, isKept, owned } = place
  const url = urlOf(database)
  const open = () => openServerEngine({ url, statementLimit: options.statementLimit, waitLimit: options.waitLimit })
  const prefix = owned ? 'undock_' : `undock_${database}_`
  const connect = () => openDatabases(urlOf(place.maintenance))
  const change = createSwitch({ connect, database, prefix, owned, urlOf, waitLimit: options.waitLimit })
  let origin: ProjectDatabase['origin'] = 'kept'
  if (isKept && owned) await change.repair()
  if (!isKept) origin = await change.toContent(await readContent(options), (work) => work())
  const engine = await open()
  const pending = isKept ? await pendingMigrations(engine, await migrationsOf(options)) : []
  return {
    db: createDb(engine),
    url: place.publicUrl,
    origin,
    pending,
    onReopened: engine.onReopened,
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
