import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { bootstrapSnapshot } from './bootstrap.ts'
import type { Db } from './db.ts'
import { type EmbeddedEngine, openEngine } from './engine/engine.ts'
import { createDb } from './engine-db.ts'
import { applyMigrations, applyRoles, applySeed, pendingMigrations } from './migrations/apply.ts'
import { type Migration, type ProjectScript, readMigrations, readScripts } from './migrations/project-files.ts'
import { openSnapshotStore } from './snapshots.ts'

/** What the opening of a project's database tells while it works. */
export type OpeningEvent =
  | { readonly kind: 'bootstrap' }
  | { readonly kind: 'migration'; readonly path: string }
  | { readonly kind: 'seed'; readonly path: string }
  | { readonly kind: 'unmatched-seed'; readonly pattern: string }

export type ProjectDatabaseOptions = {
  readonly supabaseFolder: string
  readonly config: Pick<Config, 'db' | 'api'>
  /** Where the cluster is kept; null keeps it in memory. */
  readonly dataFolder: string | null
  readonly snapshotFolder: string
  readonly cacheFolder: string
  /** Milliseconds. */
  readonly statementLimit: number
  readonly waitLimit: number
  tell(event: OpeningEvent): void
}

export type ProjectDatabase = {
  readonly engine: EmbeddedEngine
  readonly db: Db
  /** Where it came from: kept data, a prepared snapshot, or migrations and seed applied just now. */
  readonly origin: 'kept' | 'snapshot' | 'migrated'
  /** Migrations of the folder that kept data does not have; `supabase migration up` or a reset applies them. */
  readonly pending: readonly Migration[]
}

const SNAPSHOTS_KEPT = 3
const COMPLETE = 'undock.complete'

/** The data of last time cannot be opened. It is left as it is. */
export class KeptDataError extends Error {
  override readonly name = 'KeptDataError'

  constructor(dataFolder: string, cause: unknown) {
    super(
      `The database kept in ${dataFolder} cannot be opened: ${cause instanceof Error ? cause.message : cause}\n` +
        'It may come from another version of undock. `undock reset` begins anew from migrations and seed; to keep the old data, move that folder away first.',
      { cause },
    )
  }
}

/** Opens a project's database: what is kept if there is any, else migrations and seed, by way of a snapshot when
 *  the same ones were applied before.
 *  @throws {ScriptError} when a migration or a seed fails; nothing is kept then. */
export async function openProjectDatabase(options: ProjectDatabaseOptions): Promise<ProjectDatabase> {
  const { dataFolder } = options
  if (dataFolder && existsSync(join(dataFolder, COMPLETE))) {
    const engine = await open(options, dataFolder, null).catch((cause: unknown) => {
      throw new KeptDataError(dataFolder, cause)
    })
    const pending = await pendingMigrations(engine, await migrationsOf(options))
    return { engine, db: createDb(engine), origin: 'kept', pending }
  }
  const { path, origin } = await prepare(options)
  if (dataFolder) await rm(dataFolder, { recursive: true, force: true })
  const engine = await open(options, dataFolder, path)
  await markComplete(dataFolder)
  return { engine, db: createDb(engine), origin, pending: [] }
}

/** Migrations and seed again, from nothing, under the services that run.
 *  @throws {ScriptError} when one fails; the database is then as it was. */
export async function resetProjectDatabase(options: ProjectDatabaseOptions, engine: EmbeddedEngine): Promise<void> {
  const { path } = await prepare(options)
  await engine.replace(path)
  await markComplete(options.dataFolder)
}

/** Says that the cluster was unpacked whole: an end at any moment leaves a folder that counts or one to make anew. */
async function markComplete(dataFolder: string | null): Promise<void> {
  if (dataFolder) await writeFile(join(dataFolder, COMPLETE), '')
}

const migrationsOf = async ({ config, supabaseFolder }: ProjectDatabaseOptions): Promise<Migration[]> =>
  config.db.migrations.enabled ? readMigrations(supabaseFolder) : []

/** The project's cluster as it begins, as a snapshot's file: prepared before, or made now. */
async function prepare(options: ProjectDatabaseOptions): Promise<{ path: string; origin: 'snapshot' | 'migrated' }> {
  const { supabaseFolder, config, tell } = options
  const snapshots = openSnapshotStore(options.snapshotFolder, SNAPSHOTS_KEPT)
  const migrations = await migrationsOf(options)
  const seeds = config.db.seed.enabled
    ? await readScripts(supabaseFolder, config.db.seed.sql_paths)
    : { scripts: [], unmatched: [] }
  const { scripts: roles } = await readScripts(supabaseFolder, ['roles.sql'])
  for (const pattern of seeds.unmatched) tell({ kind: 'unmatched-seed', pattern })

  const base = openSnapshotStore(options.cacheFolder, SNAPSHOTS_KEPT)
  const bootstrap = await bootstrapSnapshot(base, () => tell({ kind: 'bootstrap' }))
  const grants = apiGrants(config.api.auto_expose_new_tables)
  const key = hashOf([bootstrap.key, grants, ...[...roles, ...migrations, ...seeds.scripts].flatMap(pathAndText)])
  const prepared = await snapshots.find(key)
  if (prepared) return { path: prepared, origin: 'snapshot' }

  // Built in memory, so that a migration that fails leaves no half-made folder behind.
  const builder = await open(options, null, bootstrap.path)
  try {
    if (grants) await createDb(builder).exec(grants)
    await applyRoles(builder, roles)
    await applyMigrations(builder, migrations, ({ path }) => tell({ kind: 'migration', path }))
    await applySeed(builder, seeds.scripts, ({ path }) => tell({ kind: 'seed', path }))
    return { path: await snapshots.add(key, (draft) => builder.dump(draft)), origin: 'migrated' }
  } finally {
    await builder.close()
  }
}

const open = ({ statementLimit, waitLimit }: ProjectDatabaseOptions, folder: string | null, snapshot: string | null) =>
  openEngine({ folder, snapshot, statementLimit, waitLimit })

/** What `[api] auto_expose_new_tables = false` takes away (supabase/cli internal/db/start). */
function apiGrants(autoExpose: boolean | undefined): string {
  if (autoExpose !== false) return ''
  return `
    alter default privileges for role postgres in schema public revoke all on tables from anon, authenticated, service_role;
    alter default privileges for role postgres in schema public revoke all on sequences from anon, authenticated, service_role;
    alter default privileges for role postgres in schema public revoke execute on functions from anon, authenticated, service_role;
  `
}

const pathAndText = ({ path, text }: ProjectScript): string[] => [path, text]

function hashOf(parts: readonly string[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:${part}`)
  return hash.digest('hex').slice(0, 24)
}
