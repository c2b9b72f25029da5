import { appendFile, readFile, truncate } from 'node:fs/promises'
import type { Config } from '../../config/config.ts'
import { splitStatements } from '../statements/split-statements.ts'

/** Where a project declares its schema: `[db.migrations] schema_paths`, otherwise the folder that `db schema declarative` uses.
 *  A project without such files has migrations alone. Patterns are absolute, or relative to the `supabase` folder.
 *  @see https://supabase.com/docs/guides/local-development/declarative-database-schemas */
export function schemaPatterns({ db, experimental }: Pick<Config, 'db' | 'experimental'>): readonly string[] {
  const { schema_paths } = db.migrations
  return schema_paths.length > 0 ? schema_paths : [experimental.pgdelta?.declarative_schema_path || 'schemas']
}

/** Adds a script at the end of a file.
 *  @returns what takes it out again. */
export async function appendScript(path: string, script: string): Promise<() => Promise<void>> {
  const before = await readFile(path)
  const text = before.toString()
  const last = splitStatements(text).at(-1)?.text
  // The last statement of a file may have no semicolon, and what is added would continue it.
  const isOpen = last !== undefined && text.trimEnd().endsWith(last)
  const gap = before.length === 0 ? '' : `${text.endsWith('\n') ? '' : '\n'}${isOpen ? ';\n' : ''}\n`
  await appendFile(path, `${gap}${script.trimEnd()}\n`)
  return () => truncate(path, before.length)
}
