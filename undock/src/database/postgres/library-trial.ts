import { spawnSync } from 'node:child_process'
import { chownSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeTemporaryFolder } from '../../platform/temporary-folder.ts'
import { ENGINE_USER } from '../engine-user.ts'
import type { Binaries } from './binaries.ts'
import { ordinaryUser } from './ordinary-user.ts'

/** Loads each library into a server of its own, on data that is thrown away: a library may need another C library, or other
 *  libraries that are missing, or a crash shows that it is not for this server. A trial of the first takes a second, because of
 *  the data, each further one 40 ms.
 *  @param isPreloaded Whether a library is one that a server must load at its start.
 *  @returns the reason for each library that cannot be loaded. */
export function tryLibraries(
  { postgres, initdb }: Binaries,
  libraries: readonly string[],
  isPreloaded: (library: string) => boolean,
): ReadonlyMap<string, string> {
  const folder = makeTemporaryFolder('trial')
  const user = ordinaryUser()
  if (user) chownSync(folder, user.uid, user.gid)
  const data = join(folder, 'data')
  const options = { encoding: 'utf8', timeout: TRIAL_LIMIT, env: { ...process.env, LC_ALL: 'C' }, ...user } as const
  try {
    const made = spawnSync(initdb, ['-D', data, '-U', ENGINE_USER, '--auth=reject', '--no-sync'], options)
    if (made.status !== 0) return new Map(libraries.map((library) => [library, 'it could not be tried']))
    const failures = libraries.map((library): [string, string | null] => {
      const preload = isPreloaded(library) ? ['-c', `shared_preload_libraries=${library}`] : []
      const input = preload.length > 0 ? '' : `load '${library.replaceAll("'", "''")}'\n`
      const args = ['--single', '-D', data, '-c', 'fsync=off', '-c', 'log_min_messages=error', ...preload, 'postgres']
      const { status, stderr } = spawnSync(postgres, args, { ...options, input })
      return [library, reasonIn(stderr) ?? (status === 0 ? null : 'the server crashed')]
    })
    return new Map(failures.filter((one): one is [string, string] => one[1] !== null))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Milliseconds. */
const TRIAL_LIMIT = 30_000

const reasonIn = (output: string): string | undefined =>
  /(?:ERROR|FATAL): {2}(?:could not load library "[^"]*": )?(.+)/.exec(output)?.[1]
