import { createHash } from 'node:crypto'
import { sql, statement } from '../../kernel/sql.ts'
import { decode, encodeStatement, SYNC } from '../engine/exchange.ts'
import type { Engine, Session } from '../session.ts'
import type { Migration, ProjectScript } from './project-files.ts'
import { ScriptError } from './script-error.ts'
import { type ScriptOptions, ScriptRunner } from './script-runner.ts'
import { splitStatements } from './split.ts'

/** "cannot run inside a transaction block": create index concurrently, vacuum, alter system … */
const NEEDS_NO_TRANSACTION = '25001'

/** No such schema, no such table: somebody dropped it. */
const NO_HISTORY = ['3F000', '42P01']

const HISTORY = `
  create schema if not exists supabase_migrations;
  create table if not exists supabase_migrations.schema_migrations (version text not null primary key);
  alter table supabase_migrations.schema_migrations add column if not exists statements text[];
  alter table supabase_migrations.schema_migrations add column if not exists name text;
  create table if not exists supabase_migrations.seed_files (path text not null primary key, hash text not null);
`

const STRICT: ScriptOptions = { missingExtensions: 'error', warn: () => undefined }

/** Applies the migrations that the history does not hold yet, each with its history row in one transaction, as the
 *  CLI does (supabase/cli pkg/migration).
 *  @param tell Called before each one.
 *  @throws {ScriptError} at the first that fails; nothing of that file is kept. */
export async function applyMigrations(
  engine: Engine,
  migrations: readonly Migration[],
  tell: (migration: Migration) => void,
  options: ScriptOptions = STRICT,
): Promise<Migration[]> {
  return engine.administer(async (session) => {
    const runner = new ScriptRunner(session, options)
    await runner.run(HISTORY)
    const known = await appliedVersions(session)
    const pending = migrations.filter(({ version }) => !known.has(version))
    refuseSameVersion(pending)
    for (const migration of pending) {
      tell(migration)
      await applyMigration(runner, migration)
    }
    return pending
  })
}

/** Applies the seed scripts and records their hashes.
 *  @throws {ScriptError} at the first that fails. */
export async function applySeed(
  engine: Engine,
  scripts: readonly ProjectScript[],
  tell: (script: ProjectScript) => void,
  options: ScriptOptions = STRICT,
): Promise<void> {
  await engine.administer(async (session) => {
    const runner = new ScriptRunner(session, options)
    await runner.run(HISTORY)
    for (const script of scripts) {
      tell(script)
      const hash = createHash('sha256').update(script.text).digest('hex')
      const record = statement(sql`insert into supabase_migrations.seed_files (path, hash)
        values (${script.path}, ${hash}) on conflict (path) do update set hash = excluded.hash`)
      await runner.inTransaction(script.path, splitStatements(script.text), record)
    }
  })
}

/** Runs scripts that come before the migrations and are not recorded: roles.sql, schemas that are declared.
 *  @throws {ScriptError} */
export async function applyScripts(
  engine: Engine,
  scripts: readonly ProjectScript[],
  options: ScriptOptions = STRICT,
): Promise<void> {
  await engine.administer(async (session) => {
    const runner = new ScriptRunner(session, options)
    for (const { path, text } of scripts) await runner.inTransaction(path, splitStatements(text), null)
  })
}

/** The migrations that the history does not hold. Only reads: a start waits for this. */
export async function pendingMigrations(engine: Engine, migrations: readonly Migration[]): Promise<Migration[]> {
  const known = await engine.exclusive(appliedVersions).catch((error: unknown) => {
    if (NO_HISTORY.includes(String(sqlState(error)))) return new Set()
    throw error
  })
  return migrations.filter(({ version }) => !known.has(version))
}

/** The history tells migrations apart by their version alone. */
function refuseSameVersion(migrations: readonly Migration[]): void {
  const paths = new Map<string, string>()
  for (const { version, path } of migrations) {
    const other = paths.get(version)
    if (other) throw new ScriptError(path, { text: '', line: 1 }, new Error(`has the same version as ${other}`))
    paths.set(version, path)
  }
}

async function applyMigration(runner: ScriptRunner, { version, name, path, text }: Migration): Promise<void> {
  const statements = splitStatements(text)
  const texts = statements.map((one) => one.text)
  const record = statement(sql`insert into supabase_migrations.schema_migrations (version, name, statements)
    values (${version}, ${name}, ${texts})`)
  await runner.run('reset role; reset all')
  await runner.inTransaction(path, statements, record).catch(async (error: unknown) => {
    if (!(error instanceof ScriptError) || sqlState(error.cause) !== NEEDS_NO_TRANSACTION) throw error
    await runner.oneByOne(path, statements)
    await runner.send(record)
  })
}

async function appliedVersions({ exchange }: Session): Promise<Set<unknown>> {
  const query = statement(sql`select version from supabase_migrations.schema_migrations`)
  const { results } = decode(await exchange(Buffer.concat([...encodeStatement(query, null), SYNC])))
  return new Set(results[0]?.rows.map(({ version }) => version))
}

const sqlState = (error: unknown): unknown => (error as { code?: unknown } | null)?.code
