import { difference, type Script } from '../../project-tools/schema-difference.ts'
import { type BackendOptions, findWorkdir, splitNames } from '../arguments.ts'
import { findDatabase, withShadow } from '../running.ts'
import { writeMigrations } from './migration-files.ts'

export type DbDiffOptions = BackendOptions & {
  readonly dbUrl?: string
  readonly file?: string
  readonly schema: readonly string[]
}

/** `undock db diff`: prints, as SQL, what the database contains that the migrations do not create. The shadow database
 *  to compare with is in memory and made by the migrations alone. Options are those of `supabase db diff`. */
export async function dbDiff({ file, dbUrl, ...options }: DbDiffOptions): Promise<number> {
  const workdir = findWorkdir(options.workdir)
  const target = dbUrl ? { url: dbUrl, close: async () => undefined } : await findDatabase(options)
  const compare = () => differenceFromMigrations(workdir, target.url, splitNames(options.schema))
  const scripts = await compare().finally(target.close)
  if (scripts.length === 0) console.error('No schema changes found')
  else if (file === undefined) console.log(scripts.map(({ text }) => text).join('\n\n'))
  else for (const { path } of await writeMigrations(workdir, file, scripts)) console.error(`Written to ${path}`)
  return 0
}

/** @returns the scripts that create what a database has beyond the migrations. */
export const differenceFromMigrations = (workdir: string, url: string, schemas: readonly string[]): Promise<Script[]> =>
  withShadow(workdir, 'all', (shadow) => difference(shadow, url, { schemas }))
