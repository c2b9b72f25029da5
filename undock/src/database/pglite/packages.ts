import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fetchedModules, fetchPackage, undockManifest } from '../../platform/fetched-package.ts'

const ENGINE = '@electric-sql/pglite'

/** The npm specifiers of the engine and its extensions; null in the repository, where they're installed. */
function fetchedParts(): [engine: string, others: readonly string[]] | null {
  const parts = Object.entries(undockManifest().fetched ?? {}).filter(([name]) => name.startsWith(ENGINE))
  const [engine, ...extensions] = parts.map((one) => one.join('@'))
  // The extension packages declare other peer versions of the engine than the one that works with all of them.
  return engine ? [engine, [...extensions, '--legacy-peer-deps']] : null
}

/** Fetches PGlite once per machine; the published undock is installed without it. @throws {FetchError} */
export async function providePglite(tell: () => void): Promise<void> {
  const parts = fetchedParts()
  if (parts) await fetchPackage(parts[0], tell, parts[1])
}

/** Returns the `node_modules` with PGlite; null if its name resolves as usual. */
export function pgliteModules(): string | null {
  const parts = fetchedParts()
  return parts && fetchedModules(...parts)
}

export const requirePglite = (): NodeJS.Require => {
  const modules = pgliteModules()
  return createRequire(modules ? join(modules, 'undock') : import.meta.url)
}
