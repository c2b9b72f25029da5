import { readProjectConfig } from '../../config/project.ts'
import { findDeletable } from '../../runtime/branches/branches.ts'
import { compareDatabases } from '../../runtime/branches/difference.ts'
import { followsGitText, nearestParent, otherGitBranch } from '../../runtime/branches/follow-git.ts'
import { gitBranch } from '../../runtime/branches/git.ts'
import { listBranches } from '../../runtime/branches/list.ts'
import { megabytes } from '../../runtime/branches/undo.ts'
import { stateFolder } from '../../runtime/place/state-folders.ts'
import { type BackendOptions, type ConfirmedOptions, findBackend, splitNames, UsageError } from '../arguments.ts'
import { differenceFromMigrations } from '../database/diff.ts'
import { writeMigrations } from '../database/migration.ts'
import { confirm } from '../database-target.ts'
import { tableOf } from '../report.ts'
import { changeBranches, registryOf, withBranch } from './change.ts'
import { announceUndo } from './undo.ts'

type BranchListOptions = BackendOptions & { readonly output: 'pretty' | 'json' }
type BranchCreateOptions = BackendOptions & { readonly from?: string }
type BranchSwitchOptions = BackendOptions & { readonly create: boolean }

/** `undock branch list`: prints the branches of a backend. */
export async function branchList({ output, ...options }: BranchListOptions): Promise<number> {
  const backend = findBackend(options)
  const { branches } = await listBranches(stateFolder(backend.workdir, backend.name))
  if (output === 'json') {
    console.log(JSON.stringify(branches, null, 2))
    return 0
  }
  const rows = branches.map((one) => [
    one.current ? '*' : '',
    one.name,
    one.parent ?? '',
    one.createdAt ?? '',
    megabytes(one.size),
  ])
  console.log(tableOf([['', 'BRANCH', 'COPIED FROM', 'CREATED', 'SIZE'], ...rows]))
  const note = await otherGitBranch(backend.workdir, registryOf(backend))
  if (note) console.error(note)
  return 0
}

/** `undock branch create`: creates a branch with a copy of another's data. */
export async function branchCreate(name: string, { from, ...options }: BranchCreateOptions): Promise<number> {
  const backend = findBackend(options)
  const before = performance.now()
  await changeBranches(backend, { do: 'create', name, ...(from === undefined ? {} : { from }) })
  const parent = from ?? registryOf(backend).current
  console.error(
    `Branch ${name} has a copy of the data of ${parent}, made in ${seconds(before)}. \`undock branch switch ${name}\` works on it.`,
  )
  return 0
}

/** `undock branch switch`: switches the backend to another branch's data. Restarts a running backend. @param name By default, git's
 *  checked-out branch.
 *  @throws {UsageError} */
export async function branchSwitch(
  name: string | undefined,
  { create, ...options }: BranchSwitchOptions,
): Promise<number> {
  const backend = findBackend(options)
  const followsGit = readProjectConfig(backend.workdir).settings.branches === 'git'
  const checkedOut = followsGit ? await gitBranch(backend.workdir) : null
  if (followsGit && name !== undefined && name !== checkedOut) throw new UsageError(followsGitText(name))
  const target = name ?? checkedOut
  if (target === null)
    throw new UsageError(
      followsGit ? 'Git has no branch checked out.' : 'Name the branch: `undock branch switch NAME`.',
    )
  const registry = registryOf(backend)
  if (registry.current === target) {
    console.error(`The backend already uses the data of branch ${target}.`)
    return 0
  }
  const isNew = !registry.branches.some((branch) => branch.name === target)
  const from = followsGit ? { from: await nearestParent(backend.workdir, registry) } : {}
  const before = performance.now()
  const { isRestarted } = await changeBranches(backend, {
    do: 'switch',
    name: target,
    ...(create || (followsGit && isNew) ? { create: true, ...from } : {}),
  })
  console.error(
    isRestarted
      ? `The backend restarted in ${seconds(before)} with the data of branch ${target}.`
      : `\`undock start\` continues with the data of branch ${target}.`,
  )
  return 0
}

/** `undock branch delete`: deletes a branch with its rows, files and emails.
 *  @throws {UsageError} */
export async function branchDelete(
  name: string,
  { yes, snapshot, ...options }: ConfirmedOptions & { readonly snapshot: boolean },
): Promise<number> {
  const backend = findBackend(options)
  findDeletable(registryOf(backend), name)
  await confirm(`Delete the rows, users, files and emails of branch ${name}`, yes)
  await changeBranches(backend, { do: 'delete', name, discards: !snapshot })
  console.error(`Deleted branch ${name}.`)
  if (snapshot) announceUndo(backend)
  return 0
}

const seconds = (since: number): string => `${((performance.now() - since) / 1_000).toFixed(2)} s`

type BranchDiffOptions = BackendOptions & {
  readonly schema: readonly string[]
  readonly output: 'pretty' | 'json'
}
type MergeSchemaOptions = BackendOptions & { readonly file?: string; readonly schema: readonly string[] }

/** `undock branch diff`: prints, as SQL, what another branch's schema has that the current one's doesn't, and the tables whose row counts
 *  differ. Stopped databases are compared by starting copies. */
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
    console.log(sql === '' ? `-- ${other} has the same schema as ${current}.` : sql)
    const cells = rows.map((one) => [one.table, numberOf(one.current), numberOf(one.other)])
    if (rows.length > 0) console.log(`\n${tableOf([['ROWS', current, other], ...cells])}`)
  }
  return 0
}

/** `undock branch merge-schema`: writes a migration with what another branch's schema has that this folder's migrations don't.
 *  Rows are never merged. */
export async function mergeSchema(other: string, { file, schema, ...options }: MergeSchemaOptions): Promise<number> {
  const backend = findBackend(options)
  const { workdir } = backend
  const scripts = await withBranch(backend, other, (url) => differenceFromMigrations(workdir, url, splitNames(schema)))
  if (scripts.length === 0) {
    console.error(`The migrations already create the whole schema of ${other}.`)
    return 0
  }
  const name = file ?? `merge_${other.replaceAll(/[^A-Za-z0-9]+/g, '_').toLowerCase()}`
  for (const { path } of await writeMigrations(workdir, name, scripts)) console.error(`Written to ${path}`)
  return 0
}

const numberOf = (count: number | null): string => (count === null ? 'no table' : String(count))
