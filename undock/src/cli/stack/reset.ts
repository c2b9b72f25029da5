import { readHolder } from '../../database/project/lock.ts'
import type { ContentPart } from '../../database/project/project-content.ts'
import { followGitStopped } from '../../runtime/branches/follow-git.ts'
import { lockPath } from '../../runtime/place/state-folders.ts'
import { type Backend, type BackendOptions, findBackend, withName } from '../arguments.ts'
import { changeBranches } from '../branches/change.ts'
import { announceChange, announceUndo, keepForUndo } from '../branches/undo.ts'
import { ask, findRunning, printWarnings, withRunning } from '../running.ts'

/** @property snapshot Whether to keep the data for `undock undo`. */
type ResetOptions = BackendOptions & { readonly snapshot: boolean }

/** `undock reset`: reruns migrations and seed on an empty database, in the running stack if there is one. */
export async function reset({ snapshot, ...options }: ResetOptions): Promise<number> {
  const backend = findBackend(options)
  const { workdir, name } = backend
  if (await readHolder(lockPath(workdir, name))) {
    await keepForUndo(backend, 'reset', 'delete the data', snapshot)
    return resetRunning(backend, {})
  }
  await followGitStopped(workdir, name)
  if (await announceChange(backend, 'delete the data')) await emptyStopped(backend, 'reset', snapshot)
  // The next start creates the data from migrations and seed.
  await withRunning(backend, async () => undefined)
  console.error(withName('Done. `undock start` continues with the fresh data.', name))
  return 0
}

/** Deletes a stopped backend's data. @param isKept Whether `undock undo` can restore it. */
export async function emptyStopped(backend: Backend, command: string, isKept: boolean): Promise<void> {
  await changeBranches(backend, { do: 'empty', name: command, discards: !isKept })
  if (isKept) announceUndo(backend)
}

/** Resets a running backend's data to what the project's files define, or part of it.
 *  @throws {NotRunningError} */
export async function resetRunning(backend: Backend, part: ContentPart): Promise<number> {
  const response = await ask(await findRunning(backend), '/reset', part)
  if (!response) return 1
  await printWarnings(response)
  console.error('Done. The backend continues with the fresh data.')
  return 0
}
