import { createHash } from 'node:crypto'
import { sql } from '../../kernel/sql.ts'
import { decode, encodeStatement, SYNC } from '../protocol/exchange.ts'
import type { Engine, Session } from '../session.ts'
import { splitStatements } from '../statements/split-statements.ts'
import { HISTORY } from './history.ts'
import type { Migration, ProjectScript } from './project-files.ts'
import { ScriptError } from './script-error.ts'
import { type ScriptOptions, ScriptRunner } from './script-runner.ts'

const STRICT: ScriptOptions = { missingExtensions: 'error', warn: () => undefined }

/** Applies the migrations missing from the history, each with its history row in one transaction, like the CLI.
 *  @see supabase/cli pkg/migration
 *  @throws {ScriptError} at the first failing migration, which is rolled back. */
export async function applyMigrations(
  engine: Engine,
  migrations: readonly Migration[],
  onApply: (migration: Migration) => void,
  options: ScriptOptions = STRICT,
): Promise<Migration[]> {
  return engine.withProjectSession(async (session) => {
    const runner = new ScriptRunner(session, options)
    await runner.run(HISTORY)
    const applied = await appliedVersions(session)
    const pending = migrations.filter(({ version }) => !applied.has(version))
    refuseSameVersion(pending)
    for (const migration of pending) {
      onApply(migration)
      await applyMigration(runner, migration)
    }
    return pending
  })
}

/** Applies the seed scripts and records their hashes. @throws {ScriptError} at the first failing script. */
export async function applySeed(
  engine: Engine,
  scripts: readonly ProjectScript[],
  onApply: (script: ProjectScript) => void,
  options: ScriptOptions = STRICT,
): Promise<void> {
  await engine.withProjectSession(async (session) => {
    const runner = new ScriptRunner(session, options)
    await runner.run(HISTORY)
    for (const script of scripts) {
      onApply(script)
      const hash = createHash('sha256').update(script.text).digest('hex')
      const record = sql`insert into supabase_migrations.seed_files (path, hash)
        values (${script.path}, ${hash}) on conflict (path) do update set hash = excluded.hash`
      await runner.inTransaction(script.path, splitStatements(script.text), record)
    }
  })
}

/** Runs unrecorded scripts that precede the migrations: roles.sql and declared schemas. @throws {ScriptError} */
export async function applyScripts(
  engine: Engine,
  scripts: readonly ProjectScript[],
  options: ScriptOptions = STRICT,
): Promise<void> {
  await engine.withProjectSession(async (session) => {
    const runner = new ScriptRunner(session, options)
    for (const { path, text } of scripts) await runner.inTransaction(path, splitStatements(text), null)
  })
}

/** The history identifies migrations by version only. */
function refuseSameVersion(migrations: readonly Migration[]): void {
  const paths = new Map<string, string>()
  for (const { version, path } of migrations) {
    const other = paths.get(version)
    if (other)
      throw new ScriptError(
        path,
        { text: '', line: 1 },
        new Error(`has the same version as ${other}; \`undock migration fix\` gives it a new one`),
      )
    paths.set(version, path)
  }
}

async function applyMigration(runner: ScriptRunner, { version, name, path, text }: Migration): Promise<void> {
  const statements = splitStatements(text)
  const texts = statements.map((one) => one.text)
  const record = sql`insert into supabase_migrations.schema_migrations (version, name, statements)
    values (${version}, ${name}, ${texts})`
  await runner.run('reset role; reset all')
  await runner.inTransaction(path, statements, record)
}

async function appliedVersions({ exchange }: Session): Promise<Set<unknown>> {
  const query = sql`select version from supabase_migrations.schema_migrations`
  const { results } = decode(await exchange(Buffer.concat([...encodeStatement(query, null), SYNC])))
  return new Set(results[0]?.rows.map(({ version }) => version))
}
