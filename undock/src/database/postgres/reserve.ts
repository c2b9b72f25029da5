import { chown, rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { User } from './ordinary-user.ts'

export const RESERVE = 'undock.reserve'

/** Bytes that a recovery writes before its checkpoint frees log that's no longer needed. */
const SIZE = 16 * 1024 ** 2
/** With less than this free in addition to the reserve, the disk counts as full. */
const MIN_ROOM = 2 * SIZE

/** Reserves space, if there is any, so that a server which ended because the disk was full can recover. */
export async function keepReserve(folder: string, user: User | null): Promise<void> {
  const path = join(folder, RESERVE)
  try {
    const { bavail, bsize } = await statfs(folder)
    if (bavail * bsize < MIN_ROOM) return
    await writeFile(path, Buffer.alloc(SIZE), { mode: 0o600 })
    if (user) await chown(path, user.uid, user.gid)
  } catch {
    await freeReserve(folder)
  }
}

export const freeReserve = (folder: string): Promise<boolean> =>
  rm(join(folder, RESERVE)).then(
    () => true,
    () => false,
  )
