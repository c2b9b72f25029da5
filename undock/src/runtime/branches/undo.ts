import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { lastUsedFormat } from '../../database/project/kept-data.ts'
import { countRows } from '../../project-tools/contents.ts'
import { SCHEMAS_WITH_PROJECT_ROWS } from '../../project-tools/dump/pg-dump.ts'
import { stateAt } from '../place/state-folders.ts'
import {
  BranchError,
  type BranchPlace,
  copyOf,
  deleteSnapshot,
  findBranch,
  findDeletable,
  findSnapshot,
  removeState,
  saveSnapshot,
} from './branches.ts'
import { sizeOfState } from './list.ts'
import { currentState, loadRegistry, newStateFolder, type Registry, type Snapshot, writeRegistry } from './registry.ts'

const KEPT_MS = 24 * 60 * 60 * 1_000
/** Bytes that one copy, and all of them together, may take. */
const MAX_SIZE = 2 * 1024 ** 3
/** Maximum snapshots for `undock undo` per branch and command. */
const MAX_COUNT = 5
/** `undock migration undo` also goes back to older ones. */
export const MIGRATION = 'migration up'

/** Keeps a copy of the current branch's state for `undock undo`. Older copies are deleted once this one is complete.
 *  @param command What is about to change the state, such as `reset`.
 *  @throws {BranchError} if the state is too large. */
export async function keepForUndo(place: BranchPlace, command: string): Promise<void> {
  const size = await sizeOfState(currentState(place.root))
  if (size > MAX_SIZE)
    throw new BranchError(
      `The data takes ${megabytes(size)}, too much for a snapshot. Nothing was changed. To continue without one, add --no-snapshot; in the console, uncheck the copy; for agents, add snapshots=false to the address of /mcp.`,
    )
  await saveSnapshot(place, newName(command), { command, size })
  await deleteOld(place.root)
}

/** Replaces the current branch's state with a copy of a snapshot. The stack must be stopped.
 *  @throws {BranchError} */
export async function restoreSnapshot({ root }: BranchPlace, name: string, discards?: boolean): Promise<void> {
  const registry = loadRegistry(root)
  const folder = await copyOf({ root }, registry, findSnapshot(registry, name))
  await replaceState(root, registry, folder, { command: 'snapshot restore', discards })
}

/** Gives the current branch an empty state. The stack must be stopped. */
export async function emptyState({ root }: BranchPlace, command: string, discards?: boolean): Promise<void> {
  const folder = newStateFolder()
  await mkdir(join(root, folder), { recursive: true })
  await replaceState(root, loadRegistry(root), folder, { command, discards })
}

/** Exchanges the current branch's state for that of a snapshot, so that another undo goes back. The stack must be stopped.
 *  @throws {BranchError} */
export async function undoState({ root }: BranchPlace, name: string): Promise<void> {
  const registry = loadRegistry(root)
  const { folder, deleted } = findSnapshot(registry, name)
  const snapshots = registry.snapshots.filter((one) => one.name !== name)
  if (deleted) {
    if (registry.branches.some((branch) => branch.name === deleted.name))
      throw new BranchError(`Another branch is named "${deleted.name}" now. Delete or rename it first.`)
    return writeRegistry(root, { ...registry, snapshots, branches: [...registry.branches, deleted] })
  }
  await replaceState(root, { ...registry, snapshots }, folder, { command: 'undo' })
}

/** Deletes a branch. Unless `discards`, its rows, files and emails are kept for `undock undo`.
 *  @throws {BranchError} for the current one. */
export async function deleteBranch({ root }: BranchPlace, name: string, discards?: boolean): Promise<void> {
  const registry = loadRegistry(root)
  const deleted = findDeletable(registry, name)
  const { folder } = deleted
  const remaining = { ...registry, branches: registry.branches.filter((branch) => branch !== deleted) }
  await keepState(root, remaining, { folder, branch: name, command: 'branch delete', deleted }, discards)
}

/** Finds what `undock undo` goes back to.
 *  @param command Only what was kept before this one. */
export const lastKept = (registry: Registry, command?: string): Snapshot | undefined =>
  registry.snapshots.findLast(
    (one) =>
      (one.branch === registry.current || (one.deleted !== undefined && command === undefined)) &&
      (command === undefined ? one.command !== undefined && ageOf(one) < KEPT_MS : one.command === command),
  )

/** What `contentOf` says of a database that can't be read. */
export const UNCOUNTED = 'rows, users and files that could not be counted'

/** Describes a database, such as: 12 rows in 3 tables, 2 users and 4 files. */
export async function contentOf(url: string): Promise<string> {
  const counts = await countRows(url).catch(() => null)
  if (!counts) return UNCOUNTED
  const isPlatform = (table: string): boolean => SCHEMAS_WITH_PROJECT_ROWS.includes(table.split('.', 1)[0] ?? '')
  const tables = [...counts].filter(([table]) => !isPlatform(table))
  const rows = tables.reduce((sum, [, count]) => sum + count, 0)
  const counted = (count = 0, noun: string) => `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
  return `${counted(rows, 'row')} in ${counted(tables.length, 'table')}, ${counted(counts.get('auth.users'), 'user')} and ${counted(counts.get('storage.objects'), 'file')}`
}

export const ageOf = ({ createdAt }: Pick<Snapshot, 'createdAt'>): number => Date.now() - Date.parse(createdAt)

export const megabytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MB`

const newName = (command: string): string => `undo-${command.replaceAll(' ', '-')}-${randomBytes(3).toString('hex')}`

type Replacing = { readonly command: string; readonly discards?: boolean | undefined }

/** Commits by writing the registry once, so the replaced state is never lost halfway. */
export async function replaceState(root: string, registry: Registry, folder: string, { command, discards }: Replacing) {
  const branch = findBranch(registry, registry.current)
  const branches = registry.branches.map((one) => (one === branch ? { ...one, folder } : one))
  const replaced = { folder: branch.folder, branch: branch.name, command }
  await keepState(root, { ...registry, branches }, replaced, discards)
}

/** Writes a registry that no longer has a state, which becomes a snapshot if it has data. */
async function keepState(
  root: string,
  registry: Registry,
  state: Pick<Snapshot, 'folder' | 'branch' | 'deleted'> & { readonly command: string },
  discards = false,
) {
  const { folder, command } = state
  const isKept = !discards && lastUsedFormat(stateAt(join(root, folder)).database) !== null
  const size = await sizeOfState(join(root, folder))
  const snapshot = { ...state, name: newName(command), createdAt: new Date().toISOString(), size }
  await writeRegistry(root, isKept ? { ...registry, snapshots: [...registry.snapshots, snapshot] } : registry)
  await (isKept ? deleteOld(root) : removeState(root, folder))
}

/** Deletes copies that are old or too many, and the oldest while all together are too large. The newest stays. */
async function deleteOld(root: string): Promise<void> {
  const registry = loadRegistry(root)
    .snapshots.filter(({ command }) => command !== undefined)
    .toReversed()
  for (const [at, one] of registry.entries()) {
    const newer = registry.slice(0, at)
    const alike = newer.filter(({ branch, command }) => branch === one.branch && command === one.command)
    const size = [one, ...newer].reduce((sum, { size = 0 }) => sum + size, 0)
    const isOld = one.command !== MIGRATION && ageOf(one) > KEPT_MS
    if (at > 0 && (isOld || alike.length >= MAX_COUNT || size > MAX_SIZE)) await deleteSnapshot({ root }, one.name)
  }
}
