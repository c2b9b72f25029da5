import { chown, rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { User } from './ordinary-user.ts'

/** A file that only takes up space in a data directory. */
export const RESERVE = 'undock.reserve'

/** Bytes: what a recovery writes before its checkpoint frees the log that is not needed any more. */
const SIZE = 16 * 1024 ** 2
/** Less than this beside the reserve is a full disk already. */
const MIN_ROOM = 2 * SIZE

/** Sets space aside, so that a server which ended because the disk was full can recover. Where there is none left, it does without. */
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

/** @returns whether there was space to free. */
export const freeReserve = (folder: string): Promise<boolean> =>
  rm(join(folder, RESERVE)).then(
    () => true,
    () => false,
  )
