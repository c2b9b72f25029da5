import { createHash } from 'node:crypto'
import type { Config } from '../../config/config.ts'
import { UserError } from '../../kernel/service-error.ts'
import { sql } from '../../kernel/sql.ts'
import { findPrivilegedExtensions, provideShims } from '../bootstrap/apply-bootstrap.ts'
import { type Db, queryRows } from '../db.ts'
import { createDb } from '../engine-db.ts'
import { applyMigrations, applyScripts, applySeed } from '../migrations/apply.ts'
import { findHostedRefusals } from '../migrations/hosted-refusals.ts'
import { type Migration, type ProjectScript, readMigrations, readScripts } from '../migrations/project-files.ts'
import type { ScriptOptions } from '../migrations/script-runner.ts'
import type { Engine, EngineInUse } from '../session.ts'
import { splitStatements, withoutComments } from '../statements/split-statements.ts'

export type OpeningEvent =
  | { readonly kind: 'bootstrap' }
  | { readonly kind: 'omitted'; readonly omission: string }
  | { readonly kind: 'migration'; readonly path: string }
  | { readonly kind: 'seed'; readonly path: string }
  | { readonly kind: 'unmatched-seed'; readonly pattern: string }
  | { readonly kind: 'embedded-engine'; readonly engine: EngineInUse }
  /** Fetching the programs of a major that wasn't installed with undock, or an extension package. */
  | { readonly kind: 'fetching-postgres'; readonly major: number; readonly pack?: string | undefined }
  | { readonly kind: 'fetching-pglite' }
  /** The existing data has another major than the configuration names, and keeps it. */
  | { readonly kind: 'other-major'; readonly kept: number; readonly configured: number; readonly folder: string }
  /** Another version of undock prepared the data; this version's additions were applied. */
  | { readonly kind: 'updated' }
  | { readonly kind: 'hosted-refusals'; readonly count: number }
  | { readonly kind: 'script-warning'; readonly text: string }

class UnknownVersionError extends Error {
  override readonly name = 'UnknownVersionError'
}

class AbortedError extends UserError {
  constructor() {
    super('Stopped before it was ready.')
  }
}

export type ContentSource = {
  /** Stops waiting for running scripts; a waiting statement can't be interrupted. */
  readonly aborted?: AbortSignal
  readonly supabaseFolder: string
  readonly config: Pick<Config, 'db' | 'api' | 'auth'>
  /** SUPABASE_EXPERIMENTAL: like the CLI, uses the files of `[db.migrations] schema_paths` instead of the migrations. */
  readonly experimental: boolean
  readonly missingExtensions: ScriptOptions['missingExtensions']
  /** Whether the URL's own user, a superuser, creates the extensions that hosted projects let `postgres` create. */
  readonly asSuperuser?: boolean
  readonly part?: ContentPart
  readonly unusable?: ScriptOptions['unusable']
  tell(event: OpeningEvent): void
}

export type ProjectContent = {
  readonly key: string
  readonly migrations: readonly Migration[]
  /** Extensions that the scripts create, according to their text. */
  readonly extensions: ReadonlySet<string>
  /** @throws {ScriptError} at the first failing script. */
  apply(engine: Engine): Promise<void>
  /** Applies only the missing migrations, and returns them. @throws {ScriptError} at the first failing migration. */
  migrate(engine: Engine): Promise<Migration[]>
}

/** Returns a project's migrations, or the requested part. @throws {UnknownVersionError} */
async function migrationsOf(
  { config, supabaseFolder, part }: ContentSource,
  skip?: (path: string, reason: string) => void,
): Promise<Migration[]> {
  if (!config.db.migrations.enabled) return []
  const all = await readMigrations(supabaseFolder, skip)
  if (part?.without !== undefined) return all.slice(0, Math.max(0, all.length - part.without))
  if (part?.until === undefined) return all
  const last = all.findLastIndex(({ version }) => version === part.until)
  if (last === -1) throw new UnknownVersionError(`There is no migration of the version ${part.until}.`)
  return all.slice(0, last + 1)
}

/** Rejects when aborted; the work itself ends with its session. @throws {AbortedError} */
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

/** Reads a project's files. @throws {UnknownVersionError} */
export async function readContent(source: ContentSource): Promise<ProjectContent> {
  const { supabaseFolder, config, tell } = source
  const schemas = source.experimental
    ? await readScripts(supabaseFolder, config.db.migrations.schema_paths)
    : { scripts: [], unmatched: [] }
  const leftOut = new Map<string, string[]>()
  const migrations =
    schemas.scripts.length > 0
      ? []
      : await migrationsOf(source, (path, reason) => leftOut.set(reason, [...(leftOut.get(reason) ?? []), path]))
  for (const [reason, [path, ...others]] of leftOut)
    tell({
      kind: 'script-warning',
      text: `${path}${others.length > 0 ? ` and ${others.length} more are` : ' is'} left out: ${reason}`,
    })
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

/** Event triggers that notify the services of schema changes. */
const WATCHERS = ['pgrst_ddl_watch', 'pgrst_drop_watch', 'realtime_follow_publication']

async function setWatchers(db: Db, state: 'disable' | 'enable'): Promise<void> {
  const [present, command] = state === 'disable' ? ['A', 'disable'] : ['D', 'enable always']
  // A server given by its URL may lack them, or not let this role change them.
  const rows = await queryRows<{ name: string }>(db)`select evtname as name from pg_event_trigger
    where evtname = any(${WATCHERS}) and evtenabled = ${present}::"char" and pg_has_role(evtowner, 'usage')`
  for (const { name } of rows) await db.exec(`alter event trigger ${name} ${command}`)
}

export const hasHistory = (db: Db): Promise<boolean> =>
  db
    .query({ text: `select to_regclass('supabase_migrations.schema_migrations') is not null as there`, values: [] })
    .then(({ rows }) => rows[0]?.there === true)

/** Enables the services' event triggers on a server where a killed process left them off. */
export const enableWatchers = (db: Db): Promise<void> => setWatchers(db, 'enable')

/** After an incomplete bootstrap, Realtime has no triggers to update. */
const CATCH_UP = `
  do $$ begin
    if to_regprocedure('_realtime.follow_publication()') is not null then perform _realtime.follow_publication(); end if;
  end $$;
  notify realtime_publication; notify pgrst, 'reload schema'`

/** Runs `work` with the services' event triggers off, and then does their work once instead of per statement.
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

/** Stores settings that projects read with `current_setting('app.settings.jwt_secret')` (supabase/cli
 *  internal/db/start). A server that isn't ours may refuse them. */
async function makeSettings(db: Db, settings: Readonly<Record<string, string>>): Promise<void> {
  const assignments = Object.entries(settings).map(
    ([name, value]) =>
      sql`select format('alter database %I set %I to %L', current_database(), ${name}::text, ${value}::text) as script`,
  )
  for (const assignment of assignments) {
    const { rows } = await db.query<{ script: string }>(assignment)
    await db.exec(rows[0]?.script ?? '').catch((error: unknown) => {
      if ((error as { code?: unknown }).code !== NO_RIGHT) throw error
    })
  }
}

/** Returns what `[api] auto_expose_new_tables = false` revokes, like the CLI: `serial` still needs UPDATE on sequences.
 *  @see supabase/cli apps/cli-go/internal/db/start/start.go */
function apiGrants(autoExpose: boolean | undefined): string {
  if (autoExpose !== false) return ''
  return `
    alter default privileges for role postgres in schema public revoke select, insert, update, delete on tables from anon, authenticated, service_role;
    alter default privileges for role postgres in schema public revoke usage, select on sequences from anon, authenticated, service_role;
    alter default privileges for role postgres in schema public revoke execute on functions from anon, authenticated, service_role;
  `
}

/** Before Postgres 17 projects start with pgsodium, and dumps of their data set its sequence (supabase/postgres
 *  migrations, create_pgsodium_and_vault). A server that isn't ours may lack it. */
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

/** Finds the extensions that statements and their blocks create, not those that are commented out. */
const createdExtensions = (scripts: readonly ProjectScript[]): Set<string> =>
  new Set(
    scripts
      .flatMap(({ text }) => (text.search(CREATE_EXTENSION) === -1 ? [] : splitStatements(text)))
      .flatMap(({ text }) => [...withoutComments(text).matchAll(CREATE_EXTENSION)])
      .map(([, name = '']) => name.toLowerCase()),
  )

const pathAndText = ({ path, text }: ProjectScript): string[] => [path, text]

export function hashOf(parts: readonly string[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:${part}`)
  return hash.digest('hex').slice(0, 24)
}

/** Which of a project's files a reset applies; all by default. */
export type ContentPart = {
  readonly until?: string
  /** How many of the last migrations to leave out. */
  readonly without?: number
  readonly seed?: false | readonly string[]
}
