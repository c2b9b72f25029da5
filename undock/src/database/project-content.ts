import { createHash } from 'node:crypto'
import type { Config } from '../config/config.ts'
import { createDb } from './engine-db.ts'
import { applyMigrations, applyRoles, applySeed } from './migrations/apply.ts'
import { type Migration, type ProjectScript, readMigrations, readScripts } from './migrations/project-files.ts'
import type { ScriptOptions } from './migrations/script-runner.ts'
import type { Engine } from './session.ts'

/** What the opening of a project's database tells while it works. */
export type OpeningEvent =
  | { readonly kind: 'bootstrap' }
  | { readonly kind: 'omitted'; readonly what: string }
  | { readonly kind: 'migration'; readonly path: string }
  | { readonly kind: 'seed'; readonly path: string }
  | { readonly kind: 'unmatched-seed'; readonly pattern: string }
  /** Something of the scripts was left out or means less here. */
  | { readonly kind: 'script-warning'; readonly text: string }

export type ContentSource = {
  readonly supabaseFolder: string
  readonly config: Pick<Config, 'db' | 'api'>
  readonly missingExtensions: ScriptOptions['missingExtensions']
  tell(event: OpeningEvent): void
}

/** What a project's files make of a bootstrapped database. */
export type ProjectContent = {
  /** Names the content: the same files have the same key. */
  readonly key: string
  readonly migrations: readonly Migration[]
  /** @throws {ScriptError} at the first script that fails. */
  apply(engine: Engine): Promise<void>
}

export const migrationsOf = async ({ config, supabaseFolder }: ContentSource): Promise<Migration[]> =>
  config.db.migrations.enabled ? readMigrations(supabaseFolder) : []

export async function readContent(source: ContentSource): Promise<ProjectContent> {
  const { supabaseFolder, config, tell } = source
  const migrations = await migrationsOf(source)
  const seeds = config.db.seed.enabled
    ? await readScripts(supabaseFolder, config.db.seed.sql_paths)
    : { scripts: [], unmatched: [] }
  const { scripts: roles } = await readScripts(supabaseFolder, ['roles.sql'])
  for (const pattern of seeds.unmatched) tell({ kind: 'unmatched-seed', pattern })
  const scripts: ScriptOptions = {
    missingExtensions: source.missingExtensions,
    warn: (text) => tell({ kind: 'script-warning', text }),
  }
  const grants = apiGrants(config.api.auto_expose_new_tables)
  return {
    key: hashOf([grants, ...[...roles, ...migrations, ...seeds.scripts].flatMap(pathAndText)]),
    migrations,
    async apply(engine) {
      if (grants) await createDb(engine).exec(grants)
      await applyRoles(engine, roles, scripts)
      await applyMigrations(engine, migrations, ({ path }) => tell({ kind: 'migration', path }), scripts)
      await applySeed(engine, seeds.scripts, ({ path }) => tell({ kind: 'seed', path }), scripts)
    },
  }
}

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

export function hashOf(parts: readonly string[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:${part}`)
  return hash.digest('hex').slice(0, 24)
}
