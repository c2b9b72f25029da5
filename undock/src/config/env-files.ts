import { join } from 'node:path'
import { parseEnv } from 'node:util'
import type { Env } from './env.ts'
import { readOptional } from './optional-file.ts'

/** The environment with the project's env files in it. Whoever names a variable first wins: the process,
 *  then the files of `supabase/`, then those of the folder around it.
 *  @see supabase/cli pkg/config/config.go, loadNestedEnv */
export function readEnvFiles(workdir: string, environment: Env): Env {
  const names = envFileNames(environment.SUPABASE_ENV || 'development')
  const files = [join(workdir, 'supabase'), workdir].flatMap((folder) => names.map((name) => join(folder, name)))
  return files.reduce<Env>((env, file) => {
    const text = readOptional(file) ?? ''
    return { ...expand(parseEnv(text), text, env), ...withoutUnset(env) }
  }, environment)
}

/** The env files of one folder, the strongest first. Tests must not depend on one person's .env.local. */
export const envFileNames = (mode: string): string[] => [
  `.env.${mode}.local`,
  ...(mode === 'test' ? [] : ['.env.local']),
  `.env.${mode}`,
  '.env',
]

const VARIABLE = /\\?\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))/g

/** Puts variables of the file, or of the environment, in place of `${NAME}`; single quotes keep a value as it is. */
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
