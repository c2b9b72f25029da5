import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { readOptional } from './files.ts'

export type Env = Readonly<Record<string, string | undefined>>

const REFERENCE = /^env\((.*)\)$/

/** The name in an unresolved `env(NAME)`. */
export const unresolvedName = (text: string): string | undefined => REFERENCE.exec(text)?.[1]

/** Replaces strings `env(NAME)` by the values of the environment. As in the CLI, a reference to an unset or empty variable stays. */
export function resolveReferences(value: unknown, env: Env): unknown {
  if (typeof value === 'string') {
    const name = unresolvedName(value)
    return (name !== undefined && env[name]) || value
  }
  if (Array.isArray(value)) return value.map((item) => resolveReferences(item, env))
  if (!isTable(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolveReferences(item, env)]))
}

export type RawTable = Record<string, unknown>

/** TOML dates are objects too, but not tables. */
export const isTable = (value: unknown): value is RawTable =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)

/** Merges the environment with the project's env files. The first definition of a variable counts: the process, then the files in
 *  `supabase/`, then those in the folder above.
 *  @see supabase/cli pkg/config/config.go, loadNestedEnv */
export function readEnvFiles(workdir: string, environment: Env): Env {
  const names = envFileNames(environment.SUPABASE_ENV || 'development')
  const files = [join(workdir, 'supabase'), workdir].flatMap((folder) => names.map((name) => join(folder, name)))
  return files.reduce<Env>((env, file) => {
    const text = readOptional(file) ?? ''
    return { ...expand(parseEnv(text), text, env), ...withoutUnset(env) }
  }, environment)
}

/** The env files of one folder, by precedence. Tests must not depend on a developer's .env.local. */
export const envFileNames = (mode: string): string[] => [
  `.env.${mode}.local`,
  ...(mode === 'test' ? [] : ['.env.local']),
  `.env.${mode}`,
  '.env',
]

const VARIABLE = /\\?\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))/g

/** Replaces `${NAME}` by variables of the file or the environment, except in single quotes. */
function expand(found: NodeJS.Dict<string>, text: string, env: Env): Env {
  const literal = new Set([...text.matchAll(/^\s*(?:export\s+)?([\w.-]+)\s*=\s*'/gm)].map((line) => line[1]))
  const read = (name: string) => env[name] ?? found[name] ?? ''
  const fill = (value: string) =>
    value.replace(VARIABLE, (whole, braced: string | undefined, plain: string | undefined) =>
      whole.startsWith('\\') ? whole.slice(1) : read(braced ?? plain ?? ''),
    )
  return Object.fromEntries(
    Object.entries(found).map(([name, value]) => [name, literal.has(name) ? value : fill(value ?? '')]),
  )
}

const withoutUnset = (env: Env): Env =>
  Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined))
