import { existsSync } from 'node:fs'
import { chown, cp, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bootstrapServer, serverKey } from './bootstrap-server.ts'
import { ClusterError, type ClusterOptions, startCluster } from './cluster.ts'
import { openDatabases } from './databases.ts'
import { makeFolderFor, ordinaryUser } from './ordinary-user.ts'
import { openServerEngine } from './server-engine.ts'

/** The database of a native cluster that is bootstrapped and nothing else; its comment lists the roles that a new
 *  project has. */
export const BASE = 'undock_base'

/** Bootstrapped clusters that stay in the cache. */
const KEPT = 2
const SUFFIX = '.cluster'

/** Makes a data directory with a bootstrapped database: a copy of one that is made once on a machine.
 *  @param tell Called when it has to be made. */
export async function unpackCluster(cacheFolder: string, folder: string, tell: () => void): Promise<void> {
  const prepared = join(cacheFolder, `${serverKey()}${SUFFIX}`)
  if (!existsSync(prepared)) {
    tell()
    await prepare(cacheFolder, prepared)
  }
  const user = ordinaryUser()
  await rm(folder, { recursive: true, force: true })
  makeFolderFor(user, folder)
  await cp(prepared, folder, { recursive: true })
  if (!user) return
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    await chown(join(entry.parentPath, entry.name), user.uid, user.gid)
  }
}

async function prepare(cacheFolder: string, prepared: string): Promise<void> {
  await mkdir(cacheFolder, { recursive: true })
  // Made elsewhere: the cache is often below a folder that the user whom Postgres runs as cannot reach.
  const folder = await mkdtemp(join(tmpdir(), 'undock-cluster-'))
  const draft = join(cacheFolder, `${serverKey()}.${process.pid}.draft`)
  try {
    await build(join(folder, 'data'))
    await cp(join(folder, 'data'), draft, { recursive: true })
    // Another process may have been faster; both have made the same.
    await rename(draft, prepared).catch(() => rm(draft, { recursive: true, force: true }))
    await prune(cacheFolder, prepared)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** It is shut down in order at the end, so that copies of it start without a recovery. */
const FOR_BUILDING: Omit<ClusterOptions, 'folder'> = {
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
      await databases.run(`comment on database ${BASE} is '${names}'`)
    } finally {
      await databases.close()
    }
  } finally {
    await cluster.close()
  }
}

async function prune(cacheFolder: string, latest: string): Promise<void> {
  const names = (await readdir(cacheFolder)).filter((name) => name.endsWith(SUFFIX))
  const others = names.map((name) => join(cacheFolder, name)).filter((path) => path !== latest)
  for (const path of others.slice(0, Math.max(0, others.length - (KEPT - 1)))) {
    await rm(path, { recursive: true, force: true })
  }
}
