import { createHash } from 'node:crypto'
import type { Config } from '../../config/config.ts'
import { sql, statement } from '../../kernel/sql.ts'
import { findPrivilegedExtensions, provideShims } from '../bootstrap/apply-bootstrap.ts'
import type { Db } from '../db.ts'
import { createDb } from '../engine-db.ts'
import { applyMigrations, applyScripts, applySeed } from '../migrations/apply.ts'
import { findHostedRefusals } from '../migrations/hosted-refusals.ts'
import { type Migration, type ProjectScript, readMigrations, readScripts } from '../migrations/project-files.ts'
import type { ScriptOptions } from '../migrations/script-runner.ts'
import type { Engine } from '../session.ts'
import type { ContentPart } from './content-part.ts'
import type { EngineInUse } from './engine-in-use.ts'

/** Events while a project's database is opened. */
export type OpeningEvent =
  | { readonly kind: 'bootstrap' }
  | { readonly kind: 'omitted'; readonly omission: string }
  | { readonly kind: 'migration'; readonly path: string }
  | { readonly kind: 'seed'; readonly path: string }
  | { readonly kind: 'unmatched-seed'; readonly pattern: string }
  /** `engine = "auto"` chose PGlite. */
  | { readonly kind: 'embedded-engine'; readonly engine: EngineInUse }
  /** The programs of a major version that was not installed with undock are fetched, or a package of extensions. */
  | { readonly kind: 'fetching-postgres'; readonly major: number; readonly pack?: string | undefined }
  /** PGlite was not installed with undock, and is fetched. */
  | { readonly kind: 'fetching-pglite' }
  /** The kept data is of another major version than the configuration names, and continues with its own. */
  | { readonly kind: 'other-major'; readonly kept: number; readonly configured: number; readonly folder: string }
  /** The kept data was prepared by another version of undock, and has what this version adds now. */
  | { readonly kind: 'updated' }
  /** Statements that have just been run here would fail on a hosted project. */
  | { readonly kind: 'hosted-refusals'; readonly count: number }
  /** Part of a script was left out, or has less effect here. */
  | { readonly kind: 'script-warning'; readonly text: string }

/** There is no migration of the version that a reset should end with. */
class UnknownVersionError extends Error {
  override readonly name = 'UnknownVersionError'
}

/** The start was given up while a script of the project ran. */
class AbortedError extends Error {
  override readonly name = 'AbortedError'

  constructor() {
    super('Ended before it was ready.')
  }
}

export type ContentSource = {
  /** Gives up the scripts that run: nothing ends a statement that waits for something. */
  readonly aborted?: AbortSignal
  readonly supabaseFolder: string
  readonly config: Pick<Config, 'db' | 'api' | 'auth'>
  /** SUPABASE_EXPERIMENTAL: the files of `[db.migrations] schema_paths` in the place of the migrations, as the CLI does. */
  readonly experimental: boolean
  readonly missingExtensions: ScriptOptions['missingExtensions']
  /** Whether the URL's own user, a superuser, creates the extensions that hosted projects let `postgres` create. */
  readonly asSuperuser?: boolean
  readonly part?: ContentPart
  readonly unusable?: ScriptOptions['unusable']
  tell(event: OpeningEvent): void
}

/** The content that a project's files add to a bootstrapped database. */
export type ProjectContent = {
  /** Identifies the content: the same files have the same key. */
  readonly key: string
  readonly migrations: readonly Migration[]
  /** The extensions that the scripts create, by what their texts say. */
  readonly extensions: ReadonlySet<string>
  /** @throws {ScriptError} at the first script that fails. */
  apply(engine: Engine): Promise<void>
  /** Applies the migrations alone that the database lacks.
   *  @returns those.
   *  @throws {ScriptError} at the first one that fails. */
  migrate(engine: Engine): Promise<Migration[]>
}

/** The migrations of a project, or the part of them that is asked for.
 *  @throws {UnknownVersionError} */
async function migrationsOf(
  { config, supabaseFolder, part }: ContentSource,
  skip?: (path: string, reason: string) => void,
): Promise<Migration[]> {
  if (!config.db.migrations.enabled) return []
  const all = await readMigrations(supabaseFolder, skip)
  if (part?.until === undefined) return all
  const last = all.findLastIndex(({ version }) => version === part.until)
  if (last === -1) throw new UnknownVersionError(`There is no migration of the version ${part.until}.`)
  return all.slice(0, last + 1)
}

/** The work itself ends with its session.
 *  @throws {AbortedError} */
function unlessAborted(signal: AbortSignal | undefined, work: () => Promise<void>): Promise<void> {
  if (!signal) return work()
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(new AbortedError())
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort, { once: true })
    work()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', abort))
  })
}

/** @throws {UnknownVersionError} */
export async function readContent(source: ContentSource): Promise<ProjectContent> {
  const { supabaseFolder, config, tell } = source
  const schemas = source.experimental
    ? await readScripts(supabaseFolder, config.db.migrations.schema_paths)
    : { scripts: [], unmatched: [] }
  const migrations =
    schemas.scripts.length > 0
      ? []
      : await migrationsOf(source, (path, reason) =>
          tell({ kind: 'script-warning', text: `${path} is left out: ${reason}` }),
        )
  const { seed = config.db.seed.enabled && config.db.seed.sql_paths } = source.part ?? {}
  const seeds = seed ? await readScripts(supabaseFolder, seed) : { scripts: [], unmatched: [] }
  const { scripts: roles } = await readScripts(supabaseFolder, ['roles.sql'])
  for (const pattern of seeds.unmatched) tell({ kind: 'unmatched-seed', pattern })
  const extensions = createdExtensions([...roles, ...schemas.scripts, ...migrations, ...seeds.scripts])
  const optionsFor = async (engine: Engine): Promise<ScriptOptions> => ({
    missingExtensions: source.missingExtensions,
    unusable: source.unusable ?? {},
    provided: await provideShims(engine, extensions),
    privileged: source.asSuperuser ? await findPrivilegedExtensions(engine, extensions) : new Set(),
    warn: (text) => tell({ kind: 'script-warning', text }),
  })
  const preparation = apiGrants(config.api.auto_expose_new_tables) + olderExtensions(config.db.major_version)
  const settings = {
    'app.settings.jwt_secret': config.auth.jwt_secret,
    'app.settings.jwt_exp': String(config.auth.jwt_expiry),
  }
  return {
    key: hashOf([
      preparation,
      JSON.stringify(settings),
      ...[...roles, ...schemas.scripts, ...migrations, ...seeds.scripts].flatMap(pathAndText),
    ]),
    migrations,
    extensions,
    async apply(engine) {
      await unlessAborted(source.aborted, async () => {
        const db = createDb(engine)
        const scripts = await optionsFor(engine)
        if (preparation) await db.exec(preparation)
        await makeSettings(db, settings)
        await withoutWatchers(db, async () => {
          await applyScripts(engine, [...roles, ...schemas.scripts], scripts)
          await applyMigrations(engine, migrations, ({ path }) => tell({ kind: 'migration', path }), scripts)
          await applySeed(engine, seeds.scripts, ({ path }) => tell({ kind: 'seed', path }), scripts)
        })
      })
      const refusals = findHostedRefusals([...roles, ...migrations], config.db.major_version)
      if (refusals.length > 0) tell({ kind: 'hosted-refusals', count: refusals.length })
    },
    async migrate(engine) {
      const scripts = await optionsFor(engine)
      return applyMigrations(engine, migrations, ({ path }) => tell({ kind: 'migration', path }), scripts)
    },
  }
}

/** Event triggers that tell the services of each change of the structure. */
const WATCHERS = ['pgrst_ddl_watch', 'pgrst_drop_watch', 'realtime_follow_publication']

async function setWatchers(db: Db, state: 'disable' | 'enable'): Promise<void> {
  const [present, command] = state === 'disable' ? ['A', 'disable'] : ['D', 'enable always']
  // A server by its address may have none of them, or not let this role change them.
  const { rows } = await db.query<{ name: string }>(
    statement(sql`select evtname as name from pg_event_trigger
      where evtname = any(${WATCHERS}) and evtenabled = ${present}::"char" and pg_has_role(evtowner, 'usage')`),
  )
  for (const { name } of rows) await db.exec(`alter event trigger ${name} ${command}`)
}

/** Whether migrations were ever applied to a database. */
export const hasHistory = (db: Db): Promise<boolean> =>
  db
    .query({ text: `select to_regclass('supabase_migrations.schema_migrations') is not null as there`, values: [] })
    .then(({ rows }) => rows[0]?.there === true)

/** Enables the services' event triggers on a server where a killed process left them off. */
export const enableWatchers = (db: Db): Promise<void> => setWatchers(db, 'enable')

/** Where the bootstrap could not make everything, Realtime has no triggers that could follow. */
const CATCH_UP = `
  do $$ begin
    if to_regprocedure('_realtime.follow_publication()') is not null then perform _realtime.follow_publication(); end if;
  end $$;
  notify realtime_publication; notify pgrst, 'reload schema'`

/** Runs `work` while the services' event triggers are off, and does then at once what they would have done at each statement.
 *
 *  Gain: 300 migrations with 47,000 lines take 7.5 s instead of 24 s from the first command on, on the native engine. */
async function withoutWatchers(db: Db, work: () => Promise<void>): Promise<void> {
  await setWatchers(db, 'disable')
  try {
    await work()
  } finally {
    await setWatchers(db, 'enable')
  }
  await db.exec(CATCH_UP)
}

const NO_RIGHT = '42501'

/** Settings that projects read with `current_setting('app.settings.jwt_secret')` (supabase/cli internal/db/start).
 *  A server that is not ours may refuse them. */
async function makeSettings(db: Db, settings: Readonly<Record<string, string>>): Promise<void> {
  const assignments = Object.entries(settings).map(([name, value]) =>
    statement(
      sql`select format('alter database %I set %I to %L', current_database(), ${name}::text, ${value}::text) as script`,
    ),
  )
  for (const assignment of assignments) {
    const { rows } = await db.query<{ script: string }>(assignment)
    await db.exec(rows[0]?.script ?? '').catch((error: unknown) => {
      if ((error as { code?: unknown }).code !== NO_RIGHT) throw error
    })
  }
}

/** What `[api] auto_expose_new_tables = false` takes away (supabase/cli internal/db/start). */
/** What the CLI revokes, and no more: inserts into tables with `serial` need UPDATE on its sequence.
 *  @see supabase/cli apps/cli-go/internal/db/start/start.go */
function apiGrants(autoExpose: boolean | undefined): string {
  if (autoExpose !== false) return ''
  return `
    alter default privileges for role postgres in schema public revoke select, insert, update, delete on tables from anon, authenticated, service_role;
    alter default privileges for role postgres in schema public revoke usage, select on sequences from anon, authenticated, service_role;
    alter default privileges for role postgres in schema public revoke execute on functions from anon, authenticated, service_role;
  `
}

/** Before Postgres 17 a project begins with pgsodium, and dumps of its data set the extension's sequence
 *  (supabase/postgres migrations, create_pgsodium_and_vault). A server that is not ours may not have it. */
function olderExtensions(majorVersion: number): string {
  if (majorVersion >= 17) return ''
  return `
    do $$ begin
      if exists (select from pg_available_extensions where name = 'pgsodium') then
        create extension if not exists pgsodium;
      end if;
    end $$;
  `
}

const CREATE_EXTENSION = /\bcreate\s+extension\s+(?:if\s+not\s+exists\s+)?"?([a-z0-9_-]+)"?/gi

const createdExtensions = (scripts: readonly ProjectScript[]): Set<string> =>
  new Set(
    scripts.flatMap(({ text }) => [...text.matchAll(CREATE_EXTENSION)].map(([, name = '']) => name.toLowerCase())),
  )

const pathAndText = ({ path, text }: ProjectScript): string[] => [path, text]

export function hashOf(parts: readonly string[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:${part}`)
  return hash.digest('hex').slice(0, 24)
}
