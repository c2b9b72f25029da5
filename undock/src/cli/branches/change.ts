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

/** Changes a backend's branches or snapshots: in the running stack if there is one, which starts again where it gets another state.
 *  @returns whether it was started again.
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

/** Works on the database of a branch: the running one, or a copy that ends afterwards. */
export async function withBranch<T>(backend: Backend, branch: string, work: (url: string) => Promise<T>): Promise<T> {
  const { workdir, name } = backend
  const root = stateFolder(workdir, name)
  const registry = registryOf(backend)
  const { folder } = findBranch(registry, branch)
  const isRunning = (await readHolder(lockPath(workdir, name))) !== null
  if (isRunning && branch === registry.current) return work((await findRunning(backend)).dbUrl)
  const { startStack } = await import('../../runtime/stack/stack.ts')
  const start = () => startStack(copyOptions(workdir, join(root, folder)))
  // A start of the backend must not change the data while it is copied.
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
  // The stack restarts when no reader is left.
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
