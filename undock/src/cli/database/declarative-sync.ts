import { join } from 'node:path'
import { ShadowLoadError } from '@supabase/pg-delta'
import { readProjectConfig } from '../../config/project.ts'
import { readScripts } from '../../database/migrations/project-files.ts'
import { difference, type Script } from '../../project-tools/schema-difference.ts'
import { splitNames, UsageError } from '../arguments.ts'
import { withShadow } from '../running.ts'
import { passOn } from '../supabase/cli.ts'
import { writeMigrations } from './migration-files.ts'

/** The shadow database has the platform's extensions already, which an exported schema declares, too. */
const CREATE_EXTENSION = /\bcreate\s+extension\b(?!\s+if\b)/gi

export type DeclarativeSyncOptions = {
  readonly workdir: string
  /** What the name of the migration contains after the version. */
  readonly name: string
  readonly schema: readonly string[]
  /** Applies the migration to the running backend. */
  readonly apply: boolean
}

/** `supabase db schema declarative sync`: writes what the declared schema has beyond the migrations as a new migration.
 *  @throws {UsageError} when nothing is declared, or when the files cannot be loaded.
 *  @see supabase 3.1, `supabase db schema declarative sync --help` */
export async function declarativeSync({ workdir, name, schema, apply }: DeclarativeSyncOptions): Promise<number> {
  const { config } = readProjectConfig(workdir)
  const folder = config.experimental.pgdelta?.declarative_schema_path || 'schemas'
  const { scripts: declared } = await readScripts(join(workdir, 'supabase'), [folder])
  if (declared.length === 0)
    throw new UsageError(
      `No schema is declared in ${join('supabase', folder)}. Write the one of the running backend there: \`npx undock supabase db schema declarative generate\``,
    )
  const files = declared.map(({ path, text }) => ({
    name: path,
    sql: text.replaceAll(CREATE_EXTENSION, '$& if not exists'),
  }))
  const schemas = splitNames(schema)
  const compare = (migrated: string): Promise<Script[]> =>
    withShadow(workdir, 'none', (empty) => difference(migrated, empty, { schemas, files }))
  const scripts = await withShadow(workdir, 'all', compare).catch(explain)
  if (scripts.length === 0) {
    console.error('No schema changes found')
    return 0
  }
  for (const { text } of scripts) console.error(`Generated migration SQL:\n${text}`)
  for (const { path } of await writeMigrations(workdir, name, scripts))
    console.error(`Created new migration at ${path}`)
  if (apply) return passOn(workdir, ['migration', 'up'])
  console.error('Apply it with `npx undock supabase migration up`.')
  return 0
}

function explain(error: unknown): never {
  if (!(error instanceof ShadowLoadError)) throw error
  const details = error.details.map(({ message }) => `  ${message}`)
  throw new UsageError([`The declared schema cannot be loaded: ${error.message}`, ...details].join('\n'))
}
