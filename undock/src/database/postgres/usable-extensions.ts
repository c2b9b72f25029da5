import { spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { makeTemporaryFolder } from '../../platform/folders.ts'
import { ENGINE_USER } from '../as-project-user.ts'
import type { Binaries } from './binaries.ts'
import { ordinaryUser } from './ordinary-user.ts'
import type { Major } from './postgres-package.ts'
import {
  findPgConfig,
  foldersOf,
  packagedFolders,
  type SystemExtension,
  systemExtensions,
} from './system-extensions.ts'

/** Loads each library into its own server, on throwaway data: a library may need another C library or missing
 *  libraries, or crash this server. The first trial takes a second because of the data, each further one 40 ms.
 *  @param isPreloaded Whether a server must load the library at its start.
 *  @returns the reason for each library that can't be loaded. */
export function tryLibraries(
  { postgres, initdb }: Binaries,
  libraries: readonly string[],
  isPreloaded: (library: string) => boolean,
): ReadonlyMap<string, string> {
  const folder = makeTemporaryFolder('trial')
  const user = ordinaryUser()
  if (user) chownSync(folder, user.uid, user.gid)
  const data = join(folder, 'data')
  const options = { encoding: 'utf8', timeout: TRIAL_LIMIT, env: { ...process.env, LC_ALL: 'C' }, ...user } as const
  try {
    const result = spawnSync(initdb, ['-D', data, '-U', ENGINE_USER, '--auth=reject', '--no-sync'], options)
    if (result.status !== 0) return new Map(libraries.map((library) => [library, 'it could not be tried']))
    const failures = libraries.map((library): [string, string | null] => {
      const preload = isPreloaded(library) ? ['-c', `shared_preload_libraries=${library}`] : []
      const input = preload.length > 0 ? '' : `load '${library.replaceAll("'", "''")}'\n`
      const args = ['--single', '-D', data, '-c', 'fsync=off', '-c', 'log_min_messages=error', ...preload, 'postgres']
      const { status, stderr } = spawnSync(postgres, args, { ...options, input })
      return [library, reasonIn(stderr) ?? (status === 0 ? null : 'the server crashed')]
    })
    return new Map(failures.filter((one): one is [string, string] => one[1] !== null))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const TRIAL_LIMIT = 30_000

const reasonIn = (output: string): string | undefined =>
  /(?:ERROR|FATAL): {2}(?:could not load library "[^"]*": )?(.+)/.exec(output)?.[1]

export type UsableExtensions = {
  readonly usable: readonly SystemExtension[]
  readonly unusable: Readonly<Record<string, string>>
  readonly version: string
}

type Verdict = UsableExtensions & {
  readonly pgConfig: string | null
  /** Modification times in milliseconds; 0 for missing files. */
  readonly seen: Readonly<Record<string, number>>
}

export type UsableExtensionsOptions = {
  readonly major: Major
  readonly own: ReadonlySet<string>
  /** Caches the result, because a trial takes a second. */
  readonly cacheFile: string
  /** Programs for a trial, which the servers' user must be able to reach. */
  binaries(): Binaries
  readonly preloaded: readonly string[]
}

/** Linux's index of libraries: once it changes, an extension that couldn't load before may load. */
const LIBRARY_INDEX = '/etc/ld.so.cache'

/** Returns the extensions of this machine's PostgreSQL of the same major that undock's server can load. */
export function usableExtensions(options: UsableExtensionsOptions): UsableExtensions {
  const pgConfig = findPgConfig(process.env.PATH ?? '')
  const cached = readVerdict(options.cacheFile)
  if (
    cached &&
    cached.pgConfig === pgConfig &&
    Object.entries(cached.seen).every(([path, at]) => changedAt(path) === at)
  )
    return cached
  const verdict = judge(options, pgConfig)
  const draft = `${options.cacheFile}.${process.pid}.draft`
  mkdirSync(dirname(draft), { recursive: true })
  writeFileSync(draft, JSON.stringify(verdict))
  renameSync(draft, options.cacheFile)
  return verdict
}

function readVerdict(file: string): Verdict | null {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Verdict) : null
}

function judge({ major, own, binaries, preloaded }: UsableExtensionsOptions, pgConfig: string | null): Verdict {
  const named = pgConfig ? foldersOf(pgConfig, major) : null
  const places = [...(named ? [named] : []), ...packagedFolders(major)]
  const found = new Map(
    places.toReversed().flatMap((place) => systemExtensions(place, own).map((one) => [one.name, one] as const)),
  )
  const extensionOf = new Map([...found.values()].flatMap(({ name, libraries }) => libraries.map((one) => [one, name])))
  const libraries = [...extensionOf.keys()]
  const failures =
    libraries.length === 0
      ? new Map<string, string>()
      : tryLibraries(binaries(), libraries, (one) => preloaded.includes(extensionOf.get(one) ?? ''))
  const unusable = Object.fromEntries(
    [...found.values()].flatMap((one) => {
      const failed = one.libraries.find((library) => failures.has(library))
      return failed ? [[one.name, `${failed} cannot be loaded: ${failures.get(failed)}`]] : []
    }),
  )
  const usable = [...found.values()].filter(({ name }) => !(name in unusable))
  const depends = [
    ...(pgConfig ? [pgConfig] : []),
    ...places.flatMap((place) => [place.libraries, place.extensions]),
    ...(Object.keys(unusable).length > 0 ? [LIBRARY_INDEX] : []),
  ]
  return {
    pgConfig,
    seen: Object.fromEntries(depends.map((path) => [path, changedAt(path)])),
    usable,
    unusable,
    version: usable
      .flatMap(({ control, scripts, libraries }) => [control, ...scripts, ...libraries].map(versionOf))
      .join('\n'),
  }
}

const versionOf = (path: string): string => {
  const { mtimeMs, size } = statSync(path)
  return `${basename(path)} ${size} ${mtimeMs}`
}

const changedAt = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
