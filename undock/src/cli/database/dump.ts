import { writeFile } from 'node:fs/promises'
import { openEngine } from '../../database/pglite/engine.ts'
import { providePglite } from '../../database/pglite/packages.ts'
import { folderOf, lastUsedFormat } from '../../database/project/kept-data.ts'
import { readHolder } from '../../database/project/lock.ts'
import { MAX_TIMER_MS } from '../../kernel/promises.ts'
import { dumpData, dumpRoles, dumpSchema } from '../../project-tools/dump/dump.ts'
import { whileStopped } from '../../runtime/branches/state-copy.ts'
import { lockPath, persistentState } from '../../runtime/place/state-folders.ts'
import { type Backend, type BackendOptions, findBackend, splitNames, UsageError } from '../arguments.ts'
import { findDatabase } from '../running.ts'

type DbDumpOptions = BackendOptions & {
  readonly dbUrl?: string
  readonly file?: string
  readonly schema: readonly string[]
  readonly exclude: readonly string[]
  readonly dataOnly: boolean
  readonly roleOnly: boolean
  readonly keepComments: boolean
  readonly useCopy: boolean
}

/** `undock db dump`: prints the schema, the rows with `--data-only`, or the roles with `--role-only`. Options are those of
 *  `supabase db dump`. */
export async function dbDump({ dataOnly, roleOnly, file, dbUrl, ...options }: DbDumpOptions): Promise<number> {
  if (options.useCopy) console.error('Rows are written as INSERT instead of COPY. They restore the same.')
  if (dataOnly && roleOnly) throw new UsageError('Use --data-only or --role-only, not both.')
  if (dataOnly && options.keepComments) throw new UsageError('Use --data-only or --keep-comments, not both.')
  if (roleOnly && options.schema.length > 0) throw new UsageError('Use --role-only or --schema, not both.')
  const excluded = splitNames(options.exclude)
  if (excluded.length > 0 && !dataOnly) throw new UsageError('--exclude needs --data-only.')
  const schemas = splitNames(options.schema)
  const backend = findBackend(options)
  if (dataOnly && !dbUrl && (await isKeptByPglite(backend)))
    return write(await dumpKeptData(backend, schemas, excluded), file)
  const database = dbUrl ? { url: dbUrl, close: async () => undefined } : await findDatabase(options)
  const dump = (): Promise<string> => {
    if (roleOnly) return dumpRoles(database.url)
    if (dataOnly) return dumpData(database.url, schemas, excluded)
    return dumpSchema(database.url, schemas, options.keepComments)
  }
  return write(await dump().finally(database.close), file)
}

async function write(text: string, file: string | undefined): Promise<number> {
  if (file === undefined) process.stdout.write(text)
  else await writeFile(file, text)
  return 0
}

/** Whether a stopped backend has data that only PGlite can read. While PGlite runs, nothing else can open its folder. */
const isKeptByPglite = async ({ workdir, name }: Backend): Promise<boolean> =>
  !process.env.SUPABASE_DB_URL &&
  lastUsedFormat(persistentState(workdir, name).database) === 'pglite' &&
  (await readHolder(lockPath(workdir, name))) === null

/** Dumps PGlite's data, which has no port for `pg_dump`. */
async function dumpKeptData(
  { workdir, name }: Backend,
  schemas: readonly string[],
  excluded: readonly string[],
): Promise<string> {
  await providePglite(() => console.error('Fetching PGlite'))
  return whileStopped(workdir, name, async () => {
    const folder = folderOf(persistentState(workdir, name).database, 'pglite')
    const limits = { statementLimit: MAX_TIMER_MS, waitLimit: MAX_TIMER_MS }
    const engine = await openEngine({ folder, snapshot: null, hasPostgis: true, ...limits })
    try {
      return await engine.withProjectSession((session) => dumpData(session, schemas, excluded))
    } finally {
      await engine.close()
    }
  })
}
