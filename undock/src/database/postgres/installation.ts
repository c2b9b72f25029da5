import { createHash } from 'node:crypto'
import { existsSync, globSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { userCacheFolder } from '../../platform/cache-folder.ts'
import { KNOWN_EXTENSIONS, type PackName } from '../extensions/known-extensions.ts'
import { type Binaries, findBinaries } from './binaries.ts'
import { type BuiltExtension, builtExtensions } from './built-extensions.ts'
import { install, ownFilesVersion, SCRIPT_EXTENSIONS } from './installation-files.ts'
import type { Major } from './majors.ts'
import { ordinaryUser } from './ordinary-user.ts'
import { findPackage, NoBinariesError, provideInstalledPackage, providePack } from './postgres-package.ts'
import type { SystemExtension } from './system-extensions.ts'
import { usableExtensions } from './usable-extensions.ts'

/** A Postgres with the extensions that undock brings. */
export type Installation = {
  readonly major: Major
  readonly binaries: Binaries
  /** Names the server and its extensions: data that one installation prepared fits another of the same key. */
  readonly key: string
  /** The extensions with a library or script of their own, rather than a shim. */
  readonly extensions: ReadonlySet<string>
  /** Why an extension that a package or a PostgreSQL of this machine has is not among them, by its name. */
  readonly unusable: Readonly<Record<string, string>>
  /** Libraries that every server of this installation loads at its start (`shared_preload_libraries`). */
  readonly preloaded: readonly string[]
  /** Whether `postgres` may run the statements for which hosted projects, unlike PostgreSQL, need no superuser. */
  readonly hasProjectRights: boolean
}

/** The library of undock/native/rights. */
const RIGHTS_LIBRARY = 'undock_rights'

/** PostgreSQL refuses to create these unless their library was loaded at the start. Hosted projects load it, too. */
const PRELOADED_EXTENSIONS = ['pgaudit']

/** Milliseconds after which an installation that nobody used is removed. */
const UNUSED_LIMIT = 30 * 24 * 3_600_000

const opened = new Map<Major, Installation>()

/** Makes the installation that servers of this machine run from, or finds it: links to the files of the package, the built
 *  extensions among them, and control files of ours. PostgreSQL before 18 looks for extensions in its own folder alone.
 *  @throws {NoBinariesError} */
export function openInstallation(major: Major): Installation {
  const installation = opened.get(major) ?? makeInstallation(major)
  opened.set(major, installation)
  return installation
}

/** The same, after its programs, and packages of extensions, were fetched where they are not on this machine yet.
 *  @param tell Called before one is fetched, with the name of the package of extensions.
 *  @param wanted Extensions that the project creates. One that cannot be had is among the installation's `unusable`.
 *  @throws {NoBinariesError} */
export async function provideInstallation(
  major: Major,
  tell: (pack?: PackName) => void,
  wanted: ReadonlySet<string> = new Set(),
): Promise<Installation> {
  await provideInstalledPackage(major, tell)
  const packOf = (name: string) => KNOWN_EXTENSIONS[name]?.pack
  const lacking = [...wanted].filter((name) => packOf(name) && !openInstallation(major).extensions.has(name))
  const reasons = new Map<PackName, string>()
  for (const pack of new Set(lacking.flatMap((name) => packOf(name) ?? []))) {
    opened.delete(major)
    await providePack(pack, major, () => tell(pack)).catch((error: Error) => reasons.set(pack, error.message))
  }
  const found = openInstallation(major)
  const failures = lacking.flatMap((name) => {
    const reason = reasons.get(packOf(name) ?? 'postgis')
    return reason === undefined || found.extensions.has(name) ? [] : [[name, reason]]
  })
  const installation = { ...found, unusable: { ...Object.fromEntries(failures), ...found.unusable } }
  if (major === 15 && !installation.hasProjectRights)
    throw new NoBinariesError(
      'PostgreSQL 15 needs a library of undock, which is not on this machine: without it, a role that may create roles could also run programs. undock/native/README.md says how it is compiled',
    )
  return installation
}

function makeInstallation(major: Major): Installation {
  const source = findBinaries(major)
  const root = dirname(dirname(source.postgres))
  const { version } = findPackage(major)
  const built = builtExtensions(major)
  const own = new Set([
    ...globSync('share/postgresql/extension/*.control', { cwd: root }).map((path) => basename(path, '.control')),
    ...SCRIPT_EXTENSIONS,
    ...built.flatMap(({ name, controls }) => [name, ...controls]),
  ])
  const parts = [version, ...built.map(versionOf), ownFilesVersion(built)]
  const open = (key: string, system: readonly SystemExtension[]): string => {
    const folder = join(installationsFolder(), `${version}-${key.slice(0, 12)}`)
    if (!existsSync(folder)) install({ major, root, built, system, folder })
    return folder
  }
  const ownKey = hashOf(parts)
  const system = usableExtensions({
    major,
    own,
    cacheFile: join(installationsFolder(), `${version}-${ownKey.slice(0, 12)}.system.json`),
    binaries: () => binariesIn(open(ownKey, []), source),
    preloaded: PRELOADED_EXTENSIONS,
  })
  const key = system.usable.length === 0 ? ownKey : hashOf([...parts, system.version])
  const folder = open(key, system.usable)
  const now = new Date()
  utimesSync(folder, now, now)
  removeUnused(dirname(folder))
  const hasProjectRights = own.has(RIGHTS_LIBRARY)
  const extensions = new Set([...own, ...system.usable.map(({ name }) => name)])
  return {
    major,
    key,
    hasProjectRights,
    preloaded: [
      'pg_stat_statements',
      ...(hasProjectRights ? [RIGHTS_LIBRARY] : []),
      ...PRELOADED_EXTENSIONS.filter((name) => extensions.has(name)),
    ],
    extensions,
    unusable: system.unusable,
    binaries: binariesIn(folder, source),
  }
}

function binariesIn(folder: string, { postgres, initdb, pgCtl }: Binaries): Binaries {
  const inFolder = (program: string): string => join(folder, 'bin', basename(program))
  return { postgres: inFolder(postgres), initdb: inFolder(initdb), pgCtl: inFolder(pgCtl) }
}

const versionOf = ({ name, version, folder }: BuiltExtension): string =>
  `${name}@${version} ${statSync(folder).mtimeMs}`

const hashOf = (parts: readonly string[]): string => createHash('sha256').update(parts.join('\n')).digest('hex')

/** Where the server can be started from: as root undock starts it as another user, whom root's own folder is closed to. */
function installationsFolder(): string {
  const cache = join(userCacheFolder(process.env), 'postgres')
  return ordinaryUser() && !process.env.UNDOCK_CACHE_DIR ? '/var/cache/undock/postgres' : cache
}

function removeUnused(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const found = statSync(path, { throwIfNoEntry: false })
    if (found && Date.now() - found.mtimeMs > UNUSED_LIMIT) rmSync(path, { recursive: true, force: true })
  }
}
