import { compareDatabases } from '../../runtime/branches/difference.ts'
import { type BackendOptions, findBackend, splitNames, UsageError } from '../arguments.ts'
import { differenceFromMigrations } from '../database/diff.ts'
import { writeMigrations } from '../database/migration.ts'
import { tableOf } from '../report.ts'
import { registryOf, withBranch } from './change.ts'

type BranchDiffOptions = BackendOptions & {
  readonly schema: readonly string[]
  readonly output: 'pretty' | 'json'
}
type MergeSchemaOptions = BackendOptions & { readonly file?: string; readonly schema: readonly string[] }

/** `undock branch diff`: prints, as SQL, the structure that another branch has beyond the current one, and the tables whose numbers of
 *  rows differ. Databases that do not run are copied, and the copies are started. */
export async function branchDiff(other: string, { schema, output, ...options }: BranchDiffOptions): Promise<number> {
  const backend = findBackend(options)
  const { current } = registryOf(backend)
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

const numberOf = (count: number | null): string => (count === null ? 'no table' : String(count))
