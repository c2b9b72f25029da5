import { setTimeout as sleep } from 'node:timers/promises'
import type { Holder } from '../database/project/lock.ts'
import { endLeftoverServer } from '../database/project/open-project.ts'
import { isRunning } from '../kernel/process.ts'
import { persistentState } from '../runtime/state-folders.ts'
import { findWorkdir } from './arguments.ts'
import { findHolder } from './running.ts'

/** Milliseconds to wait until a killed process is gone. */
const KILL_PATIENCE = 5_000
const STEP = 50

const STOPPED = 'Stopped. The data stays in supabase/.undock.'

/** @property timeout Seconds that the stack has to end on its own. */
export type StopOptions = { readonly workdir?: string; readonly timeout: number }

/** `undock stop`: asks the running stack to end and waits for it; a stack that does not end is killed.
 *  @throws {NotRunningError} */
export async function stop(options: StopOptions): Promise<number> {
  const { timeout } = options
  const workdir = findWorkdir(options.workdir)
  const holder = await findHolder(workdir)
  const { pid } = holder
  if (!signal(holder, 'SIGTERM')) return refused(pid)
  if (await hasEnded(holder, timeout * 1_000)) {
    console.error(STOPPED)
    return 0
  }
  // A reused process id is not killed by mistake: `hasEnded` has just checked that it is the process that took the
  // lock.
  if (!signal(holder, 'SIGKILL')) return refused(pid)
  if (!(await hasEnded(holder, KILL_PATIENCE))) {
    console.error(`Process ${pid} did not end, not even when it was killed. The system holds it.`)
    return 1
  }
  await endLeftoverServer(persistentState(workdir).database)
  console.error(`Process ${pid} did not end within ${timeout} s and was killed.\n${STOPPED}`)
  return 0
}

async function hasEnded(holder: Holder, patience: number): Promise<boolean> {
  for (let waited = 0; isRunning(holder); waited += STEP) {
    if (waited >= patience) return false
    await sleep(STEP)
  }
  return true
}

/** @returns false when the process belongs to another user. */
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

function refused(pid: number): number {
  console.error(`Process ${pid} belongs to another user, who has to stop it.`)
  return 1
}
