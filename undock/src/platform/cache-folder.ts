import { homedir } from 'node:os'
import { join } from 'node:path'

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
