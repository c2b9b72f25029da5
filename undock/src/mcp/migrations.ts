import { addMigration, MigrationRefusedError } from '../database/migrations/add-migration.ts'
import type { SqlClient } from './sql.ts'
import { ToolError } from './tool.ts'

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
  try {
    await sql.withClient((client) => addMigration(client, supabaseFolder, { name, script: query }))
  } catch (error) {
    throw error instanceof MigrationRefusedError ? new ToolError(error.message) : error
  }
}
