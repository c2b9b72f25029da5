import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { recordMigrations } from '../../database/migrations/history.ts'
import { type Migration, readMigrations } from '../../database/migrations/project-files.ts'
import { splitStatements } from '../../database/statements/split-statements.ts'
import { dumpSchema } from '../../project-tools/dump/dump.ts'
import { UsageError } from '../arguments.ts'
import { type DatabaseTarget, requireConsent, withClient } from '../database-target.ts'
import { type ShadowContent, withShadow } from '../running.ts'

type MigrationSquashOptions = {
  readonly workdir: string
  /** The database whose history gets only the squashed migration; null for none. */
  readonly target: DatabaseTarget | null
  /** The version of the last migration to squash; the newest by default. */
  readonly version?: string
  readonly yes: boolean
}

/** `supabase migration squash`: replaces migrations with one that creates the same schema. Changes to rows are lost. @throws {UsageError}
 *  if no migration has the version.
 *  @see supabase 3.1, `supabase migration squash --help`; supabase/cli internal/migration/squash */
export async function migrationSquash({ workdir, target, version, yes }: MigrationSquashOptions): Promise<number> {
  const all = await readMigrations(join(workdir, 'supabase'))
  const last = version === undefined ? all.length - 1 : all.findIndex((migration) => migration.version === version)
  const kept = all[last]
  if (!kept) throw new UsageError(version === undefined ? 'There are no migrations.' : noSuchVersion(version))
  const merged = all.slice(0, last)
  if (target)
    await requireConsent(
      target,
      `Squash ${merged.length + 1} migrations, in the files and in the history of the database`,
      yes,
    )
  const content = last === all.length - 1 ? 'all' : { until: kept.version }
  const text = merged.length === 0 ? kept.text : await squash(workdir, kept, merged, content)
  if (merged.length === 0) console.error(`${kept.path} is already the earliest migration.`)
  if (target)
    await withClient(target.url, (client) => recordMigrations(client, [{ ...kept, text }], { replaced: true }))
  console.log('Finished supabase migration squash.')
  if (!target)
    console.error(
      'Run `npx supabase migration repair --status applied --remote` to update your remote migration history.',
    )
  return 0
}

const noSuchVersion = (version: string): string =>
  /^\d+$/.test(version)
    ? `There is no file supabase/migrations/${version}_*.sql.`
    : `"${version}" is not a valid version number.`

/** @returns the new text of the last migration's file. @throws {DatabaseError} if it can't be applied. */
async function squash(workdir: string, kept: Migration, merged: readonly Migration[], content: ShadowContent) {
  const text = await withShadow(workdir, content, (migrated) =>
    withShadow(workdir, 'none', async (empty) => {
      const own = await dumpSchema(migrated, [])
      const ofServices = added(await dumpSchema(empty, OF_SERVICES), await dumpSchema(migrated, OF_SERVICES))
      const squashed = `${own}${HEADING}${ofServices}`
      await withClient(empty, (client) => client.query(squashed))
      return squashed + corrections(own, await dumpSchema(empty, []))
    }),
  )
  await writeFile(join(workdir, kept.path), text)
  for (const { path } of merged) await rm(join(workdir, path))
  console.error(`Squashed local migrations to ${kept.path}`)
  return text
}

/** Returns the REVOKEs that a dump lacks: new objects get the default privileges, such as all rights on a table for anon. */
function corrections(wanted: string, replayed: string): string {
  const opened = added(wanted, replayed).matchAll(/^(.*?)\bGRANT (.+) TO (PUBLIC|"(?:[^"]|"")+")/gm)
  const revokes = [...opened].map(([, scope, rights, role]) => `${scope}REVOKE ${rights} FROM ${role};`)
  const grants = added(replayed, wanted).match(/^.*\bGRANT .+;$/gm) ?? []
  return ['', ...revokes, ...grants].join('\n')
}

/** The platform creates these schemas, and migrations add triggers and policies to them. */
const OF_SERVICES = ['auth', 'storage']
const HEADING = '\n--\n-- Dumped schema changes for auth and storage\n--\n\n'

/** Returns the statements of a dump that are missing in another. */
function added(before: string, after: string): string {
  const existing = new Set(splitStatements(before).map(({ text }) => text))
  return splitStatements(after)
    .filter(({ text }) => !existing.has(text))
    .map(({ text }) => `${text};\n`)
    .join('\n')
}
