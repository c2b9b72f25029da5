import { existsSync, globSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { userCacheFolder } from '../../kernel/cache-folder.ts'

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

/** The npm package with what a release compiled for this platform: a folder for each major, with the same content as the one in the
 *  cache (undock/native/package.ts). */
export const extensionPackage = `@undock/pg-extensions-${process.platform}-${process.arch}`

/** What was compiled for a major, by name: from the package, else on this machine. */
export function builtExtensions(major: number): BuiltExtension[] {
  const packageFolder = findPackage()
  const packaged = packageFolder ? extensionsIn(join(packageFolder, String(major))) : []
  const own = extensionsIn(builtExtensionsFolder(major))
  const byName = new Map([...own, ...packaged].map((one) => [one.name, one]))
  return [...byName.values()].toSorted((a, b) => a.name.localeCompare(b.name, 'en'))
}

function findPackage(): string | null {
  try {
    return dirname(createRequire(import.meta.url).resolve(`${extensionPackage}/package.json`))
  } catch {
    return null
  }
}

function extensionsIn(folder: string): BuiltExtension[] {
  if (!existsSync(folder)) return []
  return globSync('[!.]*@*', { cwd: folder }).map((path) => {
    const [name = '', version = ''] = basename(path).split('@')
    return { name, version, folder: join(folder, path) }
  })
}
