import { rm } from 'node:fs/promises'
import type { ContentPart } from '../../database/project/content-part.ts'
import { DATA_FORMATS, folderOf } from '../../database/project/kept-data.ts'
import { readHolder } from '../../database/project/lock.ts'
import { endLeftoverServer } from '../../database/project/open-project.ts'
import { followGitStopped } from '../../runtime/branches/follow-git.ts'
import { lockPath, persistentState } from '../../runtime/place/state-folders.ts'
import type { StackEvent } from '../../runtime/stack/options.ts'
import { startStack } from '../../runtime/stack/stack.ts'
import { type Backend, type BackendOptions, backendText, findBackend, withName } from '../arguments.ts'
import { keepForUndo } from '../branches/undo.ts'
import { nameCommands, tellEvent } from '../report.ts'
import { findRunning } from '../running.ts'

/** @property snapshot Whether the data is kept for `undock undo`. */
export type ResetOptions = BackendOptions & { readonly snapshot: boolean }

/** `undock reset`: runs migrations and seed again on an empty database, in the running stack if there is one. */
export async function reset({ snapshot, ...options }: ResetOptions): Promise<number> {
  const backend = findBackend(options)
  console.error(`Resetting the data of ${backendText(backend)}`)
  await keepForUndo(backend, 'reset', snapshot)
  const isRunning = (await readHolder(lockPath(backend.workdir, backend.name))) !== null
  return isRunning ? resetRunning(backend, {}) : resetKept(backend)
}

/** Resets the data of a running backend to all that the project's files define, or to a part of it.
 *  @throws {NotRunningError} */
export async function resetRunning(backend: Backend, part: ContentPart): Promise<number> {
  const { url, identity } = await findRunning(backend)
  const response = await fetch(`${url}/undock/v1/reset`, {
    method: 'POST',
    headers: { apikey: identity.keys.secret },
    body: JSON.stringify(part),
  })
  if (response.ok) {
    console.error('Done. The backend continues with the fresh data.')
    return 0
  }
  console.error(((await response.json()) as { message: string }).message)
  return 1
}

/** Deletes the kept rows and files of a backend that does not run. */
export async function deleteData({ workdir, name }: Backend): Promise<void> {
  const { database, storage } = persistentState(workdir, name)
  await endLeftoverServer(database)
  for (const folder of [...DATA_FORMATS.map((format) => folderOf(database, format)), storage])
    await rm(folder, { recursive: true, force: true })
}

async function resetKept(backend: Backend): Promise<number> {
  const { workdir, name } = backend
  await followGitStopped(workdir, name)
  await deleteData(backend)
  const tell = (event: StackEvent): void => tellEvent(event, name)
  const stack = await startStack({ workdir, name, ports: 'free', exclude: ['functions'], tell }).catch((error) => {
    throw nameCommands(error, name)
  })
  await stack.stop()
  console.error(withName('Done. `undock start` begins with the fresh data.', name))
  return 0
}
