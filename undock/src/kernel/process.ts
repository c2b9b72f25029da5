import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Whether a process of this machine is alive, even if it belongs to another user. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** When a process began, in the format of its operating system. It distinguishes two processes that had the same id one
 *  after the other.
 *  @returns null when no such process runs any more, or the system does not provide it. */
export function processStart(pid: number): string | null {
  if (process.platform === 'linux') return linuxStart(pid)
  if (process.platform === 'win32') return null
  const { stdout } = spawnSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' })
  const [state = '', ...start] = (stdout ?? '').trim().split(/\s+/)
  return state === '' || state.startsWith('Z') ? null : start.join(' ')
}

/** A process as a file records it.
 *  @property processStart What `processStart` returned for it; null where it is unknown. */
export type RecordedProcess = { readonly pid: number; readonly processStart?: string | null }

/** Whether the recorded process still runs: not another process that got its id after it had ended. */
export function isRunning({ pid, processStart: start }: RecordedProcess): boolean {
  return start ? processStart(pid) === start : isAlive(pid)
}

/** Clock ticks since the boot: field 22 of proc_pid_stat(5). A process whose first thread has ended is a zombie while
 *  other threads (field 20 counts them) still hold its files and ports. */
function linuxStart(pid: number): string | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The program's name may contain spaces and parentheses.
    const [state, ...fields] = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const hasEnded = state === 'Z' && Number(fields[16]) <= 1
    return hasEnded ? null : (fields[18] ?? null)
  } catch {
    return null
  }
}
