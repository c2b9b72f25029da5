import { rm } from 'node:fs/promises'
import { findFork } from '../../runtime/branches/fork.ts'
import { whileStopped } from '../../runtime/branches/state-copy.ts'
import { stateFolder } from '../../runtime/place/state-folders.ts'
import { type Backend, type BackendOptions, backendText, type ConfirmedOptions, findBackend } from '../arguments.ts'
import { confirm } from '../database-target.ts'
import { NotRunningError } from '../running.ts'
import { start } from '../stack/start.ts'
import { endBackend } from '../stack/stop.ts'
import { changeBranches } from './change.ts'
import { announceChange, announceUndo } from './undo.ts'

/** Seconds for a fork to stop by itself. */
const STOP_LIMIT = 20

/** `undock fork`: starts another backend of the project in the background, with a copy of the data.
 *  @throws {BranchError} */
export async function fork(
  name: string,
  { sleepAfter, ...options }: BackendOptions & { readonly sleepAfter?: string },
): Promise<number> {
  const backend = findBackend(options)
  const before = performance.now()
  await changeBranches(backend, { do: 'fork', name })
  console.error(`Copied the data of ${backendText(backend)} in ${((performance.now() - before) / 1_000).toFixed(2)} s`)
  const { workdir } = backend
  return start({
    workdir,
    name,
    exclude: [],
    ports: 'config',
    https: false,
    detach: true,
    ...(sleepAfter && { sleepAfter }),
  })
}

/** `undock fork keep`: replaces a backend's data with that of a fork, which is deleted. A running backend restarts. */
export async function forkKeep(
  name: string,
  { yes, snapshot, ...options }: ConfirmedOptions & { readonly snapshot: boolean },
): Promise<number> {
  const backend = findBackend(options)
  findFork(stateFolder(backend.workdir, backend.name), name)
  await confirm(`Replace the rows, users, files and emails of ${backendText(backend)} with those of ${name}`, yes)
  const hasData = await announceChange(backend, 'replace the data')
  const { isRestarted } = await removeFork({ ...backend, name }, () =>
    changeBranches(backend, { do: 'keep-fork', name, discards: !snapshot }),
  )
  if (hasData && snapshot) announceUndo(backend)
  console.error(`${isRestarted ? 'The backend restarted' : '`undock start` continues'} with the data of ${name}.`)
  return 0
}

/** `undock fork delete`: stops another backend of the project, and deletes its data. */
export async function forkDelete(name: string, { yes, ...options }: ConfirmedOptions): Promise<number> {
  const backend = findBackend(options)
  findFork(stateFolder(backend.workdir, backend.name), name)
  await confirm(`Delete the rows, users, files and emails of ${name}`, yes)
  await removeFork({ ...backend, name }, async () => undefined)
  console.error(`${name} is deleted.`)
  return 0
}

/** Stops a fork and removes it after the work, unless that fails. */
async function removeFork<T>(fork: Backend, work: () => Promise<T>): Promise<T> {
  await endBackend(fork, STOP_LIMIT).catch((error: unknown) => {
    if (!(error instanceof NotRunningError)) throw error
  })
  const { workdir, name } = fork
  return whileStopped(workdir, name, async () => {
    const result = await work()
    await rm(stateFolder(workdir, name), { recursive: true, force: true })
    return result
  })
}
