import { randomBytes } from 'node:crypto'
import { mkdir, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { readProjectConfig } from '../../config/project.ts'
import { lastUsedFormat } from '../../database/project/kept-data.ts'
import { type Holder, readHolder } from '../../database/project/lock.ts'
import { endLeftoverServer } from '../../database/project/open-project.ts'
import { createIdentity } from '../../identity/create-identity.ts'
import { systemClock } from '../../kernel/service.ts'
import { isInLinkedWorktree } from '../place/port-assignment.ts'
import { lockPath, makeStateFolder, persistentState, stateAt, stateFolder } from '../place/state-folders.ts'
import { BranchError, createBranch, findSnapshot, switchBranch } from './branches.ts'
import { type BranchChange, sendChange } from './change.ts'
import { gitBranch, nearestBranch, worktrees } from './git.ts'
import {
  currentState,
  loadRegistry,
  newRegistry,
  newStateFolder,
  type Registry,
  readRegistry,
  writeRegistry,
} from './registry.ts'
import { copyState, whileStopped } from './state-copy.ts'

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
    : `The backend uses the data of branch ${current}, but git has checked out ${branch}: \`undock branch switch\` changes to its data.`
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

/** A state in another worktree. @property folder Absolute path. */
type Source = { readonly workdir: string; readonly branch: string; readonly folder: string }

/** Copies the nearest branch's state of all other worktrees to a linked worktree without data. The caller holds the
 *  backend's lock.
 *  @param branch The branch checked out here.
 *  @returns the source; null if no worktree has data.
 *  @throws {BranchError} if that backend can't be copied now. */
async function copyFromWorktree(workdir: string, branch: string): Promise<Source | null> {
  const sources = await findSources(workdir)
  const nearest = await nearestBranch(
    workdir,
    sources.map((one) => one.branch),
  )
  const source = sources.find((one) => one.branch === nearest) ?? sources[0]
  if (!source) return null
  const root = stateFolder(workdir)
  const folder = newStateFolder()
  await mkdir(join(root, folder), { recursive: true })
  await copySource(source, join(root, folder)).catch(async (error: unknown) => {
    await rm(join(root, folder), { recursive: true, force: true })
    throw error
  })
  const entry = { name: branch, folder, parent: source.branch, createdAt: new Date().toISOString() }
  await writeRegistry(root, { current: branch, branches: [entry], snapshots: [] })
  return source
}

async function findSources(workdir: string): Promise<Source[]> {
  const trees = await worktrees(workdir)
  const here = await realpath(workdir)
  const folders = (trees?.roots ?? []).map((one) => join(one, trees?.inside ?? ''))
  const others = await Promise.all(folders.map((one) => realpath(one).catch(() => null)))
  const sources: Source[] = []
  for (const other of others.filter((one) => one !== null && one !== here) as string[]) {
    const root = stateFolder(other)
    const registry = readRegistry(root)
    const branches = registry?.branches ?? [{ name: (await gitBranch(other)) ?? '', folder: '' }]
    sources.push(...branches.map(({ name, folder }) => ({ workdir: other, branch: name, folder: join(root, folder) })))
  }
  return sources.filter(({ folder }) => lastUsedFormat(stateAt(folder).database) !== null)
}

async function copySource(source: Source, target: string): Promise<void> {
  const { workdir, folder } = source
  const holder = await readHolder(lockPath(workdir))
  if (!holder) return whileStopped(workdir, null, () => copyState(folder, target))
  if (folder !== currentState(stateFolder(workdir))) return copyState(folder, target)
  // A running stack copies its own data into a snapshot, which is then moved.
  const name = `for-worktree-${randomBytes(4).toString('hex')}`
  await ask(workdir, holder, { do: 'save-snapshot', name })
  const root = stateFolder(workdir)
  const snapshot = findSnapshot(loadRegistry(root), name)
  await copyState(join(root, snapshot.folder), target).finally(() =>
    ask(workdir, holder, { do: 'delete-snapshot', name }),
  )
}

async function ask(workdir: string, { url, dbUrl }: Holder, change: BranchChange): Promise<void> {
  const remedy = 'Stop it, or start this one again later.'
  if (dbUrl === undefined)
    throw new BranchError(`The backend of ${workdir} is being started, so its data cannot be copied now. ${remedy}`)
  const { config } = readProjectConfig(workdir)
  const { keys } = await createIdentity({ config: config.auth, clock: systemClock })
  await sendChange(url, keys.secret, change).catch(({ message }: Error) => {
    throw new BranchError(`The data of the backend of ${workdir} cannot be copied: ${message}\n${remedy}`)
  })
}
