import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Config } from './config.ts'
import type { Env } from './env.ts'
import { readEnvFiles } from './env.ts'
import { ConfigError, type Fault } from './fault.ts'
import { readOptional } from './files.ts'
import { loadConfig } from './load.ts'
import { publicHost } from './public-host.ts'
import { loadSettings, type UndockSettings } from './settings.ts'

export type ProjectConfig = {
  readonly config: Config
  readonly settings: UndockSettings
  readonly warnings: readonly Fault[]
  readonly env: Env
}

/** Reads a project's configuration (`findConfigFile`), supabase/undock.toml and env files, with defaults if missing.
 *  @param workdir The parent of `supabase/`.
 *  @param environment The process's environment, which overrides env files, and with its overrides config.toml.
 *  @param text Replaces the configuration's text.
 *  @param mayCreate Whether variables also create tables missing from the files.
 *  @throws {ConfigError} that lists every fault of both files. */
export function readProjectConfig(
  workdir: string,
  environment: Env = process.env,
  { mayCreate = false, text }: { readonly mayCreate?: boolean; readonly text?: string } = {},
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
    const toml = text === undefined ? {} : { toml: text }
    const { config, warnings } = loadConfig({ ...source(name), ...toml, folder, ...(host ? { host } : {}) })
    return { config, warnings: [...warnings, ...shadowed(folder, name)] }
  })
  if (!project.ok || !settings.ok)
    throw new ConfigError([project, settings].flatMap((outcome) => (outcome.ok ? [] : outcome.error.faults)))
  return { ...project.value, settings: settings.value, env }
}

export type ConfigFileName = 'config.json' | 'config.jsonc' | 'config.toml'

/** Returns the name of the project's configuration, or null. As in the CLI, JSON takes precedence over TOML.
 *  @throws {ConfigError} if both config.json and config.jsonc exist. */
export function findConfigFile(folder: string): ConfigFileName | null {
  const names: readonly ConfigFileName[] = ['config.json', 'config.jsonc', 'config.toml']
  const found = names.filter((name) => existsSync(join(folder, name)))
  if (found[0] === 'config.json' && found[1] === 'config.jsonc')
    throw new ConfigError([
      {
        file: 'supabase/config.json',
        line: undefined,
        key: '',
        message: 'and supabase/config.jsonc both exist. Keep one and delete the other.',
      },
    ])
  return found[0] ?? null
}

function shadowed(folder: string, name: ConfigFileName): Fault[] {
  if (name === 'config.toml' || !existsSync(join(folder, 'config.toml'))) return []
  const message = `is ignored, because supabase/${name} takes precedence`
  return [{ file: 'supabase/config.toml', line: undefined, key: '', message }]
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
