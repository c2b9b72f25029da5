import { join } from 'node:path'
import { readVersions, recordMigrations } from '../../database/migrations/history.ts'
import { readMigrations } from '../../database/migrations/project-files.ts'
import { splitNames, UsageError } from '../arguments.ts'
import { type DatabaseTarget, requireConsent, withClient } from '../database-target.ts'
import { differenceFromMigrations } from './diff.ts'
import { writeMigrations } from './migration.ts'

type DbPullOptions = {
  readonly workdir: string
  readonly target: DatabaseTarget
  /** What the names of the files contain after the version. */
  readonly name: string
  readonly schema: readonly string[]
  readonly yes: boolean
}

/** `supabase db pull`: writes what the migrations lack as new migrations, and marks them as applied in the database.
 *  @throws {UsageError} when the histories of database and files differ, or when there is nothing to pull.
 *  @see supabase 3.1, `supabase db pull --help` */
export async function dbPull({ workdir, target, name, schema, yes }: DbPullOptions): Promise<number> {
  const local = (await readMigrations(join(workdir, 'supabase'))).map(({ version }) => version)
  const remote = await withClient(target.url, readVersions)
  refuseOtherHistory(remote, local, target)
  // The first pull includes the whole database, as upstream.
  const schemas = local.length === 0 ? [] : splitNames(schema)
  const scripts = await differenceFromMigrations(workdir, target.url, schemas)
  if (scripts.length === 0)
    throw new UsageError('No schema changes found: the migrations have everything in the database.')
  const count = `${scripts.length} migration${scripts.length === 1 ? '' : 's'}`
  await requireConsent(target, `Write ${count}, and mark them as applied in the history of the database`, yes)
  const made = await writeMigrations(workdir, name, scripts)
  for (const { path } of made) console.error(`Schema written to ${path}`)
  await withClient(target.url, (client) => recordMigrations(client, made))
  console.error(`Repaired migration history: [${made.map(({ version }) => version).join(' ')}] => applied`)
  console.log('Finished supabase db pull.')
  return 0
}

function refuseOtherHistory(remote: readonly string[], local: readonly string[], { isLocal }: DatabaseTarget): void {
  const where = isLocal ? '' : ' --remote=ADDRESS'
  const lines = [
    ...remote.filter((version) => !local.includes(version)).map((version) => `--status reverted ${version}`),
    ...local.filter((version) => !remote.includes(version)).map((version) => `--status applied ${version}`),
  ]
  if (lines.length === 0) return
  throw new UsageError(
    [
      "The database's migration history does not match the files in supabase/migrations.",
      'First make sure your files are up to date. If they are, repair the history:',
      ...lines.map((line) => `  npx supabase migration repair ${line}${where}`),
    ].join('\n'),
  )
}
