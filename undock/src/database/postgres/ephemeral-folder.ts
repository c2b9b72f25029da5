import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isAlive } from '../../kernel/process.ts'

/** Linux's file system in memory. */
const SHARED_MEMORY = '/dev/shm'
/** The bytes that must be free there, since a test may fill its database. Containers often have 64 MB. */
const MIN_ROOM = 1024 ** 3
const PREFIX = 'undock-'

/** Makes a folder for a data directory that ends with this process: in memory where the system has a file system there with
 *  enough room, else among the temporary files. The caller removes it.
 *
 *  Gain: the 2,700 small files of a prepared cluster are copied in 0.15 to 0.2 s instead of 1.1 to 1.4 s. */
export async function makeEphemeralFolder(): Promise<string> {
  const parent = (await hasRoom()) ? SHARED_MEMORY : tmpdir()
  await removeLeftovers(parent)
  return mkdtemp(join(parent, `${PREFIX}${process.pid}-`))
}

async function hasRoom(): Promise<boolean> {
  if (process.platform !== 'linux' || !existsSync(SHARED_MEMORY)) return false
  const { bavail, bsize } = await statfs(SHARED_MEMORY)
  return bavail * bsize >= MIN_ROOM
}

/** A process that was killed could not tidy up: the next one does. A server that it left there ends when it misses its lock file. */
async function removeLeftovers(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const pid = name.startsWith(PREFIX) ? Number(name.slice(PREFIX.length).split('-', 1)[0]) : Number.NaN
    // Somebody else's folder cannot be removed, and is theirs to remove.
    if (pid > 0 && !isAlive(pid)) await rm(join(parent, name), { recursive: true, force: true }).catch(() => undefined)
  }
}
