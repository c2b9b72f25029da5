import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { HISTORY } from '../database/migrations/history.ts'
import { readMigrations } from '../database/migrations/project-files.ts'
import { freeVersions } from '../database/migrations/versions.ts'
import { firstWords, splitStatements } from '../database/statements/split-statements.ts'
import type { SqlClient } from './sql.ts'
import { ToolError } from './tool.ts'

const TRANSACTION_WORDS = ['begin', 'start', 'commit', 'end', 'rollback', 'abort', 'prepare']
const NAME = /^[A-Za-z0-9_-]{1,100}$/

export async function listMigrations(sql: SqlClient): Promise<{ version: string; name?: string }[]> {
  const [history] = await sql.read("select to_regclass('supabase_migrations.schema_migrations') is not null as exists")
  if (history?.exists !== true) return []
  const rows = await sql.read('select version, name from supabase_migrations.schema_migrations order by version')
  return rows.map(({ version, name }) => ({ version: String(version), ...(name ? { name: String(name) } : {}) }))
}

/** Applies a migration, records it, and writes its file: all three, or none.
 *  @throws {ToolError} */
export async function applyMigration(
  sql: SqlClient,
  supabaseFolder: string,
  { name, query }: { readonly name: string; readonly query: string },
): Promise<void> {
  if (!NAME.test(name))
    throw new ToolError(
      `"${name}" is no name for a migration: it has up to 100 letters, digits, dashes and underscores.`,
    )
  const statements = splitStatements(query).map(({ text }) => text)
  if (statements.length === 0) throw new ToolError('The migration contains no statement.')
  const ending = statements.find((text) => TRANSACTION_WORDS.includes(firstWords(text, 1)[0]?.toLowerCase() ?? ''))
  if (ending !== undefined)
    throw new ToolError(`A migration is one transaction, and cannot contain ${ending.slice(0, 50)}.`)
  const folder = join(supabaseFolder, 'migrations')
  const files = await readMigrations(supabaseFolder)
  const applied = await listMigrations(sql)
  const taken = new Set([...files, ...applied].map(({ version }) => version))
  const [version = ''] = freeVersions(taken, 1)
  const path = join(folder, `${version}_${name}.sql`)
  await mkdir(folder, { recursive: true })
  await writeFile(path, `${query.trimEnd()}\n`, { flag: 'wx' })
  try {
    await sql.transaction(async (client) => {
      await client.query(query)
      // A script may end as another role.
      await client.query('reset role; reset search_path')
      await client.query(HISTORY)
      await client.query(
        'insert into supabase_migrations.schema_migrations (version, name, statements) values ($1, $2, $3)',
        [version, name, statements],
      )
    })
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
}
