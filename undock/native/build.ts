// `npm run native`: compiles the extensions of extensions.ts for undock's native Postgres and leaves them in the user's cache
// folder, where undock finds them. See `--help` for options.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { builtExtensionsFolder } from '../src/database/postgres/built-extensions.ts'
import { openInstallation } from '../src/database/postgres/installation.ts'
import { DEFAULT_MAJOR, MAJORS, provideInstalledPackage } from '../src/database/postgres/postgres-package.ts'
import { tryLibraries } from '../src/database/postgres/usable-extensions.ts'
import { unpackDebian } from './debian.ts'
import {
  type DebianPackage,
  EXTENSIONS,
  folderName,
  isCompiled,
  licencesIn,
  type NativeExtension,
  type Source,
} from './extensions.ts'
import { type BuildTree, openBuildTree } from './headers.ts'

const NAMES = [...new Set(EXTENSIONS.map(({ name }) => name))]
const HELP = `Compiles Postgres extensions for undock's native engine: those named, or else all that take a minute, of
${NAMES.join(', ')}.

  node undock/native/build.ts [options] [name…]

  --major NUMBER     The version of Postgres, ${DEFAULT_MAJOR} by default: ${MAJORS.join(', ')}
  --pg-config PATH   Compiles against this installation's headers; on Debian they are fetched otherwise
  --essential        Those that undock's own tests need
  --if-missing       Does nothing for extensions that are there in this version
  --check            Compiles nothing; ends with code 1 if an extension is missing
  --help             Shows this text

A C compiler and make are needed; for postgis, on Debian or Ubuntu, also cmake, g++ and perl. The result goes to the user's cache folder, or to UNDOCK_CACHE_DIR.
An extension that cannot be compiled leaves the others as they are; the command then ends with code 1.`

/** Milliseconds that one place may take to send a release's archive. */
const FETCH_LIMIT = 60_000

const run = promisify(execFile)

class NoSourceError extends Error {
  override readonly name = 'NoSourceError'
}

const { values: options, positionals: names } = readArguments()
if (options.help) {
  console.log(HELP)
  process.exit(0)
}
const major = MAJORS.find((one) => String(one) === options.major) ?? DEFAULT_MAJOR
const chosen = EXTENSIONS.filter(isChosen)
const out = builtExtensionsFolder(major)
const missing = chosen.filter((one) => !isCompiled(one, join(out, folderName(one))))
if (options.check) {
  if (missing.length > 0) console.error(`Missing: ${missing.map(folderName).join(', ')}`)
  process.exit(missing.length > 0 ? 1 : 0)
}
const wanted = options['if-missing'] ? missing : chosen
if (wanted.length === 0) {
  console.log(`The extensions for PostgreSQL ${major} are in ${out}.`)
  process.exit(0)
}

const work = mkdtempSync(join(tmpdir(), 'undock-native-'))
try {
  const tree = openBuildTree(major, work, options['pg-config'])
  mkdirSync(out, { recursive: true })
  const drafts: Draft[] = []
  for (const one of wanted) {
    try {
      drafts.push(await provide(one, tree))
    } catch (error) {
      report(one, error as Error & { stderr?: string | Buffer | null })
    }
  }
  const failures = await tryDrafts(drafts)
  for (const draft of drafts) {
    const reason = librariesOf(draft).flatMap((path) => failures.get(path) ?? [])[0]
    if (reason) {
      report(draft.one, new Error(`PostgreSQL cannot load it: ${reason}`))
      rmSync(draft.folder, { recursive: true })
    } else keep(draft)
  }
  console.log(`What was compiled for PostgreSQL ${major} is in ${out}.`)
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
} finally {
  rmSync(work, { recursive: true, force: true })
}

function readArguments() {
  try {
    const found = parseArgs({
      allowPositionals: true,
      options: {
        major: { type: 'string', default: String(DEFAULT_MAJOR) },
        'pg-config': { type: 'string' },
        essential: { type: 'boolean', default: false },
        'if-missing': { type: 'boolean', default: false },
        check: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    })
    if (!MAJORS.some((one) => String(one) === found.values.major))
      throw new Error(`PostgreSQL ${found.values.major} is not offered.`)
    const unknown = found.positionals.find((name) => !NAMES.includes(name))
    if (unknown) throw new Error(`There is no extension ${unknown} here.`)
    return found
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${HELP}`)
    process.exit(2)
  }
}

function isChosen({ name, majors, isEssential = false, script }: NativeExtension): boolean {
  if (!majors.includes(major)) return false
  return options.essential ? isEssential : names.length === 0 ? !script : names.includes(name)
}

/** An extension with `lib/`, `share/extension/` and its licence, before it was tried. */
type Draft = { readonly one: NativeExtension; readonly folder: string; readonly origin: string }

async function provide(one: NativeExtension, tree: BuildTree): Promise<Draft> {
  const folder = join(out, `.${folderName(one)}.${process.pid}`)
  try {
    await build(one, tree, folder)
    return { one, folder, origin: 'compiled' }
  } catch (error) {
    const taken = one.debian?.[process.arch]
    if (!(error instanceof NoSourceError && process.platform === 'linux' && taken)) throw error
    takeFromDebian(one, taken, folder)
    return { one, folder, origin: `taken from Debian's package ${taken.name}, because ${error.message}` }
  }
}

/** A library compiled against newer headers may need functions that undock's server lacks. */
async function tryDrafts(drafts: readonly Draft[]): Promise<ReadonlyMap<string, string>> {
  if (drafts.length === 0) return new Map()
  await provideInstalledPackage(major, () => console.log(`Fetching PostgreSQL ${major}`))
  // The server may run as another user.
  chmodSync(work, 0o755)
  for (const folder of drafts.map((draft) => join(draft.folder, 'lib')).filter((path) => existsSync(path)))
    cpSync(folder, join(work, 'trial'), { recursive: true })
  const preloaded = drafts.filter(({ one }) => one.isPreloaded).flatMap(librariesOf)
  const all = drafts.flatMap(librariesOf)
  return tryLibraries(openInstallation(major).binaries, all, (path) => preloaded.includes(path))
}

/** Where a draft's libraries are tried; an extension of SQL alone has none. */
function librariesOf({ folder }: Draft): string[] {
  return globSync('lib/*.{so,dylib}', { cwd: folder }).map((path) => join(work, 'trial', basename(path)))
}

/** Puts it in the place of other versions, whole or not at all. */
function keep({ one, folder, origin }: Draft): void {
  const before = readdirSync(out).filter((name) => name.startsWith(`${one.name}@`))
  for (const name of before) rmSync(join(out, name), { recursive: true })
  renameSync(folder, join(out, folderName(one)))
  console.log(`${one.name} ${one.version}: ${origin}`)
}

function report(
  { name, version }: NativeExtension,
  { message, stderr }: Error & { stderr?: string | Buffer | null },
): void {
  process.exitCode = 1
  // A program that could not be started has null.
  const output = `${stderr ?? ''}`.split('\n').slice(-15).join('\n')
  console.error(`${name} ${version}: ${[message.split('\n')[0], output].join('\n').trimEnd()}`)
}

async function build(one: NativeExtension, tree: BuildTree, draft: string): Promise<void> {
  const source = join(work, one.name)
  await unpack(one, source)
  const installed = join(work, `${one.name}.installed`)
  const env = { ...process.env, C_INCLUDE_PATH: tree.includes.join(':') }
  const options = { cwd: join(source, one.part ?? ''), env, maxBuffer: 64 * 1024 * 1024 }
  const cc = process.env.CC ?? 'cc'
  const fallbacks = join(work, 'newer-headers.o')
  const onLinux = process.platform === 'linux' ? { LDFLAGS_SL: fallbacks } : {}
  if (process.platform === 'linux') {
    const file = fileURLToPath(new URL('./newer-headers.c', import.meta.url))
    await run(cc, ['-O2', '-fPIC', '-c', file, '-I', tree.server, '-o', fallbacks], options)
  }
  const common = { with_llvm: 'no', ...onLinux }
  if (one.script) {
    await runScript(one.script, { tree, source, draft, installed, env, flags: words(common).join(' ') })
    return
  }
  const variables = words({
    USE_PGXS: '1',
    PG_CONFIG: tree.pgConfig,
    CC: cc,
    // PostgreSQL's code relies on these. The headers' own flags are for the compiler that PostgreSQL was built with.
    CFLAGS: '-O2 -fno-strict-aliasing -fwrapv',
    ...common,
    ...one.make,
  })
  await run('make', [`-j${availableParallelism()}`, ...variables], options)
  await run('make', ['install', ...variables, `DESTDIR=${installed}`], options)
  for (const [from, to] of [
    [tree.libraries, 'lib'],
    [tree.shared, 'share'],
  ] as const) {
    const folder = join(installed, from)
    if (existsSync(folder)) cpSync(folder, join(draft, to), { recursive: true })
  }
  for (const name of licencesIn(source)) cpSync(join(source, name), join(draft, name))
}

function words(variables: Readonly<Record<string, string>>): string[] {
  return Object.entries(variables).map(([name, value]) => `${name}=${value}`)
}

type Run = Readonly<Record<'source' | 'draft' | 'installed' | 'flags', string>> & {
  readonly tree: BuildTree
  readonly env: NodeJS.ProcessEnv
}

/** Binaries linked against Debian 12's libraries also run on newer systems. */
async function runScript(
  { file, proj, packages }: NonNullable<NativeExtension['script']>,
  { source, draft, installed, flags, tree, env }: Run,
): Promise<void> {
  const [projSource, debian] = [join(work, 'proj'), join(work, 'debian12')]
  await unpack({ name: 'proj', source: proj }, projSource)
  unpackDebian(15, packages, { folder: join(work, 'bookworm'), root: debian })
  await run(fileURLToPath(file), [], {
    env: {
      ...env,
      ...{ SOURCE: source, PROJ: projSource, DEBIAN: debian, INSTALLED: installed, DRAFT: draft },
      ...{ PG_CONFIG: tree.pgConfig, FLAGS: `${flags} CC=gcc CXX=g++` },
    },
    maxBuffer: 64 * 1024 * 1024,
  })
}

function takeFromDebian({ name }: NativeExtension, taken: DebianPackage, draft: string): void {
  const root = join(work, `${name}.debian`)
  unpackDebian(major, [taken.name], { folder: join(work, 'debian'), root, sha256: taken.sha256 })
  cpSync(join(root, `usr/lib/postgresql/${major}/lib/${name}.so`), join(draft, 'lib', `${name}.so`))
  cpSync(join(root, `usr/share/postgresql/${major}/extension`), join(draft, 'share/extension'), { recursive: true })
  cpSync(join(root, 'usr/share/doc', taken.name, 'copyright'), join(draft, 'copyright'))
}

async function unpack({ name, source }: Pick<NativeExtension, 'name' | 'source'>, folder: string): Promise<void> {
  if ('folder' in source) return cpSync(source.folder, folder, { recursive: true })
  mkdirSync(folder)
  const archive = join(work, `${name}.tar`)
  writeFileSync(archive, await fetchSource(source))
  await run('tar', ['-xf', archive, '-C', folder, '--strip-components=1'])
}

async function fetchSource({ urls, sha256 }: Source): Promise<Buffer> {
  const reasons: string[] = []
  for (const url of urls) {
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(FETCH_LIMIT) })
      if (!response.ok) throw new Error(`status ${response.status}`)
      const bytes = Buffer.from(await response.arrayBuffer())
      const found = createHash('sha256').update(bytes).digest('hex')
      if (found !== sha256) throw new Error(`its SHA-256 is ${found} instead of ${sha256}`)
      return bytes
    } catch (error) {
      reasons.push(`${url}: ${(error as Error).message}`)
    }
  }
  throw new NoSourceError(`its source could not be fetched (${reasons.join('; ')})`)
}
