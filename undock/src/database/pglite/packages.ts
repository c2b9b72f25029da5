import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fetchedModules, fetchPackage } from '../../platform/fetched-package.ts'
import { undockManifest } from '../../platform/undock-version.ts'

const ENGINE = '@electric-sql/pglite'

/** The engine and its extensions as npm names them with their versions; null in the repository, where they are installed. */
function fetchedParts(): [engine: string, others: readonly string[]] | null {
  const parts = Object.entries(undockManifest().fetched ?? {}).filter(([name]) => name.startsWith(ENGINE))
  const [engine, ...extensions] = parts.map((one) => one.join('@'))
  // The packages of extensions name other versions of the engine than the one that all of them work with.
  return engine ? [engine, [...extensions, '--legacy-peer-deps']] : null
}

/** Fetches PGlite, which the published undock is installed without, once on a machine.
 *  @param tell Called before it is fetched.
 *  @throws {FetchError} */
export async function providePglite(tell: () => void): Promise<void> {
  const parts = fetchedParts()
  if (parts) await fetchPackage(parts[0], tell, parts[1])
}

/** The `node_modules` with PGlite; null where modules find it by its name. */
export function pgliteModules(): string | null {
  const parts = fetchedParts()
  return parts && fetchedModules(...parts)
}

/** Finds files of PGlite's packages. */
export const requirePglite = (): NodeJS.Require => {
  const modules = pgliteModules()
  return createRequire(modules ? join(modules, 'undock') : import.meta.url)
}
