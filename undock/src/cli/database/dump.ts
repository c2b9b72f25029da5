import { writeFile } from 'node:fs/promises'
import { dumpData, dumpRoles, dumpSchema } from '../../project-tools/dump/dump.ts'
import { type BackendOptions, splitNames, UsageError } from '../arguments.ts'
import { findDatabase } from '../running.ts'

export type DbDumpOptions = BackendOptions & {
  readonly dbUrl?: string
  readonly file?: string
  readonly schema: readonly string[]
  readonly exclude: readonly string[]
  readonly dataOnly: boolean
  readonly roleOnly: boolean
  readonly keepComments: boolean
  readonly useCopy: boolean
}

/** `undock db dump`: prints the schema, with `--data-only` the rows, with `--role-only` the roles. Options are those of
 *  `supabase db dump`. */
export async function dbDump({ dataOnly, roleOnly, file, dbUrl, ...options }: DbDumpOptions): Promise<number> {
  if (options.useCopy) throw new UsageError('--use-copy is not supported: rows are written as INSERT.')
  const excluded = splitNames(options.exclude)
  if (excluded.length > 0 && !dataOnly) throw new UsageError('--exclude works with --data-only.')
  const selection = { schemas: splitNames(options.schema), keepComments: options.keepComments }
  const database = dbUrl ? { url: dbUrl, close: async () => undefined } : await findDatabase(options)
  const dump = (): Promise<string> => {
    if (roleOnly) return dumpRoles(database.url)
    return dataOnly ? dumpData(database.url, selection, excluded) : dumpSchema(database.url, selection)
  }
  const text = await dump().finally(database.close)
  if (file === undefined) process.stdout.write(text)
  else await writeFile(file, text)
  return 0
}
