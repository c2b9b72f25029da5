import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { bootstrapSnapshot } from './bootstrap.ts'
import type { Db } from './db.ts'
import { type Engine, openEngine } from './engine/engine.ts'
import { applyMigrations, applyRoles, applySeed, pendingMigrations } from './migrations/apply.ts'
import { type Migration, type ProjectScript, readMigrations, readScripts } from './migrations/project-files.ts'
import { createPgliteDb } from './pglite-db.ts'
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
  readonly engine: Engine
  readonly db: Db
  /** Where it came from: kept data, a prepared snapshot, or migrations and seed applied just now. */
  readonly origin: 'kept' | 'snapshot' | 'migrated'
  readonly migrations: readonly Migration[]
  /** Migrations of the folder that kept data does not have; `supabase migration up` or a reset applies them. */
  readonly pending: readonly Migration[]
}

const SNAPSHOTS_KEPT = 3
const COMPLETE = 'undock.complete'

/** Opens a project's database: what is kept if there is any, else migrations and seed, by way of a snapshot when
 *  the same ones were applied before.
 *  @throws {ScriptError} when a migration or a seed fails; nothing is kept then. */
export async function openProjectDatabase(options: ProjectDatabaseOptions): Promise<ProjectDatabase> {
  const { dataFolder } = options
  const migrations = options.config.db.migrations.enabled ? await readMigrations(options.supabaseFolder) : []
  if (dataFolder && existsSync(join(dataFolder, COMPLETE))) {
    const engine = await open(options, dataFolder, null)
    return {
      engine,
      db: createPgliteDb(engine),
      origin: 'kept',
      migrations,
      pending: await pendingMigrations(engine, migrations),
    }
  }
  const made = await makeCluster(options, migrations)
  return { ...made, db: createPgliteDb(made.engine), migrations, pending: [] }
}

type Made = { engine: Engine; origin: 'snapshot' | 'migrated' }

async function makeCluster(options: ProjectDatabaseOptions, migrations: readonly Migration[]): Promise<Made> {
  const { supabaseFolder, config, dataFolder, tell } = options
  const snapshots = openSnapshotStore(options.snapshotFolder, SNAPSHOTS_KEPT)
  const base = openSnapshotStore(options.cacheFolder, SNAPSHOTS_KEPT)
  const seeds = config.db.seed.enabled
    ? await readScripts(supabaseFolder, config.db.seed.sql_paths)
    : { scripts: [], unmatched: [] }
  const { scripts: roles } = await readScripts(supabaseFolder, ['roles.sql'])
  for (const pattern of seeds.unmatched) tell({ kind: 'unmatched-seed', pattern })

  const bootstrap = await bootstrapSnapshot(base, () => tell({ kind: 'bootstrap' }))
  const grants = apiGrants(config.api.auto_expose_new_tables)
  const key = hashOf([bootstrap.key, grants, ...[...roles, ...migrations, ...seeds.scripts].flatMap(pathAndText)])
  const prepared = await snapshots.read(key)
  if (prepared) return { engine: await place(options, dataFolder, prepared), origin: 'snapshot' }

  // Built in memory, so that a migration that fails leaves no half-made folder behind.
  const builder = await open(options, null, bootstrap.bytes)
  let bytes: Uint8Array
  try {
    if (grants) await createPgliteDb(builder).exec(grants)
    await applyRoles(builder, roles)
    await applyMigrations(builder, migrations, ({ path }) => tell({ kind: 'migration', path }))
    await applySeed(builder, seeds.scripts, ({ path }) => tell({ kind: 'seed', path }))
    bytes = await builder.dump()
  } catch (error) {
    await builder.close()
    throw error
  }
  await snapshots.write(key, bytes)
  if (dataFolder === null) return { engine: builder, origin: 'migrated' }
  await builder.close()
  return { engine: await place(options, dataFolder, bytes), origin: 'migrated' }
}

/** Opens a cluster that begins as the snapshot. On disk a mark says that it was unpacked whole: an end at any moment
 *  leaves a folder that counts or one that is made anew. */
async function place(options: ProjectDatabaseOptions, dataFolder: string | null, bytes: Uint8Array): Promise<Engine> {
  if (dataFolder === null) return open(options, null, bytes)
  await rm(dataFolder, { recursive: true, force: true })
  const engine = await open(options, dataFolder, bytes)
  await writeFile(join(dataFolder, COMPLETE), '')
  return engine
}

const open = (
  { statementLimit, waitLimit }: ProjectDatabaseOptions,
  folder: string | null,
  snapshot: Uint8Array | null,
) => openEngine({ folder, snapshot, statementLimit, waitLimit })

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
