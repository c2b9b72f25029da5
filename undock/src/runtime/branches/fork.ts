import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { lastUsedFormat } from '../../database/project/kept-data.ts'
import { withLock } from '../../database/project/lock.ts'
import { isBackendName, NAME_RULE, stateAt, stateFolderBeside } from '../place/state-folders.ts'
import { BranchError, type BranchPlace, copyOf, findBranch } from './branches.ts'
import { loadRegistry, newRegistry, registryPath, writeRegistry } from './registry.ts'
import { replaceState } from './undo.ts'

/** Gives a new backend of the project a copy of the current state.
 *  @param name The new backend's.
 *  @throws {BranchError | LockedError} */
export async function forkState(place: BranchPlace, name: string): Promise<void> {
  if (!isBackendName(name)) throw new BranchError(`"${name}" is not a valid name for a backend: ${NAME_RULE}.`)
  const root = stateFolderBeside(place.root, name)
  if (hasState(root))
    throw new BranchError(
      `The backend "${name}" already exists. Choose another name, or delete it with its data: \`undock fork delete ${name}\`.`,
    )
  await withLock(join(root, 'lock'), name, async () => {
    const registry = loadRegistry(place.root)
    const parent = findBranch(registry, registry.current)
    const folder = await copyOf(place, registry, parent, { root, registry: newRegistry(name) })
    const branch = { name: parent.name, folder, parent: parent.name, createdAt: new Date().toISOString() }
    await writeRegistry(root, { current: parent.name, branches: [branch], snapshots: [] })
  })
}

/** Replaces the current state with that of another backend, which the caller has locked. The stack must be stopped.
 *  @throws {BranchError} */
export async function keepFork(place: BranchPlace, name: string, discards?: boolean): Promise<void> {
  const fork = { root: findFork(place.root, name) }
  const theirs = loadRegistry(fork.root)
  const registry = loadRegistry(place.root)
  const folder = await copyOf(fork, theirs, findBranch(theirs, theirs.current), { root: place.root, registry })
  await replaceState(place.root, registry, folder, { command: 'fork keep', discards })
}

/** Finds another backend of the project. @returns its state folder. @throws {BranchError} if it has no data. */
export function findFork(root: string, name: string): string {
  const folder = stateFolderBeside(root, name)
  if (isBackendName(name) && folder !== root && hasState(folder)) return folder
  throw new BranchError(`There is no other backend "${name}" with data. \`undock fork ${name}\` creates it.`)
}

const hasState = (root: string): boolean =>
  existsSync(registryPath(root)) || lastUsedFormat(stateAt(root).database) !== null
