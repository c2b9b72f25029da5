import { join } from 'node:path'
import type pg from 'pg'
import { dataTables } from '../database/dump/dump.ts'
import { lastUsedFormat } from '../database/project/kept-data.ts'
import { readHolder } from '../database/project/lock.ts'
import { findBranch } from '../runtime/branches/branches.ts'
import { loadRegistry } from '../runtime/branches/registry.ts'
import { whileStopped } from '../runtime/branches/stopped.ts'
import { SERVICES } from '../runtime/service-names.ts'
import { lockPath, stateAt, stateFolder } from '../runtime/state-folders.ts'
import { type Backend, type BackendOptions, findBackend, splitNames, UsageError } from './arguments.ts'
import { withClient } from './database-target.ts'
import { differenceFromMigrations } from './db-diff.ts'
import { engineOf } from './engine-of-data.ts'
import { writeMigrations } from './migration-files.ts'
import { tellEvent } from './report.ts'
import { findRunning } from './running.ts'
import { difference } from './schema-difference.ts'
import { tableOf } from './table.ts'

export type BranchDiffOptions = BackendOptions & {
  readonly schema: readonly string[]
  readonly output: 'pretty' | 'json'
}
export type MergeSchemaOptions = BackendOptions & { readonly file?: string; readonly schema: readonly string[] }

/** `undock branch diff`: prints, as SQL, the structure that another branch has beyond the current one, and the tables whose numbers of
 *  rows differ. Databases that do not run are copied, and the copies are started. */
export async function branchDiff(other: string, { schema, output, ...options }: BranchDiffOptions): Promise<number> {
  const backend = findBackend(options)
  const { current } = loadRegistry(stateFolder(backend.workdir, backend.name))
  if (current === other) throw new UsageError(`"${other}" is the current branch. Name another one to compare it with.`)
  const { scripts, rows } = await withBranch(backend, current, (mine) =>
    withBranch(backend, other, async (theirs) => ({
      scripts: await difference(mine, theirs, { schemas: splitNames(schema) }),
      rows: await compareRows(mine, theirs),
    })),
  )
  const sql = scripts.map(({ text }) => text).join('\n\n')
  if (output === 'json') console.log(JSON.stringify({ current, other, sql, rows }, null, 2))
  else {
    console.log(sql === '' ? `-- ${other} has the same structure as ${current}.` : sql)
    const cells = rows.map((one) => [one.table, numberOf(one.current), numberOf(one.other)])
    if (rows.length > 0) console.log(`\n${tableOf([['ROWS', current, other], ...cells])}`)
  }
  return 0
}

/** `undock branch merge-schema`: writes what the structure of another branch has beyond the migrations of this folder as a migration.
 *  Rows are never merged. */
export async function mergeSchema(other: string, { file, schema, ...options }: MergeSchemaOptions): Promise<number> {
  const backend = findBackend(options)
  const { workdir } = backend
  const scripts = await withBranch(backend, other, (url) => differenceFromMigrations(workdir, url, splitNames(schema)))
  if (scripts.length === 0) {
    console.error(`The migrations make all of the structure of ${other}.`)
    return 0
  }
  const name = file ?? `merge_${other.replaceAll(/[^A-Za-z0-9]+/g, '_').toLowerCase()}`
  for (const { path } of await writeMigrations(workdir, name, scripts)) console.error(`Written to ${path}`)
  return 0
}

/** Works on the database of a branch: the running one, or a copy that ends afterwards. */
async function withBranch<T>(backend: Backend, branch: string, work: (url: string) => Promise<T>): Promise<T> {
  const { workdir, name } = backend
  const root = stateFolder(workdir, name)
  const registry = loadRegistry(root)
  const { folder } = findBranch(registry, branch)
  const isRunning = (await readHolder(lockPath(workdir, name))) !== null
  if (isRunning && branch === registry.current) return work((await findRunning(backend)).dbUrl)
  const start = () => startCopy(workdir, join(root, folder))
  // A start of the backend must not change the data while it is copied.
  const stack = isRunning || branch !== registry.current ? await start() : await whileStopped(workdir, name, start)
  try {
    return await work(stack.dbUrl)
  } finally {
    await stack.stop()
  }
}

/** A branch that was never started has the data of the migrations. */
async function startCopy(workdir: string, from: string) {
  const { startStack } = await import('../runtime/stack.ts')
  const format = lastUsedFormat(stateAt(from).database)
  return startStack({
    workdir,
    ports: 'free',
    state: 'memory',
    exclude: SERVICES,
    tell: tellEvent,
    ...(format ? { from, ...engineOf(format) } : {}),
  })
}

type RowCount = { readonly table: string; readonly current: number | null; readonly other: number | null }

/** The tables whose numbers of rows differ. @returns null as the number of a table that a branch does not have. */
async function compareRows(current: string, other: string): Promise<RowCount[]> {
  const [mine, theirs] = [await countRows(current), await countRows(other)]
  return [...new Set([...mine.keys(), ...theirs.keys()])]
    .map((table) => ({ table, current: mine.get(table) ?? null, other: theirs.get(table) ?? null }))
    .filter((one) => one.current !== one.other)
    .toSorted((a, b) => a.table.localeCompare(b.table))
}

async function countRows(url: string): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  const tables = await dataTables(url)
  await withClient(url, async (client: pg.Client) => {
    for (const table of tables) {
      const { rows } = await client.query<{ count: string }>(`select count(*) from ${table}`)
      counts.set(table, Number(rows[0]?.count))
    }
  })
  return counts
}

const numberOf = (count: number | null): string => (count === null ? 'no table' : String(count))
