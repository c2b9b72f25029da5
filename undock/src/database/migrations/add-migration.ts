import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Client } from 'pg'
import { UserError } from '../../kernel/service-error.ts'
import { firstWords, splitStatements } from '../statements/split-statements.ts'
import { freeVersions, HISTORY, readVersions } from './history.ts'
import { appendScript, readMigrations } from './project-files.ts'

const TRANSACTION_WORDS = ['begin', 'start', 'commit', 'end', 'rollback', 'abort', 'prepare']
const NAME = /^[A-Za-z0-9_-]{1,100}$/

export const controlsTransaction = (statement: string): boolean =>
  TRANSACTION_WORDS.includes(firstWords(statement, 1)[0]?.toLowerCase() ?? '')

export class MigrationRefusedError extends UserError {}

/** @property schemaFile Declares the project's schema, relative to the project's folder; the script is appended to it.
 *  @property isApplied The database already has the changes: record and write them, but don't run them. */
export type NewMigration = {
  readonly name: string
  readonly script: string
  readonly schemaFile?: string | undefined
  readonly isApplied?: boolean | undefined
}

/** Applies a migration in one transaction, records it, and writes its file and the schema's: all or nothing.
 *  @param client In no transaction, as the project's owner.
 *  @param alongside Runs in the same transaction after the script.
 *  @returns the path of the file, relative to the project's folder.
 *  @throws {MigrationRefusedError} and what Postgres refuses. */
export async function addMigration(
  client: Client,
  supabaseFolder: string,
  { name, script, schemaFile, isApplied = false }: NewMigration,
  alongside: () => Promise<void> = async () => undefined,
): Promise<string> {
  if (!NAME.test(name))
    throw new MigrationRefusedError(
      `"${name}" is not a valid name for a migration: use up to 100 letters, digits, dashes and underscores.`,
    )
  const statements = splitStatements(script).map(({ text }) => text)
  if (statements.length === 0) throw new MigrationRefusedError('The migration contains no statement.')
  const ending = statements.find(controlsTransaction)
  if (ending !== undefined)
    throw new MigrationRefusedError(`A migration is one transaction, and cannot contain ${ending.slice(0, 50)}.`)
  const folder = join(supabaseFolder, 'migrations')
  const files = await readMigrations(supabaseFolder)
  const taken = new Set([...files.map(({ version }) => version), ...(await readVersions(client))])
  const [version = ''] = freeVersions(taken, 1)
  const file = `${version}_${name}.sql`
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, file), `${script.trimEnd()}\n`, { flag: 'wx' })
  let takeOut = async (): Promise<void> => undefined
  try {
    await client.query('begin')
    if (!isApplied) await client.query(script)
    // A script may leave another role set.
    await client.query('reset role; reset search_path')
    await client.query(HISTORY)
    await client.query(
      'insert into supabase_migrations.schema_migrations (version, name, statements) values ($1, $2, $3)',
      [version, name, statements],
    )
    await alongside()
    if (schemaFile !== undefined) takeOut = await appendScript(join(dirname(supabaseFolder), schemaFile), script)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    await rm(join(folder, file), { force: true })
    await takeOut()
    throw error
  }
  return `supabase/migrations/${file}`
}
