import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Config } from './config.ts'
import type { Env } from './env.ts'
import { readEnvFiles } from './env.ts'
import { ConfigError, type ConfigWarning } from './fault.ts'
import { readOptional } from './files.ts'
import { loadConfig } from './load.ts'
import { publicHost } from './public-host.ts'
import { loadSettings, type UndockSettings } from './settings.ts'

export type ProjectConfig = {
  readonly config: Config
  readonly settings: UndockSettings
  readonly warnings: readonly ConfigWarning[]
  /** The environment, merged with the project's env files. */
  readonly env: Env
}

/** Reads all settings of the project in a folder: supabase/config.toml or config.json, supabase/undock.toml and the env files.
 *  A missing file means its defaults.
 *  @param workdir The folder that holds `supabase/`.
 *  @param environment The environment of the process; it takes precedence over env files, and its overrides over config.toml.
 *  @param toml A text in the place of the one of config.toml.
 *  @param mayCreate Whether variables also create tables that the files do not have.
 *  @throws {ConfigError} that lists every fault of both files. */
export function readProjectConfig(
  workdir: string,
  environment: Env = process.env,
  { mayCreate = false, toml }: { readonly mayCreate?: boolean; readonly toml?: string } = {},
): ProjectConfig {
  const root = resolve(workdir)
  const folder = join(root, 'supabase')
  const env = readEnvFiles(root, environment)
  const source = (name: string) => ({
    toml: readOptional(join(folder, name)) ?? '',
    file: `supabase/${name}`,
    env,
    mayCreate,
  })
  const settings = attempt(() => loadSettings(source('undock.toml')))
  const host = settings.ok ? publicHost(settings.value.host) : undefined
  const project = attempt(() => {
    const name = findConfigFile(folder) ?? 'config.toml'
    const text = name === 'config.toml' && toml !== undefined ? { toml } : {}
    return loadConfig({ ...source(name), ...text, folder, ...(host ? { host } : {}) })
  })
  if (!project.ok || !settings.ok)
    throw new ConfigError([project, settings].flatMap((outcome) => (outcome.ok ? [] : outcome.error.faults)))
  return { ...project.value, settings: settings.value, env }
}

/** The name of the project's configuration: the CLI reads it in either format. Null without one.
 *  @throws {ConfigError} when there are both. */
export function findConfigFile(folder: string): 'config.toml' | 'config.json' | null {
  const found = (['config.json', 'config.toml'] as const).filter((name) => existsSync(join(folder, name)))
  if (found.length > 1)
    throw new ConfigError([
      {
        file: 'supabase/config.json',
        line: undefined,
        key: '',
        message: 'there is a config.toml beside it; keep one of both and delete the other',
      },
    ])
  return found[0] ?? null
}

type Attempt<T> = { ok: true; value: T } | { ok: false; error: ConfigError }

function attempt<T>(work: () => T): Attempt<T> {
  try {
    return { ok: true, value: work() }
  } catch (error) {
    if (error instanceof ConfigError) return { ok: false, error }
    throw error
  }
}
