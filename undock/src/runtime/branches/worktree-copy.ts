import { randomBytes } from 'node:crypto'
import { mkdir, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { readProjectConfig } from '../../config/project.ts'
import { lastUsedFormat } from '../../database/project/kept-data.ts'
import { type Holder, readHolder } from '../../database/project/lock.ts'
import { createIdentity } from '../../identity/create-identity.ts'
import { systemClock } from '../../kernel/service.ts'
import { lockPath, stateAt, stateFolder } from '../place/state-folders.ts'
import { BranchError, findSnapshot } from './branches.ts'
import { type BranchChange, sendChange } from './change.ts'
import { gitBranch, nearestBranch, worktrees } from './git.ts'
import { currentState, loadRegistry, newStateFolder, readRegistry, writeRegistry } from './registry.ts'
import { copyState } from './state-copy.ts'
import { whileStopped } from './stopped.ts'

/** A state in another worktree. @property folder Absolute path. */
type Source = { readonly workdir: string; readonly branch: string; readonly folder: string }

/** Copies the nearest branch's state of all other worktrees to a linked worktree without data. The caller holds the
 *  backend's lock.
 *  @param branch The branch checked out here.
 *  @returns the source; null if no worktree has data.
 *  @throws {BranchError} if that backend can't be copied now. */
export async function copyFromWorktree(workdir: string, branch: string): Promise<Source | null> {
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
  const made = { name: branch, folder, parent: source.branch, createdAt: new Date().toISOString() }
  await writeRegistry(root, { current: branch, branches: [made], snapshots: [] })
  return source
}

async function findSources(workdir: string): Promise<Source[]> {
  const found = await worktrees(workdir)
  const here = await realpath(workdir)
  const folders = (found?.roots ?? []).map((one) => join(one, found?.inside ?? ''))
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
