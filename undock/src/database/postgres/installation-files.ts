import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { KNOWN_EXTENSIONS, trustedLines } from '../extensions/known-extensions.ts'
import { readShim, SHIMS, shimsText } from '../extensions/shims.ts'
import type { BuiltExtension } from './built-extensions.ts'
import type { Major } from './postgres-package.ts'
import type { SystemExtension } from './system-extensions.ts'

/** Not for a project: languages that reach the machine, files as tables, and access to pages of any table. */
const NOT_TRUSTED =
  /^(?:file_fdw|pl(?:perl|python3|tcl)u|\w+_pl(?:perl|python3)u|pageinspect|pg_surgery|pg_logicalinspect)$/

/** From PostgreSQL 18 on, a connection may name a file that libpq appends to, or a file that names it. A database that undock
 *  didn't prepare has dblink as well, so its script itself restricts the connections. */
const DBLINK_CONNECTION = `CREATE DOMAIN dblink_connection AS text
  CHECK (value !~ '(^|[^a-z])(sslkeylogfile|servicefile)[[:space:]]*=|[?&][^=&]*%');
`
const withSafeConnections = (script: string): string =>
  DBLINK_CONNECTION +
  script.replaceAll(/^CREATE FUNCTION dblink(?:_connect|_exec)? \(.*\)$/gm, (head) =>
    head.replaceAll('text', 'dblink_connection'),
  )

/** Extensions in plain SQL. If they weren't compiled with the others, they come from PGlite's packages. */
export const SCRIPT_EXTENSIONS = ['pgtap', 'pgmq']

const unpacked = (built: readonly BuiltExtension[]): string[] =>
  SCRIPT_EXTENSIONS.filter((name) => !built.some((one) => one.name === name))

const LEFT_OUT = /\.a$|[\\/]pkgconfig[\\/]/

/** Identifies what `install` adds to the files that it's given. */
export const ownFilesVersion = (built: readonly BuiltExtension[]): string =>
  [
    ...unpacked(built).map(scriptVersion),
    ...SCRIPT_EXTENSIONS.map(trustedLines),
    ...[NOT_TRUSTED.source, DBLINK_CONNECTION, Object.keys(KNOWN_EXTENSIONS).join(), shimsText()],
  ].join('\n')

/** Returns the package of a plain SQL extension: an archive in `dist/`, with `share/postgresql/extension/`. */
export function scriptFolder(name: string): string {
  const own = fileURLToPath(new URL(`./scripts/${name}`, import.meta.url))
  return existsSync(own)
    ? own
    : dirname(dirname(createRequire(import.meta.url).resolve(`@electric-sql/pglite-${name}`)))
}

export function scriptVersion(name: string): string {
  const { version } = JSON.parse(readFileSync(join(scriptFolder(name), 'package.json'), 'utf8')) as { version: string }
  return `${name}@${version}`
}

/** PostgreSQL 15 lacks `@extschema:name@`, another extension's schema, which in the bootstrap is always `extensions`. */
const forMajor = (script: string, major: Major): string =>
  major === 15 ? script.replaceAll(/@extschema:\w+@/g, 'extensions') : script

export type InstallOptions = {
  readonly major: Major
  readonly root: string
  readonly built: readonly BuiltExtension[]
  readonly system: readonly SystemExtension[]
  readonly folder: string
}

/** Creates the folder that servers run from: links to the files of the package and the extensions, our control files,
 *  and shims. Written as a draft and renamed when complete. */
export function install({ major, root, built, system, folder }: InstallOptions): void {
  const draft = `${folder}.${process.pid}.draft`
  rmSync(draft, { recursive: true, force: true })
  linkTree(root, draft)
  const extensions = join(draft, 'share', 'postgresql', 'extension')
  for (const one of built) {
    linkTree(join(one.folder, 'lib'), join(draft, 'lib', 'postgresql'))
    linkTree(join(one.folder, 'share'), join(draft, 'share', 'postgresql'))
  }
  for (const name of unpacked(built)) {
    execFileSync('tar', ['-xzf', join(scriptFolder(name), 'dist', `${name}.tar.gz`), '-C', draft])
  }
  const controls = readdirSync(extensions).filter((name) => name.endsWith('.control'))
  for (const name of controls) {
    const extension = basename(name, '.control')
    const trust = NOT_TRUSTED.test(extension) ? '\ntrusted = false\n' : trustedLines(extension)
    replaceText(join(extensions, name), (text) => text + trust)
  }
  const scripts = readdirSync(extensions).filter((name) => /^dblink--[\d.]+\.sql$/.test(name))
  if (major >= 18) for (const name of scripts) replaceText(join(extensions, name), withSafeConnections)
  for (const one of system) addSystemExtension(one, draft)
  for (const name of SHIMS.filter((one) => !existsSync(join(extensions, `${one}.control`)))) {
    for (const file of readShim(name)) writeFileSync(join(extensions, file.name), forMajor(file.text, major))
  }
  try {
    renameSync(draft, folder)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  }
}

/** Replaces a link to a package's file instead of writing through it. */
function replaceText(path: string, edit: (text: string) => string): void {
  const text = edit(readFileSync(path, 'utf8'))
  rmSync(path)
  writeFileSync(path, text)
}

/** Links to the files in place, so that package updates apply. Extensions may share a library. */
function addSystemExtension({ name, control, scripts, libraries }: SystemExtension, draft: string): void {
  const shared = join(draft, 'share', 'postgresql', 'extension')
  writeFileSync(
    join(shared, basename(control)),
    readFileSync(control, 'utf8') + (name in KNOWN_EXTENSIONS ? trustedLines(name) : ''),
  )
  for (const script of scripts) symlinkSync(script, join(shared, basename(script)))
  for (const library of libraries) {
    const target = join(draft, 'lib', 'postgresql', basename(library))
    if (!existsSync(target)) symlinkSync(library, target)
  }
}

/** Mirrors a folder with hard links, which need no second copy, where the file system allows it. */
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
    copyFileSync(source, target)
  }
}
