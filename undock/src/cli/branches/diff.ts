import { join } from 'node:path'
import { readHolder } from '../../database/project/lock.ts'
import { findBranch } from '../../runtime/branches/branches.ts'
import { compareDatabases, copyOptions } from '../../runtime/branches/difference.ts'
import { loadRegistry } from '../../runtime/branches/registry.ts'
import { whileStopped } from '../../runtime/branches/stopped.ts'
import { lockPath, stateFolder } from '../../runtime/place/state-folders.ts'
import { type Backend, type BackendOptions, findBackend, splitNames, UsageError } from '../arguments.ts'
import { differenceFromMigrations } from '../database/diff.ts'
import { writeMigrations } from '../database/migration.ts'
import { tableOf, tellEvent } from '../report.ts'
import { findRunning } from '../running.ts'

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
    withBranch(backend, other, (theirs) => compareDatabases(mine, theirs, splitNames(schema))),
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
  const { startStack } = await import('../../runtime/stack/stack.ts')
  const start = () => startStack({ ...copyOptions(workdir, join(root, folder)), tell: tellEvent })
  // A start of the backend must not change the data while it is copied.
  const stack = isRunning || branch !== registry.current ? await start() : await whileStopped(workdir, name, start)
  try {
    return await work(stack.dbUrl)
  } finally {
    await stack.stop()
  }
}

const numberOf = (count: number | null): string => (count === null ? 'no table' : String(count))
