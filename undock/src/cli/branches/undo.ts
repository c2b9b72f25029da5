import { readProjectConfig } from '../../config/project.ts'
import { lastUsedFormat } from '../../database/project/kept-data.ts'
import { readHolder } from '../../database/project/lock.ts'
import { otherGitBranch } from '../../runtime/branches/follow-git.ts'
import { currentState } from '../../runtime/branches/registry.ts'
import { contentOf, lastKept, UNCOUNTED } from '../../runtime/branches/undo.ts'
import { lockPath, stateAt, stateFolder } from '../../runtime/place/state-folders.ts'
import { type Backend, backendText, type ConfirmedOptions, findBackend, UsageError, withName } from '../arguments.ts'
import { confirm } from '../database-target.ts'
import { findRunning } from '../running.ts'
import { changeBranches, registryOf, withBranch } from './change.ts'

/** Prints what a command is about to do, such as: delete the data.
 *  @returns false if there is no data, or none that undock can copy. */
export async function announceChange(backend: Backend, deed: string): Promise<boolean> {
  const { workdir, name } = backend
  const running = (await readHolder(lockPath(workdir, name))) && (await findRunning(backend))
  const folder = currentState(stateFolder(workdir, name))
  const isOnServer = Boolean(readProjectConfig(workdir).settings.database_url)
  if (!running && (isOnServer || lastUsedFormat(stateAt(folder).database) === null)) return false
  const content = await withBranch(backend, registryOf(backend).current, contentOf).catch(() => UNCOUNTED)
  console.error(`About to ${deed} of ${backendText(backend)}: ${content}`)
  if (running?.engine?.kind !== 'server') return true
  console.error('No snapshot is taken: the database is on a server that undock did not start.')
  return false
}

/** Prints what a command is about to do, and keeps a copy of the data for `undock undo`. @param command Such as `reset`. @param isWanted
 *  Whether to take a snapshot. @throws {BranchError} if the data is too large. */
export async function keepForUndo(backend: Backend, command: string, deed: string, isWanted: boolean): Promise<void> {
  if (!(await announceChange(backend, deed)) || !isWanted) return
  await changeBranches(backend, { do: 'keep', name: command })
  announceUndo(backend)
}

export const announceUndo = ({ name }: Backend): void =>
  console.error(withName('It is kept for a day: `undock undo` brings it back.', name))

/** `undock undo`: restores the data from before the last command that deleted or replaced it. Keeps the replaced data, so that another undo
 *  restores that. @param only Undoes this command. @throws {UsageError} if there is no snapshot. */
export async function undo({ yes, ...options }: ConfirmedOptions, only?: string): Promise<number> {
  const backend = findBackend(options)
  const registry = registryOf(backend)
  const snapshot = lastKept(registry, only)
  if (snapshot === undefined)
    throw new UsageError(
      only
        ? `There is no snapshot from before \`${only}\`: \`undock ${only}\` takes one.`
        : `There is nothing to undo: no data of branch ${registry.current} was deleted or replaced in the last day.`,
    )
  const { name, createdAt, command, deleted } = snapshot
  if (deleted) {
    await changeBranches(backend, { do: 'undo', name })
    console.error(withName(`Branch ${deleted.name} is back with its data.`, backend.name))
    return 0
  }
  // The next start would use the other branch's data.
  const other = await otherGitBranch(backend.workdir, registry)
  if (other) throw new UsageError(other)
  await confirm(`Replace the rows, users, files and emails with those of ${createdAt}, from before \`${command}\``, yes)
  const { isRestarted } = await changeBranches(backend, { do: 'undo', name })
  console.error(
    withName(
      `${isRestarted ? 'The backend restarted' : '`undock start` continues'} with the data from before \`${command}\`. ` +
        'What it replaced is kept for a day: `undock undo` goes back to it.',
      backend.name,
    ),
  )
  return 0
}
