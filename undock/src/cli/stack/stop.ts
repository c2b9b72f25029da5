import { relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Holder, readHolder } from '../../database/project/lock.ts'
import { endLeftoverServer } from '../../database/project/open-project.ts'
import { userCacheFolder } from '../../platform/folders.ts'
import { isRunning } from '../../platform/process.ts'
import { forgetSleeping, listBackends } from '../../runtime/place/record.ts'
import { lockPath, persistentState, stateFolder } from '../../runtime/place/state-folders.ts'
import { type Backend, type BackendOptions, findBackend } from '../arguments.ts'
import { failureText } from '../report.ts'
import { findHolder } from '../running.ts'

/** Milliseconds to wait for a killed process. */
const KILL_PATIENCE = 5_000
const STEP = 50

const stoppedText = ({ workdir, name }: Backend): string =>
  `Stopped. The data is kept in ${relative(workdir, stateFolder(workdir, name))}.`

/** @property all Stops every backend that `undock list` shows.
 *  @property timeout Seconds for a stack to stop by itself. */
type StopOptions = BackendOptions & { readonly all: boolean; readonly timeout: number }

/** `undock stop`: asks the running stack to stop and waits; kills it if it doesn't. A sleeping one isn't woken again.
 *  @throws {NotRunningError} */
export async function stop({ all, timeout, ...options }: StopOptions): Promise<number> {
  if (all) return stopAll(timeout)
  const backend = findBackend(options)
  const { code, text } = await endBackend(backend, timeout)
  console.error(text)
  return code
}

/** Ends a running, starting or sleeping backend. @throws {NotRunningError} */
export async function endBackend(backend: Backend, timeout: number): Promise<EndReport> {
  const wasAsleep = await forgetSleeping(userCacheFolder(process.env), backend)
  const isStopped = wasAsleep && !(await readHolder(lockPath(backend.workdir, backend.name)))
  return isStopped ? { code: 0, text: stoppedText(backend) } : endStack(await findHolder(backend), backend, timeout)
}

/** Stops all in parallel, because each can take as long as `timeout`. Continues if one can't be stopped. */
async function stopAll(timeout: number): Promise<number> {
  const stacks = await listBackends(userCacheFolder(process.env))
  if (stacks.length === 0) console.error('No backend is running.')
  const codes = await Promise.all(
    stacks.map(async (record) => {
      const { code, text } = await ('asleep' in record
        ? endBackend(record, timeout)
        : endStack(record, record, timeout)
      ).catch((error: unknown) => ({
        code: 1,
        text: failureText(error),
      }))
      console.error(`${record.workdir}${record.name ? ` (${record.name})` : ''}: ${text}`)
      return code
    }),
  )
  return Math.max(0, ...codes)
}

type EndReport = { readonly code: number; readonly text: string }

async function endStack(holder: Holder, backend: Backend, timeout: number): Promise<EndReport> {
  const { pid } = holder
  if (!signal(holder, 'SIGTERM')) return refused(pid)
  if (await hasEnded(holder, timeout * 1_000)) {
    // Windows has no signals: the process was killed, and its server still runs.
    if (process.platform === 'win32') await endLeftoverServer(persistentState(backend.workdir, backend.name).database)
    return { code: 0, text: stoppedText(backend) }
  }
  // A reused process id isn't killed by mistake: `hasEnded` just checked that it's the lock's owner.
  if (!signal(holder, 'SIGKILL')) return refused(pid)
  if (!(await hasEnded(holder, KILL_PATIENCE)))
    return {
      code: 1,
      text: `Process ${pid} is still running, although it was killed: the operating system has not ended it yet.`,
    }
  await endLeftoverServer(persistentState(backend.workdir, backend.name).database)
  return { code: 0, text: `Process ${pid} did not stop within ${timeout} s and was killed.\n${stoppedText(backend)}` }
}

async function hasEnded(holder: Holder, timeout: number): Promise<boolean> {
  for (let waited = 0; isRunning(holder); waited += STEP) {
    if (waited >= timeout) return false
    await sleep(STEP)
  }
  return true
}

/** @returns false if the process belongs to another user. */
function signal({ pid }: Holder, name: NodeJS.Signals): boolean {
  try {
    process.kill(pid, name)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ESRCH') return true
    if (code === 'EPERM') return false
    throw error
  }
}

const refused = (pid: number): EndReport => ({
  code: 1,
  text: `Process ${pid} belongs to another user, who must stop it.`,
})
