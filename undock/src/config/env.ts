import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { readOptional } from './files.ts'

export type Env = Readonly<Record<string, string | undefined>>

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
const envFileNames = (mode: string): string[] => [
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
