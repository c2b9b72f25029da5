import { existsSync, globSync } from 'node:fs'
import { basename, join } from 'node:path'
import { userCacheFolder } from '../../platform/cache-folder.ts'
import type { Major } from './majors.ts'
import { findPackage } from './postgres-package.ts'

/** An extension with a library of its own, compiled for the native engine. */
export type BuiltExtension = {
  readonly name: string
  readonly version: string
  /** Holds `lib/` and `share/extension/`. */
  readonly folder: string
}

/** Where `npm run native` leaves what it compiles for a major. */
export const builtExtensionsFolder = (major: number): string =>
  join(userCacheFolder(process.env), 'extensions', `${major}-${process.platform}-${process.arch}`)

/** What was compiled for a major, by name: from its package, else on this machine. */
export function builtExtensions(major: Major): BuiltExtension[] {
  const packaged = extensionsIn(join(findPackage(major).folder, 'extensions'))
  const own = extensionsIn(builtExtensionsFolder(major))
  const byName = new Map([...own, ...packaged].map((one) => [one.name, one]))
  return [...byName.values()].toSorted((a, b) => a.name.localeCompare(b.name, 'en'))
}

function extensionsIn(folder: string): BuiltExtension[] {
  if (!existsSync(folder)) return []
  return globSync('[!.]*@*', { cwd: folder }).map((path) => {
    const [name = '', version = ''] = basename(path).split('@')
    return { name, version, folder: join(folder, path) }
  })
}
