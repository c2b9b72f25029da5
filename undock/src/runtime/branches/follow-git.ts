import { endLeftoverServer } from '../../database/project/open-project.ts'
import { persistentState, stateFolder } from '../state-folders.ts'
import { createBranch, switchBranch } from './branches.ts'
import { gitBranch, nearestBranch } from './git.ts'
import { newRegistry, readRegistry, writeRegistry } from './registry.ts'

/** The branch that a start works on. @property parent The branch whose state was copied just now. */
export type FollowedBranch = { readonly name: string; readonly parent: string | null }

/** Makes the branch of git the current one, with a copy of the state of the nearest branch if it has none yet. While git has no
 *  branch, as during a rebase, the last one stays. The caller holds the backend's lock.
 *  @returns null when the branch stays the same. */
export async function followGit(workdir: string, name: string | null): Promise<FollowedBranch | null> {
  const root = stateFolder(workdir, name)
  const branch = await gitBranch(workdir)
  if (branch === null) return null
  const registry = readRegistry(root)
  if (!registry) {
    // What a backend has before it follows git belongs to the branch that is checked out then.
    await writeRegistry(root, newRegistry(branch))
    return null
  }
  if (registry.current === branch) return null
  await endLeftoverServer(persistentState(workdir, name).database)
  if (registry.branches.some((known) => known.name === branch)) {
    await switchBranch({ root }, branch)
    return { name: branch, parent: null }
  }
  const others = registry.branches.map((known) => known.name).filter((known) => known !== registry.current)
  const parent = (await nearestBranch(workdir, [registry.current, ...others])) ?? registry.current
  await createBranch({ root }, branch, parent)
  await switchBranch({ root }, branch)
  return { name: branch, parent }
}
