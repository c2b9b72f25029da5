import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** Prepared clusters, each a tar of a data directory in a file, by the key of what made them. */
export type SnapshotStore = {
  /** The file of a snapshot, if there is one. */
  find(key: string): Promise<string | null>
  /** Keeps what `write` puts into the file that it is given.
   *  @returns the snapshot's file. */
  add(key: string, write: (draft: string) => Promise<void>): Promise<string>
}

const SUFFIX = '.tar'

/** @param keep How many snapshots stay; those that were not used for the longest time go first. */
export function openSnapshotStore(folder: string, keep: number): SnapshotStore {
  const fileOf = (key: string): string => join(folder, `${key}${SUFFIX}`)

  async function prune(): Promise<void> {
    const names = (await readdir(folder)).filter((name) => name.endsWith(SUFFIX))
    const files = await Promise.all(
      names.map(async (name) => ({ path: join(folder, name), used: (await stat(join(folder, name))).mtimeMs })),
    )
    const stale = files.sort((a, b) => b.used - a.used).slice(keep)
    await Promise.all(stale.map(({ path }) => rm(path, { force: true })))
  }

  return {
    async find(key) {
      const now = new Date()
      try {
        await utimes(fileOf(key), now, now)
        return fileOf(key)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
        throw error
      }
    },
    async add(key, write) {
      await mkdir(folder, { recursive: true })
      // Two stacks may prepare the same snapshot at once: each writes its own file, the rename decides.
      const draft = join(folder, `${key}.${process.pid}.draft`)
      await write(draft)
      await rename(draft, fileOf(key))
      await prune()
      return fileOf(key)
    },
  }
}

/** Where things live that any project on this machine may share, by the platform's convention. */
export function userCacheFolder(
  env: Readonly<Record<string, string | undefined>>,
  platform = process.platform,
): string {
  if (env.UNDOCK_CACHE_DIR) return env.UNDOCK_CACHE_DIR
  if (platform === 'win32') return join(env.LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local'), 'undock', 'cache')
  if (platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'undock')
  return join(env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'undock')
}
