import { rm } from 'node:fs/promises'
import { makeEphemeralFolder } from '../../platform/folders.ts'
import { bootstrapOwnServer } from '../bootstrap/apply-bootstrap.ts'
import { projectKey } from '../bootstrap/bootstrap.ts'
import { openSnapshotStore, tar } from '../snapshot-store.ts'
import { type ClusterOptions, startCluster } from './cluster.ts'
import { openDatabases } from './databases.ts'
import { openInstallation } from './installation.ts'
import { makeFolderFor, ordinaryUser } from './ordinary-user.ts'
import type { Major } from './postgres-package.ts'
import { ClusterError } from './postmaster.ts'
import { openServerEngine } from './server-engine.ts'

/** A native cluster's bootstrapped database; its comment lists the roles of a new project. */
export const BASE_DATABASE = 'undock_base'

const MAX_CLUSTERS = 3
const SUFFIX = '.cluster.tar'

/** Cleanly shut down data directories to copy from. Each is one file, because many small ones take a disk a second. */
export function openClusterStore(folder: string) {
  const { find, add } = openSnapshotStore(folder, SUFFIX, MAX_CLUSTERS)
  return {
    find,
    /** Adds the data directory that `build` creates in the given folder. @returns the path of its file. */
    add: (key: string, build: (folder: string) => Promise<void>): Promise<string> =>
      add(key, async (draft) => {
        // Built elsewhere, because Postgres' user often can't reach the store's folder.
        const work = await makeEphemeralFolder()
        try {
          await build(work)
          await tar('-cf', draft, '-C', work, '.').catch((cause: Error) => {
            throw cannotWrite(draft, cause)
          })
        } finally {
          await rm(work, { recursive: true, force: true })
        }
      }),
  }
}

/** Creates a data directory, with its owner, as a copy of a stored one. */
export async function copyCluster(kept: string, folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  makeFolderFor(ordinaryUser(), folder)
  await tar('-xpf', kept, '-C', folder).catch((cause: Error) => {
    throw cannotWrite(folder, cause)
  })
}

const cannotWrite = (path: string, cause: Error): ClusterError =>
  new ClusterError(
    /No space left on device/.test(cause.message)
      ? `${path} cannot be written, because the disk is full: free some space and start again.`
      : `${path} cannot be written: ${cause.message.trim().split('\n').at(-1)}`,
    { cause },
  )

/** Bump when initdb's options change. */
const INITDB_VERSION = 3

/** Returns a key of everything that a base cluster is made from. */
export const baseClusterKey = (major: Major): string =>
  `${projectKey()}-${openInstallation(major).key.slice(0, 12)}-${INITDB_VERSION}`

/** Returns a stored data directory with a bootstrapped database, made once per machine. */
export async function baseCluster(cacheFolder: string, major: Major, onBuild: () => void): Promise<string> {
  const store = openClusterStore(cacheFolder)
  const key = baseClusterKey(major)
  const stored = await store.find(key)
  if (stored) return stored
  onBuild()
  return store.add(key, (folder) => build(folder, major))
}

/** Options of a server that builds a data directory. It shuts down cleanly, so that copies start without a recovery. */
export const BUILD_OPTIONS: Omit<ClusterOptions, 'folder' | 'major'> = {
  host: '127.0.0.1',
  port: 0,
  isDurable: true,
  settings: { fsync: 'off', wal_level: 'minimal', max_wal_senders: '0' },
  log: () => undefined,
}

async function build(folder: string, major: Major): Promise<void> {
  const cluster = await startCluster({ ...BUILD_OPTIONS, major, folder })
  try {
    const url = `${cluster.address}/postgres`
    const engine = await openServerEngine({ url, statementLimit: 0, waitLimit: 60_000 })
    await bootstrapOwnServer(engine)
      .catch((cause: Error) => Promise.reject(new ClusterError(`The bootstrap failed: ${cause.message}`, { cause })))
      .finally(engine.close)
    const databases = await openDatabases(`${cluster.address}/template1`)
    try {
      await databases.rename('postgres', BASE_DATABASE)
      const roles = await databases.run('select rolname as name from pg_roles')
      const names = roles.map(({ name }) => String(name)).join(',')
      await databases.setComment(BASE_DATABASE, names)
    } finally {
      await databases.close()
    }
  } finally {
    await cluster.close()
  }
}
