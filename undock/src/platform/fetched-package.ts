import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { UserError } from '../kernel/service-error.ts'
import { userCacheFolder } from './folders.ts'
import { startable } from './process.ts'

const run = promisify(execFile)

/** Thrown if npm couldn't fetch a package. */
export class FetchError extends UserError {}

/** Returns the `node_modules` of a package that's fetched when first needed, rather than installed with undock. */
export function fetchedModules(name: string, others: readonly string[] = []): string {
  const key = others.length === 0 ? '' : `+${createHash('sha256').update(others.join(' ')).digest('hex').slice(0, 8)}`
  return join(userCacheFolder(process.env), 'packages', name.replaceAll('/', '+') + key, 'node_modules')
}

/** Imports a module that the published undock fetches when first needed. @throws {FetchError} */
export async function importPart<T>(name: string, own: () => Promise<T>, tell: () => void): Promise<T> {
  const { fetched } = undockManifest()
  if (!fetched) return own()
  const modules = await fetchPackage(`${name}@${fetched[name]}`, tell)
  return import(pathToFileURL(createRequire(join(modules, 'undock')).resolve(name)).href)
}

/** Fetches a package with npm, from its configured registry, into the user's cache folder once per machine.
 *  @param name Name and version, like `deno@2.9.6`.
 *  @param others More arguments for npm: packages needed with it, in tested versions, and options.
 *  @returns its `node_modules`.
 *  @throws {FetchError} */
export async function fetchPackage(name: string, tell: () => void, others: readonly string[] = []): Promise<string> {
  const modules = fetchedModules(name, others)
  if (existsSync(modules)) return modules
  tell()
  const folder = dirname(modules)
  await mkdir(dirname(folder), { recursive: true })
  const draft = await mkdtemp(`${folder}.draft-`)
  try {
    const { file, args, options } = startable('npm', ['install', '--prefix', draft, ...OPTIONS, name, ...others])
    await run(file, args, options)
    await rename(draft, folder).catch((error: unknown) => {
      if (!existsSync(modules)) throw error
    })
    return modules
  } catch (cause) {
    const { message, stderr = '' } = cause as Error & { stderr?: string }
    const reason = stderr.trim().split('\n').slice(0, 3).join(' ') || message
    throw new FetchError(`npm could not fetch ${name}: ${reason}`, { cause })
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/** For packages with unpinned dependencies: nothing newer than what undock was tested with. Update with their versions. */
export const AS_TESTED = '--before=2026-11-28'

const OPTIONS = [
  ...['--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
  // npm's defaults of 10 s and then a minute between retries are too long without a network.
  ...['--fetch-retries=2', '--fetch-retry-mintimeout=500', '--fetch-retry-maxtimeout=2000', '--fetch-timeout=60000'],
]

type Versions = Readonly<Record<string, string>>
/** @property fetched What the published package fetches when first needed; the repository has it installed. */
type Manifest = {
  readonly version: string
  readonly optionalDependencies?: Versions
  readonly fetched?: Versions
}

export const undockManifest = (): Manifest =>
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as Manifest

export const undockVersion = (): string => undockManifest().version
