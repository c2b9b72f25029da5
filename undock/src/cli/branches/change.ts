import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readProjectConfig } from '../../config/project.ts'
import { type Holder, readHolder } from '../../database/project/lock.ts'
import { isRunning } from '../../platform/process.ts'
import { BranchError, findBranch } from '../../runtime/branches/branches.ts'
import { applyChange, type BranchChange, sendChange } from '../../runtime/branches/change.ts'
import { NOT_OURS } from '../../runtime/branches/control.ts'
import { copyOptions } from '../../runtime/branches/difference.ts'
import { currentState, loadRegistry, type Registry } from '../../runtime/branches/registry.ts'
import { whileStopped } from '../../runtime/branches/state-copy.ts'
import { lockPath, makeStateFolder, stateFolder } from '../../runtime/place/state-folders.ts'
import { type Backend, UsageError } from '../arguments.ts'
import { findRunning, NotRunningError, type Running } from '../running.ts'

export const registryOf = ({ workdir, name }: Backend): Registry => loadRegistry(stateFolder(workdir, name))

/** Changes a backend's branches or snapshots, through the running stack if there is one. A stack whose data is replaced restarts.
 *  @returns whether it restarted.
 *  @throws {BranchError | NotRunningError | UsageError} */
export async function changeBranches(
  backend: Backend,
  change: BranchChange,
): Promise<{ readonly isRestarted: boolean }> {
  const { workdir, name } = backend
  if (readProjectConfig(workdir).settings.database_url) throw new UsageError(NOT_OURS)
  if (await readHolder(lockPath(workdir, name))) return changeRunning(backend, await findRunning(backend), change)
  await makeStateFolder(workdir)
  await whileStopped(workdir, name, () => applyChange({ root: stateFolder(workdir, name) }, change))
  return { isRestarted: false }
}

/** Works on a branch's database: the running one, or a temporary copy. */
export async function withBranch<T>(backend: Backend, branch: string, work: (url: string) => Promise<T>): Promise<T> {
  const { workdir, name } = backend
  const root = stateFolder(workdir, name)
  const registry = registryOf(backend)
  const { folder } = findBranch(registry, branch)
  const isRunning = (await readHolder(lockPath(workdir, name))) !== null
  if (isRunning && branch === registry.current) return work((await findRunning(backend)).dbUrl)
  const { startStack } = await import('../../runtime/stack/stack.ts')
  const start = () => startStack(copyOptions(workdir, join(root, folder)))
  // The backend must not start and change the data while it's copied.
  const stack = isRunning || branch !== registry.current ? await start() : await whileStopped(workdir, name, start)
  try {
    return await work(stack.dbUrl)
  } finally {
    await stack.stop()
  }
}

async function changeRunning(backend: Backend, { url, identity, holder }: Running, change: BranchChange) {
  const root = stateFolder(backend.workdir, backend.name)
  const before = currentState(root)
  const response = await sendChange(url, identity.keys.secret, change)
  if (response.status !== 202) {
    await response.body?.cancel()
    return { isRestarted: false }
  }
  const reader = response.body?.getReader()
  await reader?.read()
  // The stack restarts when no request is reading from it.
  await reader?.cancel()
  await untilRestarted(backend, holder)
  if (currentState(root) === before)
    throw new BranchError(
      'The backend restarted with the data it had before. Its terminal says why, or logs/undock.log in supabase/.undock.',
    )
  return { isRestarted: true }
}

const STEP = 25

async function untilRestarted({ workdir, name }: Backend, before: Holder): Promise<void> {
  for (;;) {
    const holder = await readHolder(lockPath(workdir, name))
    if (holder?.dbUrl !== undefined && holder.startedAt !== before.startedAt) return
    if (!isRunning(before))
      throw new NotRunningError(
        'The backend stopped and could not start again. Its terminal says why, or logs/undock.log in supabase/.undock; `undock start` tries once more.',
      )
    await sleep(STEP)
  }
}
