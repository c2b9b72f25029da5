import { existsSync, globSync } from 'node:fs'
import { basename, join } from 'node:path'
import { userCacheFolder } from '../../platform/cache-folder.ts'
import type { Major } from './majors.ts'
import { findPack, findPackage, PACKS } from './postgres-package.ts'

/** An extension with a library of its own, compiled for the native engine. */
export type BuiltExtension = {
  readonly name: string
  readonly version: string
  /** Holds `lib/` and `share/extension/`. */
  readonly folder: string
  /** What `create extension` may name; a release may have several extensions. */
  readonly controls: readonly string[]
}

/** Where `npm run native` leaves what it compiles for a major. */
export const builtExtensionsFolder = (major: number): string =>
  join(userCacheFolder(process.env), 'extensions', `${major}-${process.platform}-${process.arch}`)

/** What was compiled for a major, by name: from its packages, else on this machine. */
export function builtExtensions(major: Major): BuiltExtension[] {
  const folders = [findPackage(major).folder, ...PACKS.flatMap((pack) => findPack(pack, major) ?? [])]
  const packaged = folders.flatMap((folder) => extensionsIn(join(folder, 'extensions')))
  const own = extensionsIn(builtExtensionsFolder(major))
  const byName = new Map([...own, ...packaged].map((one) => [one.name, one]))
  return [...byName.values()].toSorted((a, b) => a.name.localeCompare(b.name, 'en'))
}

function extensionsIn(folder: string): BuiltExtension[] {
  if (!existsSync(folder)) return []
  return globSync('[!.]*@*', { cwd: folder }).map((path) => {
    const [name = '', version = ''] = basename(path).split('@')
    const controls = globSync('share/extension/*.control', { cwd: join(folder, path) })
    return { name, version, folder: join(folder, path), controls: controls.map((file) => basename(file, '.control')) }
  })
}
