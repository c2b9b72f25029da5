import { execFile } from 'node:child_process'
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ifMissing } from '../kernel/promises.ts'

export type SnapshotStore = {
  find(key: string): Promise<string | null>
  /** Adds the snapshot that `write` puts into the given file. @returns the snapshot's file. */
  add(key: string, write: (draft: string) => Promise<void>): Promise<string>
}

/** Runs the system's `tar`, which refuses to write outside its folder. @throws {Error} with what it printed. */
export const tar = async (...args: readonly string[]): Promise<void> => {
  await promisify(execFile)('tar', args)
}

/** Milliseconds since its last use in which a snapshot isn't removed, because a process may still be copying it. */
const MIN_UNUSED_TIME = 10 * 60_000

/** Removes the least recently used entries beyond the number to keep, except those that another process may be copying.
 *  @param paths Files or folders; their modification time is the time of their last use. */
export async function removeLeastUsed(paths: readonly string[], keep: number): Promise<void> {
  const used = await Promise.all(
    paths.map(async (path) => ({
      path,
      at: await stat(path).then(
        (found) => found.mtimeMs,
        () => 0,
      ),
    })),
  )
  const stale = used.sort((a, b) => b.at - a.at).slice(keep)
  const unused = stale.filter(({ at }) => Date.now() - at > MIN_UNUSED_TIME)
  await Promise.all(unused.map(({ path }) => rm(path, { recursive: true, force: true })))
}

/** @param suffix Of the files, which tells an engine's snapshots from those of another.
 *  @param keep Number of snapshots kept; the least recently used are removed first. */
export function openSnapshotStore(folder: string, suffix: string, keep: number): SnapshotStore {
  const fileOf = (key: string): string => join(folder, `${key}${suffix}`)

  async function prune(): Promise<void> {
    const names = (await readdir(folder)).filter((name) => name.endsWith(suffix))
    await removeLeastUsed(
      names.map((name) => join(folder, name)),
      keep,
    )
  }

  return {
    async find(key) {
      const now = new Date()
      return utimes(fileOf(key), now, now).then(() => fileOf(key), ifMissing(null))
    },
    async add(key, write) {
      await mkdir(folder, { recursive: true })
      // Two stacks may prepare the same snapshot, so each writes its own file and renames it.
      const draft = join(folder, `${key}.${process.pid}.draft`)
      try {
        await write(draft)
        await rename(draft, fileOf(key))
      } finally {
        await rm(draft, { force: true })
      }
      await prune()
      return fileOf(key)
    },
  }
}
