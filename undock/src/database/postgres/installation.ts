import { createHash } from 'node:crypto'
import { existsSync, globSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { userCacheFolder } from '../../platform/folders.ts'
import { KNOWN_EXTENSIONS, type PackName } from '../extensions/known-extensions.ts'
import { type Binaries, findBinaries } from './binaries.ts'
import { type BuiltExtension, builtExtensions } from './built-extensions.ts'
import { install, ownFilesVersion, SCRIPT_EXTENSIONS } from './installation-files.ts'
import { ordinaryUser } from './ordinary-user.ts'
import { findPackage, type Major, NoBinariesError, provideInstalledPackage, providePack } from './postgres-package.ts'
import type { SystemExtension } from './system-extensions.ts'
import { usableExtensions } from './usable-extensions.ts'

export type Installation = {
  readonly major: Major
  readonly binaries: Binaries
  /** Identifies the server and its extensions: prepared data fits installations with the same key. */
  readonly key: string
  /** Extensions with their own library or script, rather than a shim. */
  readonly extensions: ReadonlySet<string>
  /** Why an extension from a package or this machine's PostgreSQL isn't included, by name. */
  readonly unusable: Readonly<Record<string, string>>
  /** Libraries that every server loads at its start (`shared_preload_libraries`). */
  readonly preloaded: readonly string[]
  /** Whether `postgres` may run the statements that need a superuser in PostgreSQL but not on hosted projects. */
  readonly hasProjectRights: boolean
}

const RIGHTS_LIBRARY = 'undock_rights'

/** PostgreSQL refuses to create these unless their library was preloaded. Hosted projects load it too. */
const PRELOADED_EXTENSIONS = ['pgaudit']

const UNUSED_LIMIT = 30 * 24 * 3_600_000

const opened = new Map<Major, Installation>()

/** Finds or creates the installation that this machine's servers run from: links to the package's files and built
 *  extensions, plus our control files. PostgreSQL before 18 only looks for extensions in its own folder.
 *  @throws {NoBinariesError} */
export function openInstallation(major: Major): Installation {
  const installation = opened.get(major) ?? makeInstallation(major)
  opened.set(major, installation)
  return installation
}

/** Like `openInstallation`, but first fetches missing programs and extension packages.
 *  @param tell Called before each fetch, with the name of the extension package.
 *  @param wanted Extensions that the project creates. Unobtainable ones are in the installation's `unusable`.
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
      "PostgreSQL 15 needs a library of undock to keep roles that create roles from running programs, and this machine has none. In undock's repository, `npm run native -w undock -- --major 15` compiles it",
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

/** Root starts the server as another user, who can't enter root's own folder. */
function installationsFolder(): string {
  const cache = join(userCacheFolder(process.env), 'postgres')
  return ordinaryUser() && !process.env.UNDOCK_CACHE_DIR ? '/var/cache/undock/postgres' : cache
}

function removeUnused(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats && Date.now() - stats.mtimeMs > UNUSED_LIMIT) rmSync(path, { recursive: true, force: true })
  }
}
