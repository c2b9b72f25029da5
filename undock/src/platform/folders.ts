import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { isAlive } from './process.ts'

const SHARED_MEMORY = '/dev/shm'
/** Bytes that must be free there, since a test may fill its database. Containers often have 64 MB. */
const MIN_ROOM = 1024 ** 3

const OWNED = /^undock-(?:[a-z]+-)?(\d+)-/

/** Creates a folder that this process removes when it ends. Also removes folders of killed processes. */
export function makeTemporaryFolder(purpose: string, parent = tmpdir()): string {
  for (const name of readdirSync(parent)) {
    const pid = Number(OWNED.exec(name)?.[1] ?? 0)
    if (pid === 0 || isAlive(pid)) continue
    try {
      rmSync(join(parent, name), { recursive: true, force: true })
    } catch {
      // Other users' folders can't be removed.
    }
  }
  return mkdtempSync(join(parent, `undock-${purpose}-${process.pid}-`))
}

/** Creates a folder for a temporary data directory, in memory if there's enough room. The caller removes it.
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

/** Returns the cache folder shared by all projects on this machine, by the platform's convention. */
export function userCacheFolder(
  env: Readonly<Record<string, string | undefined>>,
  platform = process.platform,
): string {
  if (env.UNDOCK_CACHE_DIR) return env.UNDOCK_CACHE_DIR
  if (platform === 'win32') return join(env.LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local'), 'undock', 'cache')
  if (platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'undock')
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'undock')
}
