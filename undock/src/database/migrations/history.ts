import type { Client } from 'pg'
import { splitStatements } from '../statements/split-statements.ts'
import type { Migration } from './project-files.ts'

/** Returns consecutive free versions for new migrations, a second apart, starting no earlier than now. */
export function freeVersions(taken: ReadonlySet<string>, count: number): string[] {
  for (let start = Date.now(); ; start += 1000) {
    const versions = Array.from({ length: count }, (_, index) => timestamp(new Date(start + index * 1000)))
    if (!versions.some((version) => taken.has(version))) return versions
  }
}

const timestamp = (time: Date): string => time.toISOString().replaceAll(/\D/g, '').slice(0, 14)

/** Creates the tables in which the CLI records migrations and seed files, or completes those of an early version.
 *  @see supabase/cli pkg/migration/history.go */
export const HISTORY = `
  create schema if not exists supabase_migrations;
  create table if not exists supabase_migrations.schema_migrations (version text not null primary key);
  alter table supabase_migrations.schema_migrations add column if not exists statements text[];
  alter table supabase_migrations.schema_migrations add column if not exists name text;
  create table if not exists supabase_migrations.seed_files (path text not null primary key, hash text not null);
`

/** Missing schema, missing table. */
export const HISTORY_MISSING = ['3F000', '42P01']

/** Returns the versions in a database's history, in order; empty without a history. */
export async function readVersions(client: Client): Promise<string[]> {
  const query = 'select version from supabase_migrations.schema_migrations order by version'
  const { rows } = await client.query<{ version: string }>(query).catch((error: { code?: string }) => {
    if (HISTORY_MISSING.includes(String(error.code))) return { rows: [] }
    throw error
  })
  return rows.map(({ version }) => version)
}

type Recorded = Pick<Migration, 'version' | 'name' | 'text'>

/** Records migrations as applied without applying them, all or none.
 *  @param replaced Deletes the rows up to the last of the migrations first. */
export async function recordMigrations(
  client: Client,
  migrations: readonly Recorded[],
  { replaced = false }: { readonly replaced?: boolean } = {},
): Promise<void> {
  await client.query(HISTORY)
  await client.query('begin')
  try {
    if (replaced)
      await client.query('delete from supabase_migrations.schema_migrations where version <= $1', [
        migrations.at(-1)?.version,
      ])
    for (const { version, name, text } of migrations)
      await client.query(
        `insert into supabase_migrations.schema_migrations (version, name, statements) values ($1, $2, $3)
         on conflict (version) do update set name = excluded.name, statements = excluded.statements`,
        [version, name, splitStatements(text).map((one) => one.text)],
      )
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}
