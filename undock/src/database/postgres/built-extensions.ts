import { existsSync, globSync } from 'node:fs'
import { basename, join } from 'node:path'
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

/** What was compiled for a major, by name. */
export function builtExtensions(major: number): BuiltExtension[] {
  const folder = builtExtensionsFolder(major)
  if (!existsSync(folder)) return []
  return globSync('[!.]*@*', { cwd: folder })
    .toSorted()
    .map((path) => {
      const [name = '', version = ''] = basename(path).split('@')
      return { name, version, folder: join(folder, path) }
    })
}
