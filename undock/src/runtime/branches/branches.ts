import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DATA_FORMATS, folderOf } from '../../database/project/kept-data.ts'
import { UserError } from '../../kernel/service-error.ts'
import { stateAt } from '../place/state-folders.ts'
import {
  type Branch,
  loadRegistry,
  newStateFolder,
  type Registry,
  removeUnnamedStates,
  type Snapshot,
  writeRegistry,
} from './registry.ts'
import { copyState } from './state-copy.ts'

/** A branch or snapshot can't be created, found or deleted; nothing was changed. */
export class BranchError extends UserError {}

/** Copies the backend's current state to a new folder. */
type CopyCurrent = (to: string) => Promise<void>

/** A backend's branches and snapshots. To change them, the process must hold the backend's lock.
 *  @property root The backend's state folder.
 *  @property copyCurrent Set by a running stack; otherwise no process uses the state. */
export type BranchPlace = { readonly root: string; readonly copyCurrent?: CopyCurrent }

const NAME = /^(?!-)[^\p{C}\s~^:?*[\\]{1,200}$/u

function checkName(name: string, kind: string): void {
  if (!NAME.test(name))
    throw new BranchError(
      `"${name}" is not a valid name for a ${kind}: use 1 to 200 characters, without spaces or ~ ^ : ? * [ \\, and do not start with a dash.`,
    )
}

export function findBranch({ branches }: Registry, name: string): Branch {
  const match = branches.find((branch) => branch.name === name)
  if (match) return match
  throw new BranchError(
    `There is no branch "${name}". The branches are ${branches.map((branch) => branch.name).join(', ')}; \`undock branch create ${name}\` creates it.`,
  )
}

export function findSnapshot({ snapshots }: Registry, name: string): Snapshot {
  const match = snapshots.find((snapshot) => snapshot.name === name)
  if (match) return match
  const names = snapshots.map((snapshot) => snapshot.name).join(', ')
  throw new BranchError(
    `There is no snapshot "${name}". ${names === '' ? '`undock snapshot save NAME` creates one.' : `The snapshots are ${names}.`}`,
  )
}

/** Creates a branch from a copy of another one's state.
 *  @param from Defaults to the current branch.
 *  @throws {BranchError} */
export async function createBranch(place: BranchPlace, name: string, from?: string): Promise<Branch> {
  const registry = loadRegistry(place.root)
  checkName(name, 'branch')
  if (registry.branches.some((branch) => branch.name === name))
    throw new BranchError(
      `The branch "${name}" already exists. Choose another name, or delete that branch with its data first.`,
    )
  const parent = findBranch(registry, from ?? registry.current)
  const folder = await copyOf(place, registry, parent)
  const branch = { name, folder, parent: parent.name, createdAt: new Date().toISOString() }
  await writeRegistry(place.root, { ...registry, branches: [...registry.branches, branch] })
  return branch
}

/** Makes a branch current from the backend's next start.
 *  @throws {BranchError} */
export async function switchBranch({ root }: BranchPlace, name: string): Promise<void> {
  const registry = loadRegistry(root)
  findBranch(registry, name)
  if (registry.current !== name) await writeRegistry(root, { ...registry, current: name })
}

/** Returns a branch that can be deleted.
 *  @throws {BranchError} for the current one. */
export function findDeletable(registry: Registry, name: string): Branch {
  const branch = findBranch(registry, name)
  if (registry.current !== name) return branch
  throw new BranchError(`"${name}" is the current branch. Switch to another branch before you delete it.`)
}

/** Saves a copy of the current branch's state under a name.
 *  @param kept Set if the copy is kept for `undock undo`.
 *  @throws {BranchError} */
export async function saveSnapshot(
  place: BranchPlace,
  name: string,
  kept?: Pick<Snapshot, 'command' | 'size'>,
): Promise<void> {
  const registry = loadRegistry(place.root)
  checkName(name, 'snapshot')
  if (registry.snapshots.some((snapshot) => snapshot.name === name))
    throw new BranchError(`The snapshot "${name}" already exists. Choose another name, or delete that one first.`)
  const branch = findBranch(registry, registry.current)
  const folder = await copyOf(place, registry, branch)
  const snapshot = { name, folder, branch: branch.name, createdAt: new Date().toISOString(), ...kept }
  await writeRegistry(place.root, { ...registry, snapshots: [...registry.snapshots, snapshot] })
}

export async function deleteSnapshot({ root }: BranchPlace, name: string): Promise<void> {
  const registry = loadRegistry(root)
  const { folder } = findSnapshot(registry, name)
  const remaining = registry.snapshots.filter((snapshot) => snapshot.name !== name)
  await writeRegistry(root, { ...registry, snapshots: remaining })
  await removeState(root, folder)
}

/** Copies a state to a new folder that isn't in the registry yet.
 *  @param to The backend that gets it, by default the same one.
 *  @returns its path in that backend's state folder. */
export async function copyOf(
  { root, copyCurrent }: BranchPlace,
  registry: Registry,
  { folder }: Pick<Branch, 'folder'>,
  to: { readonly root: string; readonly registry: Registry } = { root, registry },
): Promise<string> {
  await removeUnnamedStates(to.root, to.registry)
  const copy = newStateFolder()
  const target = join(to.root, copy)
  await mkdir(target, { recursive: true })
  try {
    const isInUse = copyCurrent && folder === findBranch(registry, registry.current).folder
    await (isInUse ? copyCurrent(target) : copyState(join(root, folder), target))
  } catch (error) {
    await rm(target, { recursive: true, force: true })
    throw error
  }
  return copy
}

/** @param folder Of a state already removed from the registry. The first branch shares its folder with data all
 *  branches need. */
export async function removeState(root: string, folder: string): Promise<void> {
  if (folder !== '') return rm(join(root, folder), { recursive: true, force: true })
  const { database, storage, mail } = stateAt(root)
  for (const part of [...DATA_FORMATS.map((format) => folderOf(database, format)), storage, mail])
    await rm(part, { recursive: true, force: true })
}
