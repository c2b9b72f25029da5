import { createHash, randomBytes } from 'node:crypto'
import pg from 'pg'
import { readProjectConfig } from '../../config/project.ts'
import { type Catalog, readCatalog, readProjectTables } from '../../project-tools/import/catalog.ts'
import { chooseFakes, type Fakes } from '../../project-tools/import/fakes/choose-fakes.ts'
import { createFakes, createKeyedHash } from '../../project-tools/import/fakes/values.ts'
import { importData, type Sample } from '../../project-tools/import/import-data.ts'
import { makePlan, type Plan } from '../../project-tools/import/plan.ts'
import { ImportError, openSource } from '../../project-tools/import/source.ts'
import { type BackendOptions, findBackend, splitNames, UsageError } from '../arguments.ts'
import { keepForUndo } from '../branches/undo.ts'
import { requireConsent, withClient } from '../database-target.ts'
import { createProgress } from '../report.ts'
import { cancellable } from '../signals.ts'
import { findImportTarget } from './import-target.ts'

/** Finds a table by its name, with or without a schema (then `public`), quoted as in SQL or not.
 *  @returns its id, or null. */
function findTable(name: string, { tables }: Catalog): string | null {
  const match = [...tables.values()].find(
    (table) =>
      table.id === name ||
      `${table.schema}.${table.name}` === name ||
      (table.schema === 'public' && (table.name === name || table.id === `public.${name}`)),
  )
  return match?.id ?? null
}

export type ImportOptions = BackendOptions & {
  readonly dbUrl?: string
  readonly tables: readonly string[]
  readonly exclude: readonly string[]
  readonly sample?: Sample
  readonly anonymize: boolean
  readonly storage: 'none' | 'metadata'
  readonly replace: boolean
  /** Whether to keep the replaced data for `undock undo`. */
  readonly snapshot: boolean
  readonly yes: boolean
}

/** `undock import`: copies rows of another database into the local one, in one transaction on each side.
 *  @throws {ImportError | UsageError} */
export async function importRows(options: ImportOptions): Promise<number> {
  const url = options.dbUrl ?? process.env.UNDOCK_IMPORT_DB_URL
  if (!url) throw new UsageError('Set the database to read from with --db-url or UNDOCK_IMPORT_DB_URL.')
  const backend = findBackend(options)
  const rules = readProjectConfig(backend.workdir).settings.import
  // `undock run`'s backend has nothing to keep.
  const keeps = options.replace && !process.env.SUPABASE_DB_URL
  const keep = () => keepForUndo(backend, 'import', 'replace the data', options.snapshot)
  const destination = await findImportTarget(options, url)
  try {
    return await withClient(destination.url, async (target) => {
      const source = await openSource(url)
      try {
        return await importBetween(source, target, options, rules, keeps ? keep : null)
      } finally {
        await source.end()
      }
    })
  } catch (error) {
    throw explainError(error)
  } finally {
    await destination.close()
  }
}

/** Errors of Postgres and the driver are shown to the user. */
function explainError(error: unknown): unknown {
  if (error instanceof ImportError) return error
  if (error instanceof pg.DatabaseError)
    return new ImportError(`Nothing was imported: ${error.message}`, { cause: error })
  if (error instanceof Error && /^Connection terminated|ECONN/.test(error.message))
    return new ImportError('A connection was lost. Nothing was imported.', { cause: error })
  return error
}

type Rules = Parameters<typeof chooseFakes>[2]['rules']

async function importBetween(
  source: pg.Client,
  target: pg.Client,
  options: ImportOptions,
  rules: Rules,
  keep: (() => Promise<void>) | null,
): Promise<number> {
  const { anonymize, replace, sample = null, yes } = options
  // Types are named with their schemas on both sides.
  await target.query("set search_path = ''")
  const [local, theirs] = [await readCatalog(target), await readCatalog(source)]
  const plan = makePlan(local, theirs, await readProjectTables(target), {
    tables: options.tables.length > 0 ? namedTables(options.tables, local, '--tables') : null,
    exclude: namedTables(options.exclude, local, '--exclude'),
    withStorage: options.storage === 'metadata',
    isAnonymized: anonymize,
  })
  const imported = [...plan.tables.values(), ...plan.ofUsers]
  const fakeOf = anonymize ? createFakes(createKeyedHash(keyOfFakes())) : null
  const fakes = fakeOf && (await chooseFakes(imported, plan.foreignKeys, { source, rules, fakeOf }))
  tellPlan(plan, fakes, options, `${source.host}:${source.port}/${source.database}`)
  await requireConsent({ url: '', isLocal: false }, replace ? 'Empty these tables and import' : 'Import', yes)
  await keep?.()

  return cancellable('The local database is unchanged.', async (signal) => {
    // Closing the connections cancels the running statement.
    signal.addEventListener('abort', () => void Promise.all([target.end(), source.end()]))
    const progress = createProgress()
    const counts = await importData({
      source,
      target,
      plan,
      sample,
      fakes,
      replaces: replace,
      onProgress: (table, rows) => progress(`  ${table}: ${rows.toLocaleString('en')} rows so far`),
      signal,
    })
    for (const [table, rows] of counts)
      console.error(`  ${table}: ${rows.toLocaleString('en')} row${rows === 1 ? '' : 's'}`)
    if (counts.has('storage.objects')) console.error('`undock import files` downloads the files of these objects.')
    console.error('Done.')
    return 0
  })
}

function namedTables(names: readonly string[], catalog: Catalog, option: string): string[] {
  return splitNames(names).map((name) => {
    const id = findTable(name, catalog)
    if (id === null) throw new ImportError(`${option} names ${name}, which no migration creates.`)
    return id
  })
}

/** A new key per import, unless the user has set one: guesses can't be compared with the fakes. */
function keyOfFakes(): Buffer {
  const text = process.env.UNDOCK_IMPORT_KEY
  if (!text) return randomBytes(32)
  if (text.length < 32) throw new UsageError('UNDOCK_IMPORT_KEY must have at least 32 characters.')
  return createHash('sha256').update(text).digest()
}

function tellPlan(plan: Plan, fakes: Fakes | null, { replace, sample }: ImportOptions, from: string): void {
  const ids = [...plan.tables.values(), ...plan.ofUsers].map(({ local }) => local.id).join(', ')
  const share =
    sample === undefined
      ? 'all rows'
      : 'percent' in sample
        ? `${sample.percent} % of the rows`
        : `${sample.rows} rows of each table`
  console.error(`Importing from ${from} (read-only): ${share}, and the rows that they refer to`)
  console.error(`  ${ids}`)
  for (const difference of plan.differences) console.error(`  ${difference}`)
  if (fakes) {
    console.error('Replaced with fakes, as are email addresses in other texts:')
    for (const { column, kind } of fakes.columns) console.error(`  ${column} (${kind})`)
  }
  console.error(
    replace
      ? `Emptied first: ${plan.emptied.join(', ')}`
      : 'Rows are added to empty tables; existing data is not changed.',
  )
}
