import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { SERVICES, type ServiceName } from '../service-names.ts'

/** The words of a command were not understood. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Parses a command's words strictly.
 *  @throws {UsageError} */
export function parse<T extends ParseArgsConfig>(args: readonly string[], config: T) {
  try {
    return parseArgs({ ...config, args: [...args], strict: true })
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : error}\nSee \`undock help\`.`)
  }
}

/** The folder that holds `supabase/`: the one named, else the nearest at or above the current one.
 *  @throws {UsageError} when there is none. */
export function findWorkdir(named: string | undefined): string {
  if (named !== undefined) {
    const folder = resolve(named)
    if (!existsSync(join(folder, 'supabase'))) {
      throw new UsageError(`${folder} holds no folder "supabase". Make one with \`npx supabase init\`.`)
    }
    return folder
  }
  for (let folder = process.cwd(); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'supabase'))) return folder
    if (folder === dirname(folder)) {
      throw new UsageError(
        'No folder "supabase" here or above. Make one with `npx supabase init`, or name a project with --workdir.',
      )
    }
  }
}

/** The names that `supabase start --exclude` uses for the same things. */
const CONTAINERS: Readonly<Record<string, ServiceName | null>> = {
  postgrest: 'rest',
  gotrue: 'auth',
  'storage-api': 'storage',
  'edge-runtime': 'functions',
  mailpit: 'mail',
  inbucket: 'mail',
  imgproxy: null,
  kong: null,
  logflare: null,
  'postgres-meta': null,
  studio: null,
  supavisor: null,
  vector: null,
}

/** @throws {UsageError} naming what is not known. */
export function parseExclude(values: readonly string[]): ServiceName[] {
  return values
    .flatMap((value) => value.split(','))
    .map((value) => value.trim())
    .filter(Boolean)
    .flatMap((value) => {
      const known = SERVICES.find((service) => service === value) ?? CONTAINERS[value]
      if (known === undefined) throw new UsageError(`--exclude knows ${SERVICES.join(', ')}; not "${value}".`)
      return known === null ? [] : [known]
    })
}

/** @throws {UsageError} */
export function parsePorts(value: string): 'free' | 'config' {
  if (value === 'free' || value === 'config') return value
  throw new UsageError(`--ports takes "free" or "config", not "${value}".`)
}
