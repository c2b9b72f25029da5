import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { makeTemporaryFolder } from '../../platform/temporary-folder.ts'

const SHARED_MEMORY = '/dev/shm'
/** Bytes that must be free there, since a test may fill its database. Containers often have 64 MB. */
const MIN_ROOM = 1024 ** 3

/** Creates a folder for a data directory that ends with this process, in memory if there's enough room, otherwise among
 *  the temporary files. The caller removes it.
 *
 *  Gain: the 2,700 small files of a prepared cluster are copied in 0.15 to 0.2 s instead of 1.1 to 1.4 s. */
export async function makeEphemeralFolder(): Promise<string> {
  const parent = (await hasRoom()) ? SHARED_MEMORY : tmpdir()
  return makeTemporaryFolder('data', parent)
}

async function hasRoom(): Promise<boolean> {
  if (process.platform !== 'linux' || !existsSync(SHARED_MEMORY)) return false
  const { bavail, bsize } = await statfs(SHARED_MEMORY)
  return bavail * bsize >= MIN_ROOM
}
