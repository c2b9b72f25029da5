import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  globSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { userCacheFolder } from '../../kernel/cache-folder.ts'
import { readShim, SHIMS, shimsText } from '../extensions/shims.ts'
import { type Binaries, fetchBinaries, findBinaries, NoBinariesError } from './binaries.ts'
import { type BuiltExtension, builtExtensions } from './built-extensions.ts'
import type { Major } from './majors.ts'
import { ordinaryUser } from './ordinary-user.ts'

/** A Postgres with the extensions that undock brings. */
export type Installation = {
  readonly major: Major
  readonly binaries: Binaries
  /** Names the server and its extensions: data that one installation prepared fits another of the same key. */
  readonly key: string
  /** The extensions with a library or script of their own, rather than a shim. */
  readonly extensions: ReadonlySet<string>
  /** Libraries that every server of this installation loads at its start (`shared_preload_libraries`). */
  readonly preloaded: readonly string[]
  /** Whether `postgres` may run the statements for which hosted projects, unlike PostgreSQL, need no superuser. */
  readonly hasProjectRights: boolean
}

/** The library of undock/native/rights. */
const RIGHTS_LIBRARY = 'undock_rights'

/** `postgres` is no superuser. Hosted projects let supautils create extensions in a superuser's stead; Postgres itself does
 *  so for extensions that are marked as trusted. */
const TRUSTED = '\ntrusted = true\n'

/** Not for a project: languages that reach the machine, files as tables, and what reads or changes pages of any table. */
const NOT_TRUSTED =
  /^(?:file_fdw|pl(?:perl|python3|tcl)u|\w+_pl(?:perl|python3)u|pageinspect|pg_surgery|pg_walinspect|pg_logicalinspect)$/

/** Extensions of SQL alone, from the packages that PGlite has them from. */
const SCRIPT_EXTENSIONS = ['pgtap', 'pgmq']

/** Files of the package that a server does not need. */
const LEFT_OUT = /\.a$|[\\/]pkgconfig[\\/]/

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

/** The same, after its programs were fetched where they are not on this machine yet.
 *  @param onFetch Called before they are fetched.
 *  @throws {NoBinariesError} */
export async function provideInstallation(major: Major, onFetch: () => void): Promise<Installation> {
  await fetchBinaries(major, onFetch)
  const installation = openInstallation(major)
  if (major === 15 && !installation.hasProjectRights)
    throw new NoBinariesError(
      'PostgreSQL 15 needs a library of undock, which is not on this machine: without it, a role that may create roles could also run programs. undock/native/README.md says how it is compiled',
    )
  return installation
}

function makeInstallation(major: Major): Installation {
  const source = findBinaries(major)
  const root = dirname(dirname(source.postgres))
  const { version } = JSON.parse(readFileSync(join(root, '..', 'package.json'), 'utf8')) as { version: string }
  const built = builtExtensions(major)
  const key = keyOf(version, built)
  const folder = join(installationsFolder(), `${version}-${key.slice(0, 12)}`)
  if (!existsSync(folder)) install({ major, root, built, folder })
  const now = new Date()
  utimesSync(folder, now, now)
  removeUnused(dirname(folder))
  const inFolder = (program: string): string => join(folder, 'bin', basename(program))
  const hasProjectRights = built.some(({ name }) => name === RIGHTS_LIBRARY)
  return {
    major,
    key,
    hasProjectRights,
    preloaded: ['pg_stat_statements', ...(hasProjectRights ? [RIGHTS_LIBRARY] : [])],
    extensions: new Set([
      ...globSync('share/postgresql/extension/*.control', { cwd: root }).map((path) => basename(path, '.control')),
      ...SCRIPT_EXTENSIONS,
      ...built.map(({ name }) => name),
    ]),
    binaries: {
      postgres: inFolder(source.postgres),
      initdb: inFolder(source.initdb),
      pgCtl: inFolder(source.pgCtl),
    },
  }
}

function keyOf(version: string, built: readonly BuiltExtension[]): string {
  const parts = built.map(({ name, version, folder }) => `${name}@${version} ${statSync(folder).mtimeMs}`)
  return createHash('sha256')
    .update(
      [version, ...parts, ...SCRIPT_EXTENSIONS.map(scriptVersion), TRUSTED, NOT_TRUSTED.source, shimsText()].join('\n'),
    )
    .digest('hex')
}

const scriptPackage = (name: string): string =>
  dirname(dirname(createRequire(import.meta.url).resolve(`@electric-sql/pglite-${name}`)))

function scriptVersion(name: string): string {
  const { version } = JSON.parse(readFileSync(join(scriptPackage(name), 'package.json'), 'utf8')) as { version: string }
  return `${name}@${version}`
}

/** Where the server can be started from: as root undock starts it as another user, whom root's own folder is closed to. */
function installationsFolder(): string {
  const cache = join(userCacheFolder(process.env), 'postgres')
  return ordinaryUser() && !process.env.UNDOCK_CACHE_DIR ? '/var/cache/undock/postgres' : cache
}

/** PostgreSQL 15 does not know `@extschema:name@`, the schema of another extension. The bootstrap creates those that are named so
 *  in the schema `extensions`. */
const forMajor = (script: string, major: Major): string =>
  major === 15 ? script.replaceAll(/@extschema:\w+@/g, 'extensions') : script

type InstallOptions = {
  readonly major: Major
  /** The package's folder `native`. */
  readonly root: string
  readonly built: readonly BuiltExtension[]
  readonly folder: string
}

/** Writes to a folder beside, which becomes the installation when it is whole. */
function install({ major, root, built, folder }: InstallOptions): void {
  const draft = `${folder}.${process.pid}.draft`
  rmSync(draft, { recursive: true, force: true })
  linkTree(root, draft)
  const extensions = join(draft, 'share', 'postgresql', 'extension')
  for (const one of built) {
    linkTree(join(one.folder, 'lib'), join(draft, 'lib', 'postgresql'))
    linkTree(join(one.folder, 'share'), join(draft, 'share', 'postgresql'))
  }
  for (const name of SCRIPT_EXTENSIONS) {
    execFileSync('tar', ['-xzf', join(scriptPackage(name), 'dist', `${name}.tar.gz`), '-C', draft])
  }
  const controls = readdirSync(extensions).filter((name) => name.endsWith('.control'))
  for (const name of controls) {
    const path = join(extensions, name)
    const trusted = NOT_TRUSTED.test(basename(name, '.control')) ? '\ntrusted = false\n' : TRUSTED
    const text = readFileSync(path, 'utf8') + trusted
    // The file is a link to the package's: it is replaced, not written to.
    rmSync(path)
    writeFileSync(path, text)
  }
  for (const name of SHIMS.filter((one) => !controls.includes(`${one}.control`))) {
    for (const file of readShim(name)) writeFileSync(join(extensions, file.name), forMajor(file.text, major))
  }
  try {
    renameSync(draft, folder)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    // Another process was faster and has made the same.
    if (!existsSync(folder)) throw error
  }
}

/** The same files in another folder, without a second copy of their bytes where the file system allows it. */
function linkTree(from: string, to: string): void {
  if (!existsSync(from)) return
  mkdirSync(to, { recursive: true, mode: 0o755 })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (LEFT_OUT.test(source)) continue
    if (entry.isDirectory()) {
      linkTree(source, target)
      continue
    }
    rmSync(target, { force: true })
    linkOrCopy(source, target)
  }
}

function linkOrCopy(source: string, target: string): void {
  try {
    linkSync(source, target)
  } catch {
    // Another file system, or a file of another user.
    copyFileSync(source, target)
  }
}

function removeUnused(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const found = statSync(path, { throwIfNoEntry: false })
    if (found && Date.now() - found.mtimeMs > UNUSED_LIMIT) rmSync(path, { recursive: true, force: true })
  }
}
