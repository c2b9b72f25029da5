import { existsSync } from 'node:fs'
import { appendFile, readdir, readFile, stat, truncate } from 'node:fs/promises'
import { isAbsolute, join, parse, relative, resolve, sep } from 'node:path'
import type { Config } from '../../config/config.ts'
import { ifMissing } from '../../kernel/promises.ts'
import { splitStatements } from '../statements/split-statements.ts'

export type Migration = {
  readonly version: string
  readonly name: string
  readonly path: string
  readonly text: string
}
export type ProjectScript = { readonly path: string; readonly text: string }

const MIGRATION_NAME = /^(\d+)_(.*)\.sql$/

/** The first migration that early versions of the CLI created; later versions skip it. */
const INIT_MIGRATION = /^(\d{14})_init\.sql$/
const INIT_APPLIED_FROM = '20211209000000'

/** Returns a project's migrations in the order in which the CLI applies them: by the bytes of their file names.
 *  @param skip Called with a reason for each file that isn't named like a migration.
 *  @see supabase/cli pkg/migration/list.go */
export async function readMigrations(
  supabaseFolder: string,
  skip: (path: string, reason: string) => void = () => undefined,
): Promise<Migration[]> {
  const folder = join(supabaseFolder, 'migrations')
  const entries = await readdir(folder, { withFileTypes: true }).catch(ifMissing([]))
  const files = entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name)
  files.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  const matches = files.flatMap((file, index) => {
    const path = join('supabase', 'migrations', file)
    const match = MIGRATION_NAME.exec(file)
    if (index === 0 && (INIT_MIGRATION.exec(file)?.[1] ?? INIT_APPLIED_FROM) < INIT_APPLIED_FROM) {
      skip(path, 'give it another name than "init" to have it applied')
      return []
    }
    if (!match && file.endsWith('.sql')) skip(path, 'migrations are named <timestamp>_name.sql')
    return match ? [{ file, path, version: match[1] ?? '', name: match[2] ?? '' }] : []
  })
  return Promise.all(
    matches.map(async ({ file, ...known }) => ({ ...known, text: await readText(join(folder, file)) })),
  )
}

const readText = async (path: string): Promise<string> => (await readFile(path, 'utf8')).replace(/^\uFEFF/, '')

/** Reads the scripts that match a list of paths, folders (their `*.sql`) and globs, each once, in the list's order.
 *  @param patterns Absolute, or relative to the `supabase` folder, in the syntax of Go's `filepath.Match`, as in the
 *  CLI: no braces, no `**`, and no special treatment of leading dots.
 *  @returns the scripts, and the patterns that matched nothing. */
export async function readScripts(
  supabaseFolder: string,
  patterns: readonly string[],
): Promise<{ scripts: ProjectScript[]; unmatched: string[] }> {
  const paths = new Set<string>()
  const unmatched: string[] = []
  for (const pattern of patterns) {
    const files = await filesOf(resolve(supabaseFolder), pattern)
    if (files.length === 0) unmatched.push(join('supabase', relative(supabaseFolder, resolve(supabaseFolder, pattern))))
    for (const path of files) paths.add(relative(supabaseFolder, path))
  }
  const scripts = await Promise.all(
    [...paths].map(async (path) => ({
      path: join('supabase', path),
      text: await readText(join(supabaseFolder, path)),
    })),
  )
  return { scripts, unmatched }
}

async function filesOf(base: string, pattern: string): Promise<string[]> {
  let found = [isAbsolute(pattern) ? parse(pattern).root : base]
  for (const part of pattern.slice(isAbsolute(pattern) ? parse(pattern).root.length : 0).split(SEPARATORS)) {
    const next = found.map(async (folder) => {
      if (!/[*?[\\]/.test(part)) return existsSync(join(folder, part)) ? [join(folder, part)] : []
      const names = await readdir(folder).catch(() => [])
      const matches = partMatcher(part)
      return names.filter((name) => matches.test(name)).map((name) => join(folder, name))
    })
    found = (await Promise.all(next)).flat()
  }
  const files = found.sort().map(async (path) => ((await stat(path)).isDirectory() ? sqlBelow(path) : [path]))
  return (await Promise.all(files)).flat()
}

/** On Windows a backslash is a separator; elsewhere it escapes. */
const SEPARATORS = sep === '\\' ? /[\\/]/ : /\//

function partMatcher(part: string): RegExp {
  const source = part.replaceAll(
    /\\(.)|\[(\^?)((?:\\.|[^\]\\])+)\]|[\s\S]/g,
    (sign, escaped?: string, not?: string, set?: string) => {
      if (set !== undefined) return `[${not}${set.replaceAll(/[[&~]/g, '\\$&')}]`
      if (escaped === undefined && sign === '*') return '.*'
      if (escaped === undefined && sign === '?') return '.'
      return RegExp.escape(escaped ?? sign)
    },
  )
  return new RegExp(`^${source}$`, 'su')
}

/** Doesn't follow links, like the CLI. */
async function sqlBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.sql'))
  return files.map((entry) => join(entry.parentPath, entry.name)).sort()
}

/** Returns where a project declares its schema: `[db.migrations] schema_paths`, otherwise the folder of `db schema
 *  declarative`. Patterns are absolute, or relative to the `supabase` folder; none if the project only has migrations.
 *  @see https://supabase.com/docs/guides/local-development/declarative-database-schemas */
export function schemaPatterns({ db, experimental }: Pick<Config, 'db' | 'experimental'>): readonly string[] {
  const { schema_paths } = db.migrations
  return schema_paths.length > 0 ? schema_paths : [experimental.pgdelta?.declarative_schema_path || 'schemas']
}

/** Appends a script to a file, and returns a function that undoes it. */
export async function appendScript(path: string, script: string): Promise<() => Promise<void>> {
  const before = await readFile(path)
  const text = before.toString()
  const last = splitStatements(text).at(-1)?.text
  // Without a final semicolon the appended script would continue the last statement.
  const isOpen = last !== undefined && text.trimEnd().endsWith(last)
  const gap = before.length === 0 ? '' : `${text.endsWith('\n') ? '' : '\n'}${isOpen ? ';\n' : ''}\n`
  await appendFile(path, `${gap}${script.trimEnd()}\n`)
  return () => truncate(path, before.length)
}
