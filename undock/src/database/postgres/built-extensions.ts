import { existsSync, globSync } from 'node:fs'
import { basename, join } from 'node:path'
import { userCacheFolder } from '../../platform/folders.ts'
import { findPack, findPackage, type Major, PACKS } from './postgres-package.ts'

export type BuiltExtension = {
  readonly name: string
  readonly version: string
  readonly folder: string
  readonly controls: readonly string[]
}

/** Returns where `npm run native` puts what it compiles for a major. */
export const builtExtensionsFolder = (major: number): string =>
  join(userCacheFolder(process.env), 'extensions', `${major}-${process.platform}-${process.arch}`)

/** Returns a major's compiled extensions by name: from its packages, otherwise from this machine. */
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
