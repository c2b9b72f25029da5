import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DATA_FORMATS, folderOf } from '../../database/project/kept-data.ts'
import { stateAt } from '../place/state-folders.ts'
import { loadRegistry } from './registry.ts'

/** @property folder Where its data is, below the backend's state folder; empty for the state that every backend begins with.
 *  @property size Bytes of its database, files and mails. Branches may share some of them, so that together they take less.
 *  @property parent The branch whose state was copied; null for the first one, which has no date either. */
type ListedBranch = {
  readonly name: string
  readonly current: boolean
  readonly folder: string
  readonly parent: string | null
  readonly createdAt: string | null
  readonly size: number
}

/** @property branch The branch whose state was kept. */
type ListedSnapshot = {
  readonly name: string
  readonly branch: string
  readonly createdAt: string
  readonly size: number
}

export type BranchList = { readonly branches: readonly ListedBranch[]; readonly snapshots: readonly ListedSnapshot[] }

/** The branches and snapshots of a backend.
 *  @param root The backend's state folder. @throws {RegistryError} */
export async function listBranches(root: string): Promise<BranchList> {
  const { current, branches, snapshots } = loadRegistry(root)
  return {
    branches: await Promise.all(
      branches.map(async ({ name, folder, parent, createdAt }) => ({
        name,
        current: name === current,
        folder,
        parent,
        createdAt,
        size: await sizeOfState(join(root, folder)),
      })),
    ),
    snapshots: await Promise.all(
      snapshots.map(async ({ name, folder, branch, createdAt }) => ({
        name,
        branch,
        createdAt,
        size: await sizeOfState(join(root, folder)),
      })),
    ),
  }
}

/** The first branch shares its folder with what all branches need, so the parts of the state are counted one by one. */
async function sizeOfState(folder: string): Promise<number> {
  const { database, storage, mail } = stateAt(folder)
  const databases = DATA_FORMATS.map((format) => folderOf(database, format))
  const sizes = await Promise.all([...databases, storage, mail].map(sizeOf))
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** Files come and go while they are counted. */
async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => [])
  const files = entries.filter((entry) => entry.isFile())
  let sum = 0
  for (const file of files)
    sum += await stat(join(file.parentPath, file.name)).then(
      ({ size }) => size,
      () => 0,
    )
  return sum
}
