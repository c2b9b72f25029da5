import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, globSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { unpackDebian } from './debian.ts'

/** What extensions are compiled against: a `pg_config` that PGXS, PostgreSQL's makefiles for extensions, can ask. */
export type BuildTree = {
  readonly pgConfig: string
  /** The server's headers. */
  readonly server: string
  /** Folders of headers beside the server's own. */
  readonly includes: readonly string[]
  /** Where `make install` puts libraries and extension files, below its DESTDIR. */
  readonly libraries: string
  readonly shared: string
}

/** This machine has no headers of this major, and none could be fetched. */
export class NoHeadersError extends Error {
  override readonly name = 'NoHeadersError'

  constructor(major: number, reason: string) {
    super(
      `The headers of PostgreSQL ${major} are needed to compile extensions: ${reason}\n` +
        `Install them (Homebrew: postgresql@${major}; Alpine: postgresql${major}-dev; Fedora: postgresql${major}-server-devel) and name their pg_config with --pg-config.`,
    )
  }
}

/** Packages of headers that the server's own headers include. */
const INCLUDED = ['libpq-dev', 'libkrb5-dev', 'krb5-multidev', 'libssl-dev', 'systemtap-sdt-dev']
const INSTALLED_LIBRARIES = '/undock/lib'
const INSTALLED_SHARE = '/undock/share'

/** Finds the headers of a major: those of the given `pg_config`, else Debian's packages, which are unpacked into `folder`
 *  and not installed.
 *  @throws {NoHeadersError} */
export function openBuildTree(major: number, folder: string, pgConfig?: string): BuildTree {
  const answers = pgConfig ? answersOf(pgConfig, major) : debianHeaders(major, folder)
  const { includedir, pkgincludedir } = answers
  // Debian keeps the client's headers in a separate folder.
  const includes = [includedir, pkgincludedir, ...globSync(join(includedir, '*-linux-gnu*'))]
  const server = answers['includedir-server']
  return {
    pgConfig: writePgConfig(folder, answers),
    server,
    includes,
    libraries: INSTALLED_LIBRARIES,
    shared: INSTALLED_SHARE,
  }
}

type Answers = Readonly<
  Record<'version' | 'bindir' | 'pgxs' | 'includedir' | 'includedir-server' | 'pkgincludedir', string>
>

function answersOf(pgConfig: string, major: number): Answers {
  const ask = (question: string): string => execFileSync(pgConfig, [question], { encoding: 'utf8' }).trim()
  const version = ask('--version')
  if (!version.startsWith(`PostgreSQL ${major}.`)) throw new NoHeadersError(major, `${pgConfig} is ${version}.`)
  const server = ask('--includedir-server')
  if (!existsSync(join(server, 'postgres.h'))) throw new NoHeadersError(major, `${server} has no postgres.h.`)
  return {
    version,
    // On macOS an extension is linked against the server's program.
    bindir: ask('--bindir'),
    pgxs: ask('--pgxs'),
    includedir: ask('--includedir'),
    'includedir-server': server,
    pkgincludedir: ask('--pkgincludedir'),
  }
}

/** Debian's packages of headers and makefiles. */
function debianHeaders(major: number, folder: string): Answers {
  const root = join(folder, 'postgres')
  const packages = [`postgresql-server-dev-${major}`, `postgresql-client-${major}`, ...INCLUDED]
  try {
    unpackDebian(major, packages, { folder, root })
  } catch (cause) {
    throw new NoHeadersError(major, `Debian's packages could not be fetched (${(cause as Error).message.trim()}).`)
  }
  const [pgxs] = globSync(`usr/lib/postgresql/${major}/lib/pgxs/src/makefiles/pgxs.mk`, { cwd: root })
  if (!pgxs) throw new NoHeadersError(major, 'Debian’s packages have no makefiles for extensions.')
  return {
    version: `PostgreSQL ${major}.0`,
    bindir: '/undock/bin',
    pgxs: join(root, pgxs),
    includedir: join(root, 'usr/include'),
    'includedir-server': join(root, `usr/include/postgresql/${major}/server`),
    pkgincludedir: join(root, 'usr/include/postgresql'),
  }
}

/** A `pg_config` for PGXS that installs into our folders. */
function writePgConfig(folder: string, answers: Answers): string {
  const all: Readonly<Record<string, string>> = {
    pkglibdir: INSTALLED_LIBRARIES,
    libdir: INSTALLED_LIBRARIES,
    sharedir: INSTALLED_SHARE,
    docdir: '/undock/doc',
    mandir: '/undock/man',
    sysconfdir: '/undock/etc',
    localedir: '/undock/locale',
    ...answers,
  }
  const path = join(folder, 'bin', 'pg_config')
  mkdirSync(dirname(path), { recursive: true })
  const cases = Object.entries(all).map(([name, value]) => `  --${name}) echo '${value}' ;;`)
  writeFileSync(path, ['#!/bin/sh', 'case "$1" in', ...cases, '  *) echo ;;', 'esac', ''].join('\n'))
  chmodSync(path, 0o755)
  return path
}
