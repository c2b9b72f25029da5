import { appendFile, readFile, truncate } from 'node:fs/promises'
import type { Config } from '../../config/config.ts'
import { splitStatements } from '../statements/split-statements.ts'

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
