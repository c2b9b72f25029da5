import { join } from 'node:path'
import { ConfigError } from './fault.ts'
import { readOptional } from './files.ts'

export type Env = Readonly<Record<string, string | undefined>>

/** Merges the environment with the project's env files. The first definition of a variable wins: the process, then the
 *  files in `supabase/`, then those in the parent folder.
 *  @see supabase/cli pkg/config/config.go, loadNestedEnv */
export function readEnvFiles(workdir: string, environment: Env): Env {
  const names = envFileNames(environment.SUPABASE_ENV || 'development')
  const files = ['supabase/', ''].flatMap((folder) => names.map((name) => folder + name))
  return files.reduce<Env>(
    (env, file) => ({ ...parseEnvFile(readOptional(join(workdir, file)) ?? '', file), ...withoutUnset(env) }),
    environment,
  )
}

/** A folder's env files, by precedence. Tests must not depend on a developer's .env.local. */
const envFileNames = (mode: string): string[] => [
  `.env.${mode}.local`,
  ...(mode === 'test' ? [] : ['.env.local']),
  `.env.${mode}`,
  '.env',
]

/** Parses an env file like the CLI, by godotenv's rules: a comment begins at a # after a blank, only upper-case names
 *  are substituted, by variables of the same file, and anything else is an error.
 *  @see supabase/cli apps/cli, and joho/godotenv parser.go
 *  @throws {ConfigError} */
export function parseEnvFile(text: string, file: string): Record<string, string> {
  const variables = new Map<string, string>()
  const source = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')
  let at = 0
  const take = (pattern: RegExp): string[] | null => {
    pattern.lastIndex = at
    const match = pattern.exec(source)
    at += match?.[0].length ?? 0
    return match
  }
  const fault = (from: number, message: string) => {
    const line = source.slice(0, from).split('\n').length
    return new ConfigError([{ file, line, key: '', message }])
  }
  for (take(GAP); at < source.length; take(GAP)) {
    take(/export\s+/y)
    const start = at
    const [, name] = take(/([\w. \t]*?)[ \t]*[=:][ \t]*/y) ?? []
    if (!name) {
      const [sign = ''] = /[^\w. \t]/.exec(source.slice(start).split('\n')[0] ?? '') ?? []
      const reason = sign === '' || sign === '=' || sign === ':' ? '' : `: ${sign} is not allowed in a name`
      throw fault(start, `is not NAME=VALUE${reason}. A comment begins with #.`)
    }
    const quote = source[at]
    if (quote === '"' || quote === "'") {
      const [, quoted] = take(quote === '"' ? DOUBLE_QUOTED : SINGLE_QUOTED) ?? []
      if (quoted === undefined) throw fault(start, `${name} begins with ${quote}, but has no closing quote`)
      const unescaped = quoted
        .replaceAll('\\n', '\n')
        .replaceAll('\\r', '\r')
        .replace(/\\([^$])/g, '$1')
      variables.set(name, quote === '"' ? expand(unescaped, variables) : quoted)
    } else {
      const [line = ''] = take(/[^\n]*/y) ?? []
      // The last # after a blank begins the comment.
      variables.set(name, expand(line.replace(/^(.*)(?<=[ \t])#.*/s, '$1').trim(), variables))
    }
  }
  return Object.fromEntries(variables)
}

const GAP = /(?:\s|#[^\n]*)*/y
/** Up to an unescaped quote; the rest of its line is ignored. */
const DOUBLE_QUOTED = /"([\s\S]*?)(?<!\\)"[^\n]*/y
const SINGLE_QUOTED = /'([\s\S]*?)(?<!\\)'[^\n]*/y
const VARIABLE = /(\\?)\$(\(?)\{?([A-Z0-9_]+)?\}?/g

const expand = (value: string, found: ReadonlyMap<string, string>): string =>
  value.replace(VARIABLE, (whole, backslash: string, parenthesis: string, name: string | undefined) => {
    if (backslash !== '' || parenthesis !== '') return whole.slice(1)
    return name === undefined ? whole : (found.get(name) ?? '')
  })

const withoutUnset = (env: Env): Env =>
  Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined))
