import { readProjectConfig } from '../../config/project.ts'
import { lastUsedFormat } from '../../database/project/kept-data.ts'
import { endLeftoverServer } from '../../database/project/open-project.ts'
import { isInLinkedWorktree } from '../place/linked-worktree.ts'
import { makeStateFolder, persistentState, stateFolder } from '../place/state-folders.ts'
import { createBranch, switchBranch } from './branches.ts'
import { gitBranch, nearestBranch } from './git.ts'
import { newRegistry, type Registry, readRegistry, writeRegistry } from './registry.ts'
import { whileStopped } from './stopped.ts'
import { copyFromWorktree } from './worktree-copy.ts'

/** The branch that a start works on. @property parent The branch whose state was copied just now. */
export type FollowedBranch = { readonly name: string; readonly parent: string | null }

/** Makes git's branch current, copying the nearest branch's state if it has none. Without a git branch, as during a
 *  rebase, the last one stays. A linked worktree without data starts from another worktree's. The caller holds the
 *  backend's lock.
 *  @returns null if the branch stays the same. */
export async function followGit(workdir: string, name: string | null): Promise<FollowedBranch | null> {
  const root = stateFolder(workdir, name)
  const branch = await gitBranch(workdir)
  if (branch === null) return null
  const registry = readRegistry(root)
  if (!registry) {
    const hasData = lastUsedFormat(persistentState(workdir, name).database) !== null
    const source =
      !hasData && name === null && (await isInLinkedWorktree(workdir)) && (await copyFromWorktree(workdir, branch))
    if (source) return { name: branch, parent: `${source.branch} in ${source.workdir}` }
    // Existing data belongs to the branch that is checked out when following git begins.
    await writeRegistry(root, newRegistry(branch))
    return null
  }
  if (registry.current === branch) return null
  await endLeftoverServer(persistentState(workdir, name).database)
  if (registry.branches.some((known) => known.name === branch)) {
    await switchBranch({ root }, branch)
    return { name: branch, parent: null }
  }
  const parent = await nearestParent(workdir, registry)
  await createBranch({ root }, branch, parent)
  await switchBranch({ root }, branch)
  return { name: branch, parent }
}

/** Returns a warning if the data is another branch's than git's; null if it's the same or branches don't follow git. */
export async function otherGitBranch(workdir: string, { current }: Registry): Promise<string | null> {
  if (readProjectConfig(workdir).settings.branches !== 'git') return null
  const branch = await gitBranch(workdir)
  return branch === null || branch === current
    ? null
    : `The data is that of branch ${current}, and git has checked out ${branch}: \`undock branch switch\` changes to its data.`
}

/** Explains why a branch can't be chosen while branches follow git. */
export const followsGitText = (name: string): string =>
  `Branches follow git here (branches = "git" in supabase/undock.toml). Check out ${name} with \`git switch ${name}\`, then repeat this.`

/** Returns the branch to copy for git's branch: the nearest, and the latest of equally near ones. */
export async function nearestParent(workdir: string, { current, branches }: Registry): Promise<string> {
  const others = branches.map(({ name }) => name).filter((name) => name !== current)
  return (await nearestBranch(workdir, [current, ...others])) ?? current
}

/** Makes git's branch current in a stopped backend that follows git. Called before commands use stored data.
 *  @throws {LockedError | BranchError} */
export async function followGitStopped(workdir: string, name: string | null): Promise<void> {
  if (readProjectConfig(workdir).settings.branches !== 'git') return
  await makeStateFolder(workdir)
  await whileStopped(workdir, name, () => followGit(workdir, name))
}
