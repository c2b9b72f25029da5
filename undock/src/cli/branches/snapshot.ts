import { findSnapshot } from '../../runtime/branches/branches.ts'
import { otherGitBranch } from '../../runtime/branches/follow-git.ts'
import { listBranches } from '../../runtime/branches/list.ts'
import { megabytes } from '../../runtime/branches/undo.ts'
import { stateFolder } from '../../runtime/place/state-folders.ts'
import { type BackendOptions, type ConfirmedOptions, findBackend, UsageError } from '../arguments.ts'
import { confirm } from '../database-target.ts'
import { tableOf } from '../report.ts'
import { changeBranches, registryOf } from './change.ts'
import { announceChange, announceUndo } from './undo.ts'

type SnapshotListOptions = BackendOptions & { readonly output: 'pretty' | 'json' }

/** @property snapshot Whether to keep the data for `undock undo`. */
type SnapshotRestoreOptions = ConfirmedOptions & { readonly snapshot: boolean }

/** `undock snapshot list`: prints what `undock snapshot save` has kept. */
export async function snapshotList({ output, ...options }: SnapshotListOptions): Promise<number> {
  const { workdir, name } = findBackend(options)
  const { snapshots } = await listBranches(stateFolder(workdir, name))
  if (output === 'json') console.log(JSON.stringify(snapshots, null, 2))
  else if (snapshots.length === 0) console.log('There are no snapshots.')
  else {
    const rows = snapshots.map((one) => [one.name, one.branch, one.createdAt, megabytes(one.size)])
    console.log(tableOf([['SNAPSHOT', 'BRANCH', 'CREATED', 'SIZE'], ...rows]))
  }
  return 0
}

/** `undock snapshot save`: saves a named copy of database, files and emails. */
export async function snapshotSave(name: string, options: BackendOptions): Promise<number> {
  await changeBranches(findBackend(options), { do: 'save-snapshot', name })
  console.error(`Saved snapshot ${name}. \`undock snapshot restore ${name}\` goes back to it.`)
  return 0
}

/** `undock snapshot restore`: replaces the database, files and emails of the current branch with those of a snapshot, which stays.
 *  @throws {UsageError} */
export async function snapshotRestore(
  name: string,
  { yes, snapshot, ...options }: SnapshotRestoreOptions,
): Promise<number> {
  const backend = findBackend(options)
  const registry = registryOf(backend)
  findSnapshot(registry, name)
  // The next start would use the other branch's data.
  const other = await otherGitBranch(backend.workdir, registry)
  if (other) throw new UsageError(other)
  await confirm(
    `Replace the rows, users, files and emails of branch ${registry.current} with those of snapshot ${name}`,
    yes,
  )
  const hasData = await announceChange(backend, 'replace the data')
  const { isRestarted } = await changeBranches(backend, { do: 'restore-snapshot', name, discards: !snapshot })
  if (hasData && snapshot) announceUndo(backend)
  console.error(
    isRestarted
      ? `The backend restarted with the data of snapshot ${name}.`
      : `\`undock start\` continues with the data of snapshot ${name}.`,
  )
  return 0
}

/** `undock snapshot delete`.
 *  @throws {UsageError} */
export async function snapshotDelete(name: string, { yes, ...options }: ConfirmedOptions): Promise<number> {
  const backend = findBackend(options)
  findSnapshot(registryOf(backend), name)
  await confirm(`Delete snapshot ${name}`, yes)
  await changeBranches(backend, { do: 'delete-snapshot', name })
  console.error(`Deleted snapshot ${name}.`)
  return 0
}
