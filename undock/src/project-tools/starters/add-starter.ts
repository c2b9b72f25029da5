import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import type { Client } from 'pg'
import type { Config } from '../../config/config.ts'
import { addMigration, MigrationRefusedError } from '../../database/migrations/add-migration.ts'
import { ifMissing } from '../../kernel/promises.ts'
import { readSeedUsers, type Starter } from './catalog.ts'

/** The project to write a starter into. @property seed The section `[db.seed]` of its config.toml. */
export type StarterTarget = { readonly supabaseFolder: string; readonly seed: Config['db']['seed'] }

/** A starter's file. @property path Relative to the project's folder. @property added The text to append to an existing file; the whole
 *  text of a new one. */
export type StarterFile = {
  readonly kind: 'migration' | 'seed' | 'test'
  readonly path: string
  readonly added: string
  readonly isNew: boolean
}

/** Returns the files that a starter would write. The migration's name contains the current time. */
export async function starterFiles(starter: Starter, target: StarterTarget): Promise<StarterFile[]> {
  const seed = await seedFile(starter, target)
  return [
    {
      kind: 'migration',
      path: `supabase/migrations/<time>_${starter.name}.sql`,
      added: starter.migration,
      isNew: true,
    },
    ...(seed ? [seed] : []),
    { kind: 'test', path: `supabase/tests/${starter.name}.test.sql`, added: starter.test, isNew: true },
  ]
}

/** Returns what conflicts with a starter: the project's tables, buckets and files. */
export async function starterConflicts(client: Client, starter: Starter, target: StarterTarget): Promise<string[]> {
  const { rows } = await client.query<{ what: string }>(
    `select 'the table ' || name as what from unnest($1::text[]) as name where to_regclass(name) is not null
     union all select 'the bucket ' || id from storage.buckets where id = any ($2::text[])`,
    [starter.tables, starter.buckets],
  )
  const test = `supabase/tests/${starter.name}.test.sql`
  const isTestThere = existsSync(join(dirname(target.supabaseFolder), test))
  return [...rows.map(({ what }) => what), ...(isTestThere ? [`the file ${test}`] : [])]
}

/** Applies a starter with its seed, records both, and writes the files: all or nothing. @param client Outside transactions, as the
 *  project's owner. @returns the files' paths, relative to the project's folder. @throws {MigrationRefusedError} if a part of it exists;
 *  and Postgres' errors. */
export async function addStarter(client: Client, starter: Starter, target: StarterTarget): Promise<string[]> {
  const taken = await starterConflicts(client, starter, target)
  if (taken.length > 0)
    throw new MigrationRefusedError(
      `The starter "${starter.name}" cannot be added: ${taken.join(' and ')} already ${taken.length === 1 ? 'exists' : 'exist'}.`,
    )
  const files = (await starterFiles(starter, target)).filter(({ kind }) => kind !== 'migration')
  const undo: (() => Promise<void>)[] = []
  const write = async ({ path, added, isNew }: StarterFile): Promise<string> => {
    const place = join(dirname(target.supabaseFolder), path)
    const before = isNew ? null : await readFile(place, 'utf8')
    await mkdir(dirname(place), { recursive: true })
    undo.push(() => (before === null ? rm(place, { force: true }) : writeFile(place, before)))
    const text = `${before ?? ''}${added}`
    await writeFile(place, text)
    return text
  }
  try {
    const migration = await addMigration(
      client,
      target.supabaseFolder,
      { name: starter.name, script: starter.migration },
      async () => {
        for (const file of files) {
          if (file.kind === 'seed') await client.query(file.added)
          const text = await write(file)
          if (file.kind === 'seed') await recordSeed(client, file.path, text)
        }
      },
    )
    return [migration, ...files.map(({ path }) => path)]
  } catch (error) {
    for (const one of undo) await one()
    throw error
  }
}

/** As `supabase db reset` records it. */
async function recordSeed(client: Client, path: string, text: string): Promise<void> {
  const hash = createHash('sha256').update(text).digest('hex')
  await client.query(
    `insert into supabase_migrations.seed_files (path, hash) values ($1, $2)
     on conflict (path) do update set hash = excluded.hash`,
    [path, hash],
  )
}

/** Null if config.toml disables the seed. */
async function seedFile(starter: Starter, { supabaseFolder, seed }: StarterTarget): Promise<StarterFile | null> {
  if (!seed.enabled) return null
  const place = seedPath(starter.name, supabaseFolder, seed.sql_paths)
  const before = await readFile(place, 'utf8').catch(ifMissing(null))
  const users = readSeedUsers()
  const added = `${before?.includes(users) ? '' : `${users}\n`}${starter.seed}`
  return {
    kind: 'seed',
    path: relative(dirname(supabaseFolder), place).replaceAll(sep, '/'),
    added: before ? `\n${added}` : added,
    isNew: before === null,
  }
}

/** The first seed file in config.toml; for a pattern such as `seeds/*.sql`, the matching file named after the starter. */
function seedPath(name: string, supabaseFolder: string, patterns: readonly string[]): string {
  const usable = patterns.map((one) => relative(supabaseFolder, one)).find((one) => !/[?[\]{}]/.test(one))
  return join(supabaseFolder, usable?.replaceAll(/\*+/g, name) ?? 'seed.sql')
}
