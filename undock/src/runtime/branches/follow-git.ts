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

/** Makes the branch of git the current one, with a copy of the state of the nearest branch if it has none yet. While git has no
 *  branch, as during a rebase, the last one stays. A linked worktree without data begins with that of another worktree. The caller holds
 *  the backend's lock.
 *  @returns null when the branch stays the same. */
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
  const parent = await nearestParent(workdir, registry)
  await createBranch({ root }, branch, parent)
  await switchBranch({ root }, branch)
  return { name: branch, parent }
}

/** What a person should know when the data of another branch is used than git has checked out; null when it is the same, or when
 *  branches do not follow git. */
export async function otherGitBranch(workdir: string, { current }: Registry): Promise<string | null> {
  if (readProjectConfig(workdir).settings.branches !== 'git') return null
  const branch = await gitBranch(workdir)
  return branch === null || branch === current
    ? null
    : `The data is that of branch ${current}, and git has checked out ${branch}: \`undock branch switch\` changes to its data.`
}

/** Why a branch cannot be chosen where branches follow git. */
export const followsGitText = (name: string): string =>
  `Branches follow git here (branches = "git" in supabase/undock.toml). Check out ${name} with \`git switch ${name}\`, then repeat this.`

/** The branch whose state is copied for the one that git has checked out: the last one among those that are equally near. */
export async function nearestParent(workdir: string, { current, branches }: Registry): Promise<string> {
  const others = branches.map(({ name }) => name).filter((name) => name !== current)
  return (await nearestBranch(workdir, [current, ...others])) ?? current
}

/** Makes the branch that git has checked out the current one of a backend that does not run, where branches follow git. Called before
 *  a command works on the kept data.
 *  @throws {LockedError | BranchError} */
export async function followGitStopped(workdir: string, name: string | null): Promise<void> {
  if (readProjectConfig(workdir).settings.branches !== 'git') return
  await makeStateFolder(workdir)
  await whileStopped(workdir, name, () => followGit(workdir, name))
}
