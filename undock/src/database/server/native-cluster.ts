import { constants, existsSync } from 'node:fs'
import { chown, cp, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectKey } from '../bootstrap.ts'
import { bootstrapServer } from './bootstrap-server.ts'
import { ClusterError, type ClusterOptions, startCluster } from './cluster.ts'
import { openDatabases } from './databases.ts'
import { makeFolderFor, ordinaryUser } from './ordinary-user.ts'
import { openServerEngine } from './server-engine.ts'

/** The database of a native cluster that is bootstrapped and nothing else; its comment lists the roles that a new
 *  project has. */
export const BASE = 'undock_base'

/** Clusters that stay in a store. */
const KEPT = 2
const SUFFIX = '.cluster'

/** A data directory that was shut down in order, kept to be copied. */
export type ClusterStore = {
  find(key: string): string | null
  /** Keeps what `build` makes of the folder that it is given.
   *  @returns where the data directory is kept. */
  add(key: string, build: (folder: string) => Promise<void>): Promise<string>
}

export function openClusterStore(folder: string): ClusterStore {
  const pathOf = (key: string): string => join(folder, `${key}${SUFFIX}`)
  return {
    find: (key) => (existsSync(pathOf(key)) ? pathOf(key) : null),
    async add(key, build) {
      await mkdir(folder, { recursive: true })
      // Made elsewhere: stores are often below a folder that the user whom Postgres runs as cannot reach.
      const work = await mkdtemp(join(tmpdir(), 'undock-cluster-'))
      const draft = join(folder, `${key}.${process.pid}.draft`)
      try {
        await build(join(work, 'data'))
        await cp(join(work, 'data'), draft, { recursive: true })
        // Another process may have been faster; both have made the same.
        await rename(draft, pathOf(key)).catch(() => rm(draft, { recursive: true, force: true }))
        await prune(folder, pathOf(key))
        return pathOf(key)
      } finally {
        await rm(work, { recursive: true, force: true })
      }
    },
  }
}

/** Makes a data directory that is a copy of a kept one. */
export async function unpackCluster(kept: string, folder: string): Promise<void> {
  const user = ordinaryUser()
  await rm(folder, { recursive: true, force: true })
  makeFolderFor(user, folder)
  await cp(kept, folder, { recursive: true, mode: constants.COPYFILE_FICLONE })
  if (!user) return
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    await chown(join(entry.parentPath, entry.name), user.uid, user.gid)
  }
}

/** A kept data directory with a bootstrapped database, made once on a machine.
 *  @param tell Called when it has to be made. */
export async function baseCluster(cacheFolder: string, tell: () => void): Promise<string> {
  const store = openClusterStore(cacheFolder)
  const known = store.find(projectKey())
  if (known) return known
  tell()
  return store.add(projectKey(), build)
}

/** For a server that is shut down in order at the end, so that copies of its data start without a recovery. */
export const FOR_BUILDING: Omit<ClusterOptions, 'folder'> = {
  host: '127.0.0.1',
  port: 0,
  durable: true,
  settings: { fsync: 'off', wal_level: 'minimal', max_wal_senders: '0' },
  log: () => undefined,
}

async function build(folder: string): Promise<void> {
  const cluster = await startCluster({ ...FOR_BUILDING, folder })
  try {
    const url = `${cluster.address}/postgres`
    const engine = await openServerEngine({ url, statementLimit: 0, waitLimit: 60_000 })
    const omitted = await bootstrapServer(engine).finally(engine.close)
    if (omitted.length > 0) throw new ClusterError(`The bootstrap failed:\n${omitted.join('\n')}`)
    const databases = await openDatabases(`${cluster.address}/template1`)
    try {
      await databases.rename('postgres', BASE)
      const roles = await databases.run('select rolname as name from pg_roles')
      const names = roles.map(({ name }) => String(name)).join(',')
      await databases.note(BASE, names)
    } finally {
      await databases.close()
    }
  } finally {
    await cluster.close()
  }
}

async function prune(folder: string, latest: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(SUFFIX))
  const others = names.map((name) => join(folder, name)).filter((path) => path !== latest)
  for (const path of others.slice(0, Math.max(0, others.length - (KEPT - 1)))) {
    await rm(path, { recursive: true, force: true })
  }
}
