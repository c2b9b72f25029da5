import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readdirSync, readFileSync, realpathSync, type Stats, statSync } from 'node:fs'
import { basename, delimiter, dirname, join } from 'node:path'
import { KNOWN_EXTENSIONS } from '../extensions/known-extensions.ts'

export type SystemFolders = {
  /** `pg_config --pkglibdir` */
  readonly libraries: string
  /** `extension` in `pg_config --sharedir`, with control files and scripts. */
  readonly extensions: string
}

export type SystemExtension = {
  readonly name: string
  readonly control: string
  readonly scripts: readonly string[]
  readonly libraries: readonly string[]
}

const HOMEBREW = ['/opt/homebrew', '/usr/local', '/home/linuxbrew/.linuxbrew']

/** Returns this major's package folders: Debian and Ubuntu, postgresql.org for Fedora and its relatives, Homebrew. */
export const packagedFolders = (major: number): SystemFolders[] => [
  { libraries: `/usr/lib/postgresql/${major}/lib`, extensions: `/usr/share/postgresql/${major}/extension` },
  { libraries: `/usr/pgsql-${major}/lib`, extensions: `/usr/pgsql-${major}/share/extension` },
  ...HOMEBREW.map((prefix) => ({
    libraries: `${prefix}/lib/postgresql@${major}`,
    extensions: `${prefix}/share/postgresql@${major}/extension`,
  })),
]

/** Returns the first `pg_config` on the search path, or null. */
export function findPgConfig(searchPath: string): string | null {
  const paths = searchPath.split(delimiter).filter(Boolean)
  return paths.map((folder) => join(folder, 'pg_config')).find((path) => existsSync(path)) ?? null
}

/** Returns the folders of a `pg_config`'s installation; null for another major. */
export function foldersOf(pgConfig: string, major: number): SystemFolders | null {
  try {
    const output = execFileSync(pgConfig, ['--version', '--pkglibdir', '--sharedir'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 5_000,
    })
    const [version = '', libraries = '', shared = ''] = output.split('\n')
    return version.startsWith(`PostgreSQL ${major}.`) ? { libraries, extensions: join(shared, 'extension') } : null
  } catch {
    return null
  }
}

/** Returns extensions that undock lacks. Skips files that other users could replace: the server would run them.
 *  @param own undock's extensions, including PostgreSQL's own. */
export function systemExtensions(folders: SystemFolders, own: ReadonlySet<string>): SystemExtension[] {
  if (![folders.libraries, folders.extensions].every(isProtectedFolder)) return []
  const files = readdirSync(folders.extensions)
  return files
    .filter((file) => file.endsWith('.control'))
    .map((file) => basename(file, '.control'))
    .filter((name) => !own.has(name) && !KNOWN_EXTENSIONS[name]?.isOwn)
    .flatMap((name) => readExtension(name, files, folders) ?? [])
}

function readExtension(name: string, files: readonly string[], folders: SystemFolders): SystemExtension | null {
  const control = join(folders.extensions, `${name}.control`)
  const scripts = files
    .filter((file) => file.startsWith(`${name}--`) && file.endsWith('.sql'))
    .map((file) => join(folders.extensions, file))
  if (scripts.length === 0 || ![control, ...scripts].every(isProtectedFile)) return null
  const used = new Set([name, ...usedLibraries([control, ...scripts])])
  const libraries = [...used].flatMap((library) => fileOf(folders.libraries, library))
  return libraries.every(isProtectedFile) ? { name, control, scripts, libraries } : null
}

const LIBRARY = /(?:\$libdir\/|module_pathname\s*=\s*')([\w.+-]+)/g

const usedLibraries = (files: readonly string[]): string[] => [
  ...new Set(files.flatMap((file) => [...readFileSync(file, 'utf8').matchAll(LIBRARY)].map(([, name = '']) => name))),
]

const fileOf = (folder: string, library: string): string[] =>
  globSync(`${library}{,.so,.dylib}`, { cwd: folder })
    .slice(0, 1)
    .map((file) => join(folder, file))

/** Returns whether only root and this user can write here and in all parent folders. */
function isProtectedFolder(folder: string): boolean {
  if (!existsSync(folder)) return false
  let path = realpathSync(folder)
  while (isProtected(statSync(path))) {
    if (path === dirname(path)) return true
    path = dirname(path)
  }
  return false
}

const isProtectedFile = (path: string): boolean => {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats !== undefined && isProtected(stats) && isProtectedFolder(dirname(realpathSync(path)))
}

const WRITABLE_BY_ALL = 0o002
/** In a sticky folder such as /tmp, users can't replace each other's files. */
const STICKY = 0o1000

const isProtected = ({ uid, mode }: Stats): boolean =>
  (uid === 0 || uid === process.getuid?.()) && ((mode & WRITABLE_BY_ALL) === 0 || (mode & STICKY) !== 0)
