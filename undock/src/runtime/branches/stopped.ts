import { acquireLock } from '../../database/project/lock.ts'
import { endLeftoverServer } from '../../database/project/open-project.ts'
import { processStart } from '../../platform/process.ts'
import { lockPath, persistentState, stateFolder } from '../place/state-folders.ts'
import { applyChange, type BranchChange } from './change.ts'

/** Runs work while the backend is stopped, and prevents it from starting meanwhile.
 *  @throws {LockedError} */
export async function whileStopped<T>(workdir: string, name: string | null, work: () => Promise<T>): Promise<T> {
  const lock = await acquireLock(lockPath(workdir, name), {
    pid: process.pid,
    processStart: processStart(process.pid),
    name,
    startedAt: new Date().toISOString(),
    url: 'no address, while it copies data',
  })
  try {
    await endLeftoverServer(persistentState(workdir, name).database)
    return await work()
  } finally {
    await lock.release()
  }
}

/** Applies a change to a stopped backend.
 *  @throws {LockedError | BranchError} */
export const changeStopped = (workdir: string, name: string | null, change: BranchChange): Promise<void> =>
  whileStopped(workdir, name, () => applyChange({ root: stateFolder(workdir, name) }, change))
