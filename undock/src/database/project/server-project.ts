import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Certificate } from '../../platform/certificate.ts'
import { makeEphemeralFolder } from '../../platform/folders.ts'
import { bootstrapServer } from '../bootstrap/apply-bootstrap.ts'
import { createDb } from '../engine-db.ts'
import { backUpCluster } from '../postgres/base-backup.ts'
import { type Cluster, startCluster } from '../postgres/cluster.ts'
import { openDatabases } from '../postgres/databases.ts'
import {
  BUILD_OPTIONS,
  baseCluster,
  baseClusterKey,
  copyCluster,
  openClusterStore,
} from '../postgres/native-cluster.ts'
import type { Major } from '../postgres/postgres-package.ts'
import { openServerEngine } from '../postgres/server-engine.ts'
import { createDatabaseSwap, type DatabaseSwap } from './database-swap.ts'
import { bringUpToDate, copyKeptData, dataMark, folderOf } from './kept-data.ts'
import { enableWatchers, hasHistory, hashOf, type ProjectContent, readContent } from './project-content.ts'
import {
  KeptDataError,
  type OpenedDatabase,
  type ProjectDatabaseOptions,
  UnreachableServerError,
} from './project-database.ts'

/** Initial settings of the superuser's sessions in a project's database. The search path names no schema in which
 *  others can create, and event triggers (including login triggers) are off: otherwise the project's functions would
 *  run with superuser rights, or leave something behind that runs at the end of the transaction. */
const superuserSettings = (major: Major): Readonly<Record<string, string>> => ({
  search_path: 'pg_catalog, pg_temp',
  // PostgreSQL 15 has neither the setting nor login triggers.
  ...(major >= 17 ? { event_triggers: 'off' } : {}),
})

const DATABASE = 'postgres'

/** Starts a native server on a project's data directory.
 *  @param major Its installation must be on this machine.
 *  @throws {ScriptError | KeptDataError | ClusterError} */
export async function openNativeProject(options: ProjectDatabaseOptions, major: Major): Promise<OpenedDatabase> {
  const { dataFolder } = options
  const folder = dataFolder ? folderOf(dataFolder, major) : await makeEphemeralFolder()
  const discard = async (): Promise<void> => {
    if (!dataFolder) await rm(folder, { recursive: true, force: true })
  }
  try {
    return await openFolder(options, { folder, major }, discard)
  } catch (error) {
    await discard()
    throw error
  }
}

type DataDirectory = { readonly folder: string; readonly major: Major }

async function openFolder(
  options: ProjectDatabaseOptions,
  place: DataDirectory,
  discard: () => Promise<void>,
): Promise<OpenedDatabase> {
  const { folder, major } = place
  const { dataFolder } = options
  const complete = join(folder, dataMark)
  const isKept = existsSync(complete)
  // Creating a machine's first certificate takes as long as copying a data directory, so do both together.
  const certificate = options.certificate()
  certificate.catch(() => undefined)
  const origin = isKept ? 'kept' : await unpackProject(options, place)
  const cluster = await start(options, place, await certificate).catch((cause: unknown) => {
    throw isKept ? new KeptDataError(folder, cause) : cause
  })
  const urlOf = (database: string): string => `${cluster.address}/${database}`
  const publicUrl = `${cluster.publicAddress}/${DATABASE}`
  try {
    const project = await openAt(options, {
      urlOf,
      publicUrl,
      maintenance: 'template1',
      database: DATABASE,
      isOwnServer: true,
      urlAs: urlAsOf(cluster),
      ownSettings: ownSettingsOf(cluster, major),
    })
    await writeFile(complete, '')
    return {
      ...project,
      origin,
      async copyTo(to) {
        if (dataFolder) await copyKeptData(dataFolder, to, major)
        const source = { url: urlOf(DATABASE), settings: superuserSettings(major) }
        await backUpCluster(source, folder, folderOf(to, major), [dataMark])
        await writeFile(join(folderOf(to, major), dataMark), '')
      },
      async close() {
        await project.close()
        await cluster.close()
        await discard()
      },
    }
  } catch (error) {
    await cluster.close()
    throw error
  }
}

const DURABLE = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' }

async function start(
  { claimPort, host, dataFolder, isDurable, config, log }: ProjectDatabaseOptions,
  { folder, major }: DataDirectory,
  certificate: Certificate,
): Promise<Cluster> {
  return claimPort((port) =>
    startCluster({
      major,
      folder,
      host,
      port,
      certificate,
      isDurable: dataFolder !== null,
      reservesSpace: dataFolder !== null,
      settings: {
        ...Object.fromEntries(
          Object.entries(config.db.settings).flatMap(([name, value]) =>
            value === undefined ? [] : [[name, String(value)]],
          ),
        ),
        ...(isDurable && dataFolder !== null ? DURABLE : {}),
      },
      log: (line) => log.info(line),
    }),
  )
}

/** Opens a database on a server given by its URL. The database is prepared in place; only a reset replaces it.
 *  @throws {ScriptError | UnreachableServerError} */
export async function openProjectByUrl(options: ProjectDatabaseOptions, url: string): Promise<OpenedDatabase> {
  const database = decodeURIComponent(new URL(url).pathname.slice(1)) || DATABASE
  const urlOf = (name: string): string => Object.assign(new URL(url), { pathname: `/${encodeURIComponent(name)}` }).href
  const maintenance = database === DATABASE ? 'template1' : DATABASE
  const engine = await openServerEngine({ ...options, url }).catch((cause: unknown) => {
    throw new UnreachableServerError(url, cause)
  })
  let isKept = true
  try {
    isKept = await hasHistory(createDb(engine))
    await enableWatchers(createDb(engine))
    for (const omission of await bootstrapServer(engine, 'local')) options.tell({ kind: 'omitted', omission })
    if (!isKept) await (await readContent(options)).apply(engine)
  } finally {
    await engine.close()
  }
  const project = await openAt(options, {
    urlOf,
    publicUrl: url,
    maintenance,
    database,
    isOwnServer: false,
    urlAs: null,
    ownSettings: {},
  })
  return isKept ? project : { ...project, origin: 'migrated' }
}

const urlAsOf = ({ addressAs }: Cluster): DatabaseLocation['urlAs'] =>
  addressAs && ((user) => `${addressAs(user)}/${DATABASE}`)

/** Without per-user sessions, the project's work shares the superuser's. */
const ownSettingsOf = ({ addressAs }: Cluster, major: Major): DatabaseLocation['ownSettings'] =>
  addressAs ? superuserSettings(major) : {}

type DatabaseLocation = {
  urlOf(database: string): string
  readonly urlAs: ((user: string) => string) | null
  /** If other users have their own pools, only the stack's own statements run as the superuser. */
  readonly ownSettings: Readonly<Record<string, string>>
  readonly publicUrl: string
  /** Database to connect to while others are created and renamed. */
  readonly maintenance: string
  readonly database: string
  readonly isOwnServer: boolean
}

async function openAt(options: ProjectDatabaseOptions, place: DatabaseLocation): Promise<OpenedDatabase> {
  const swap = createSwap(options, place)
  if (place.isOwnServer) await swap.repair()
  const { statementLimit, waitLimit } = options
  const engine = await openServerEngine({
    url: place.urlOf(place.database),
    urlAs: place.urlAs,
    statementLimit,
    waitLimit,
    ownSettings: place.ownSettings,
  })
  if (place.isOwnServer) await bringUpToDate(engine, options.tell)
  return {
    db: createDb(engine),
    engine: place.isOwnServer ? 'native' : 'server',
    url: place.publicUrl,
    origin: 'kept',
    onReopened: engine.onReopened,
    memory: async () => null,
    async reset(part) {
      await swap.toContent(await readContent({ ...options, ...(part && { part }) }), engine.withoutSessions)
    },
    migrate: async () => (await readContent({ ...options, part: { seed: false } })).migrate(engine),
    snapshot: () => swap.snapshot(engine.withoutSessions),
    copyTo: null,
    async close() {
      await engine.close()
      await swap.close()
    },
  }
}

function createSwap({ waitLimit }: ProjectDatabaseOptions, place: DatabaseLocation): DatabaseSwap {
  const { urlOf, urlAs, ownSettings, database, isOwnServer, maintenance } = place
  const prefix = isOwnServer ? 'undock_' : `undock_${database}_`
  return createDatabaseSwap({
    connect: () => openDatabases(urlOf(maintenance)),
    database,
    prefix,
    isOwnServer,
    urlOf,
    urlAs,
    ownSettings,
    waitLimit,
  })
}

/** Copies the data directory that the project's files define, which is built if missing. @throws {ScriptError} */
async function unpackProject(
  options: ProjectDatabaseOptions,
  { folder, major }: DataDirectory,
): Promise<'snapshot' | 'migrated'> {
  const content = await readContent(options)
  const base = await baseCluster(options.cacheFolder, major, () => options.tell({ kind: 'bootstrap' }))
  const store = openClusterStore(options.snapshotFolder)
  const key = hashOf([baseClusterKey(major), content.key])
  const stored = await store.find(key)
  const kept = stored ?? (await store.add(key, (work) => buildProject(options, content, base, { folder: work, major })))
  await copyCluster(kept, folder)
  return stored ? 'snapshot' : 'migrated'
}

async function buildProject(
  options: ProjectDatabaseOptions,
  content: ProjectContent,
  base: string,
  { folder, major }: DataDirectory,
): Promise<void> {
  await copyCluster(base, folder)
  const cluster = await startCluster({ ...BUILD_OPTIONS, major, folder })
  try {
    const urlOf = (database: string): string => `${cluster.address}/${database}`
    const place = {
      urlOf,
      urlAs: urlAsOf(cluster),
      ownSettings: ownSettingsOf(cluster, major),
      publicUrl: '',
      maintenance: 'template1',
      database: DATABASE,
      isOwnServer: true,
    }
    const swap = createSwap(options, place)
    await swap.toContent(content, (work) => work()).finally(swap.close)
  } finally {
    await cluster.close()
  }
}
