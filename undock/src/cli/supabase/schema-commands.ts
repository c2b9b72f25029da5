import { join } from 'node:path'
import { ShadowLoadError } from '@supabase/pg-delta'
import { readProjectConfig } from '../../config/project.ts'
import { debianPackage } from '../../database/extensions/known-extensions.ts'
import { readScripts } from '../../database/migrations/project-files.ts'
import { DEFAULT_MAJOR, majorFor, packageName } from '../../database/postgres/postgres-package.ts'
import { difference, type Script } from '../../project-tools/schema-difference.ts'
import { MIGRATION } from '../../runtime/branches/undo.ts'
import { splitNames, UsageError } from '../arguments.ts'
import { keepForUndo } from '../branches/undo.ts'
import { dbDiff, dbPull, onLeftOut } from '../database/diff.ts'
import { dbDump } from '../database/dump.ts'
import { writeMigrations } from '../database/migration.ts'
import { migrationSquash } from '../database/migration-squash.ts'
import { withClient } from '../database-target.ts'
import { findRunning, withShadow } from '../running.ts'
import { resetRunning } from '../stack/reset.ts'
import { asRemote, FLAGS, isWanted, list, optionsOf, type Replacement, text, type Values } from './call.ts'
import { passOn } from './cli.ts'

const { DATABASE, FILE, LIST, NO_SNAPSHOT, SCHEMA, switches, TEXT } = FLAGS

/** The shadow database already has the platform's extensions, which an exported schema also declares. */
const CREATE_EXTENSION = /\bcreate\s+extension\b(?!\s+if\b)/gi

type DeclarativeSyncOptions = {
  readonly workdir: string
  /** The part of the migration's name after the version. */
  readonly name: string
  readonly schema: readonly string[]
  /** Applies the migration to the running backend. */
  readonly apply: boolean
  /** Whether to keep the data for `undock undo` first. */
  readonly snapshot: boolean
}

/** `supabase db schema declarative sync`: writes a new migration with what's missing from the declared schema. @throws {UsageError} if
 *  nothing is declared, or the files can't be loaded.
 *  @see supabase 3.1, `supabase db schema declarative sync --help` */
async function declarativeSync({ workdir, name, schema, apply, snapshot }: DeclarativeSyncOptions): Promise<number> {
  const { config } = readProjectConfig(workdir)
  const folder = config.experimental.pgdelta?.declarative_schema_path || 'schemas'
  const { scripts: declared } = await readScripts(join(workdir, 'supabase'), [folder])
  if (declared.length === 0)
    throw new UsageError(
      `There is no declarative schema in ${join('supabase', folder)}. Generate it from the running backend: \`npx undock supabase db schema declarative generate\``,
    )
  const files = declared.map(({ path, text }) => ({
    name: path,
    sql: text.replaceAll(CREATE_EXTENSION, '$& if not exists'),
  }))
  const schemas = splitNames(schema)
  const compare = (migrated: string): Promise<Script[]> =>
    withShadow(workdir, 'none', (empty) => difference(migrated, empty, { schemas, files, onLeftOut }))
  const scripts = await withShadow(workdir, 'all', compare).catch(explain)
  if (scripts.length === 0) {
    console.error('No schema changes found')
    return 0
  }
  for (const { text } of scripts) console.error(`Generated migration SQL:\n${text}`)
  for (const { path } of await writeMigrations(workdir, name, scripts))
    console.error(`Created new migration at ${path}`)
  if (apply) {
    await keepForUndo({ workdir, name: null }, MIGRATION, 'change the data', snapshot)
    return passOn(workdir, ['migration', 'up'])
  }
  console.error('Apply it with `npx undock supabase migration up`.')
  return 0
}

function explain(error: unknown): never {
  if (!(error instanceof ShadowLoadError)) throw error
  const details = error.details.map(({ message }) => `  ${message}`)
  throw new UsageError([`Couldn't load the declarative schema: ${error.message}`, ...details].join('\n'))
}

/** Returns why `db lint` can't check functions; null if it can. */
async function lintFault(url: string): Promise<string | null> {
  const [found] = await withClient(url, async (client) => {
    const query = `select current_setting('server_version_num')::int / 10000 as major, exists (
      select from pg_catalog.pg_available_extensions where name = 'plpgsql_check') as "isThere"`
    return (await client.query<{ major: number; isThere: boolean }>(query)).rows
  })
  if (found?.isThere) return null
  const major = found?.major ?? DEFAULT_MAJOR
  return (
    `Nothing was checked: \`db lint\` needs the extension plpgsql_check, which this backend does not have. Install the npm package ` +
    `${packageName(majorFor(major))}, or a PostgreSQL ${major} that has it (Debian, Ubuntu: apt-get install ${debianPackage('plpgsql_check', major)}), ` +
    'then restart the backend. `undock advisors` finds other problems without it.'
  )
}

/** The commands that read a database's schema or write migrations. */
export const SCHEMA_COMMANDS: Readonly<Record<string, Replacement>> = {
  'db diff': {
    takesAddress: true,
    flags: {
      ...DATABASE,
      from: TEXT,
      to: TEXT,
      ...switches('use-migra', 'use-pgadmin', 'use-pg-delta', 'strict-coverage'),
      ...FILE,
      ...SCHEMA,
    },
    run: ({ backend, values, address, words }) => {
      if (values.from !== undefined || values.to !== undefined) return passOn(backend.workdir, words)
      refuseCoverage(values)
      if (values['use-migra'] && values['use-pgadmin'])
        throw new UsageError('Use --use-migra or --use-pgadmin, not both.')
      if (values['use-migra'] || values['use-pgadmin']) console.error('Comparing with pg-delta instead.')
      return dbDiff({
        ...optionsOf(backend),
        ...fileAndAddress(values, address),
        schema: list(values.schema),
        rename: [],
      })
    },
  },
  'db dump': {
    takesAddress: true,
    flags: {
      ...DATABASE,
      ...switches('dry-run', 'data-only', 'use-copy', 'role-only', 'keep-comments'),
      exclude: { ...LIST, short: 'x' },
      ...FILE,
      ...SCHEMA,
    },
    run: ({ backend, values, address }) => {
      if (values['dry-run']) throw new UsageError('--dry-run prints a script for pg_dump, which undock does not run.')
      return dbDump({
        ...optionsOf(backend),
        ...fileAndAddress(values, address),
        schema: list(values.schema),
        exclude: list(values.exclude),
        dataOnly: values['data-only'] === true,
        roleOnly: values['role-only'] === true,
        keepComments: values['keep-comments'] === true,
        useCopy: values['use-copy'] === true,
      })
    },
  },
  'db pull': {
    takesAddress: true,
    flags: {
      ...DATABASE,
      ...switches('declarative', 'strict-coverage'),
      'diff-engine': TEXT,
      ...SCHEMA,
    },
    run: async ({ backend, values, address, rest, words }) => {
      if (values.declarative) return passOn(backend.workdir, words)
      refuseCoverage(values)
      if (values['diff-engine'] === 'migra') console.error('Comparing with pg-delta instead.')
      return dbPull({
        workdir: backend.workdir,
        target: { url: address ?? (await findRunning(backend)).dbUrl, isLocal: address === null },
        name: rest[0] ?? 'remote_schema',
        schema: list(values.schema),
        yes: values.yes === true,
      })
    },
  },
  'db lint': {
    flags: { ...DATABASE, ...SCHEMA, level: TEXT, 'fail-on': TEXT },
    run: async (call) => {
      const fault = await lintFault((await findRunning(call.backend)).dbUrl)
      if (fault) {
        console.error(fault)
        // As for findings, the exit code depends on the failing level.
        return ['warning', 'error'].includes(String(call.values['fail-on'])) ? 1 : 0
      }
      return passOn(call.backend.workdir, await asRemote(call))
    },
  },
  'db schema declarative generate': {
    flags: {
      ...DATABASE,
      ...switches('no-cache', 'strict-coverage', 'overwrite', 'reset'),
      'output-dir': TEXT,
      ...NO_SNAPSHOT,
      ...SCHEMA,
    },
    run: async (call) => {
      const { backend, values, words } = call
      if (values.reset) {
        await keepForUndo(backend, 'reset', 'delete the data', isWanted(values))
        if ((await resetRunning(backend, {})) !== 0) return 1
      }
      const others = { ...call, words: words.filter((word) => !['--reset', '--no-snapshot'].includes(word)) }
      return passOn(backend.workdir, await asRemote(others))
    },
  },
  'db schema declarative sync': {
    flags: {
      ...switches('no-cache', 'strict-coverage', 'apply', 'no-apply'),
      ...SCHEMA,
      ...FILE,
      name: TEXT,
      ...NO_SNAPSHOT,
    },
    run: async ({ backend, values }) => {
      refuseCoverage(values)
      if (values.apply && values['no-apply']) throw new UsageError('Use --apply or --no-apply, not both.')
      return declarativeSync({
        workdir: backend.workdir,
        name: String(values.name ?? values.file ?? 'declarative_sync'),
        schema: list(values.schema),
        apply: values['no-apply'] !== true && (values.apply === true || values.yes === true),
        snapshot: isWanted(values),
      })
    },
  },
  'migration squash': {
    takesAddress: true,
    flags: { ...DATABASE, version: TEXT },
    run: ({ backend, values, address }) =>
      migrationSquash({
        workdir: backend.workdir,
        target: address === null ? null : { url: address, isLocal: false },
        ...text('version', values.version),
        yes: values.yes === true,
      }),
  },
}

const fileAndAddress = (values: Values, address: string | null) => ({
  ...text('file', values.file),
  ...(address === null ? {} : { dbUrl: address }),
})

function refuseCoverage(values: Values): void {
  if (values['strict-coverage'])
    throw new UsageError('--strict-coverage is not supported: undock names what it leaves out, and goes on.')
}
