import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DATA_FORMATS, folderOf } from '../../database/project/kept-data.ts'
import { stateAt } from '../place/state-folders.ts'
import { type Branch, loadRegistry, type Snapshot } from './registry.ts'

/** @property folder Of its data, relative to the state folder; empty for a backend's initial state.
 *  @property size Bytes of its database, files and emails. Branches may share some, so the total can be less.
 *  @property parent The copied branch; null for the first one, which has no date either. */
type ListedBranch = Branch & { readonly current: boolean; readonly size: number }

/** @property branch The branch it was saved from. */
type ListedSnapshot = Omit<Snapshot, 'folder'> & { readonly size: number }

export type BranchList = { readonly branches: readonly ListedBranch[]; readonly snapshots: readonly ListedSnapshot[] }

/** Lists a backend's branches and snapshots.
 *  @param root The backend's state folder. @throws {RegistryError} */
export async function listBranches(root: string): Promise<BranchList> {
  const { current, branches, snapshots } = loadRegistry(root)
  return {
    branches: await Promise.all(
      branches.map(async (one) => {
        const size = await sizeOfState(join(root, one.folder))
        return { ...one, current: one.name === current, size }
      }),
    ),
    snapshots: await Promise.all(
      snapshots.map(async ({ folder, ...one }) => ({ ...one, size: await sizeOfState(join(root, folder)) })),
    ),
  }
}

/** Returns the bytes of a state. The first branch shares its folder with common data, so only the state's parts are counted. */
export async function sizeOfState(folder: string): Promise<number> {
  const { database, storage, mail } = stateAt(folder)
  const databases = DATA_FORMATS.map((format) => folderOf(database, format))
  const sizes = await Promise.all([...databases, storage, mail].map(sizeOf))
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** Files may appear or vanish while being counted. */
async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => [])
  const files = entries.filter((entry) => entry.isFile()).map((file) => stat(join(file.parentPath, file.name)))
  const results = await Promise.allSettled(files)
  return results.reduce((sum, one) => sum + (one.status === 'fulfilled' ? one.value.size : 0), 0)
}
