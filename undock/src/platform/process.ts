import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import crossSpawn from 'cross-spawn'

/** Returns whether a process of this machine is alive, even if it's another user's. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Returns when a process began, in its system's format, which tells reused ids apart; null if ended or unknown. */
export function processStart(pid: number): string | null {
  const seen = look(pid)
  return seen.state === 'runs' ? seen.start : null
}

/** A process recorded in a file. @property processStart The result of `processStart`; null if unknown. */
export type RecordedProcess = { readonly pid: number; readonly processStart?: string | null }

/** Returns whether the recorded process still runs, rather than another one with its id. */
export function isRunning({ pid, processStart: start }: RecordedProcess): boolean {
  return start ? processStart(pid) === start : isAlive(pid)
}

/** Returns whether the recorded process has certainly ended. Unlike `isRunning` it's false if the system doesn't
 *  answer, so that data in use is never taken for leftovers. */
export function hasCertainlyEnded({ pid, processStart: start }: RecordedProcess): boolean {
  if (!isAlive(pid)) return true
  const found = look(pid)
  return found.state === 'ended' || (found.state === 'runs' && Boolean(start) && found.start !== start)
}

type Found = { readonly state: 'runs'; readonly start: string } | { readonly state: 'ended' | 'unknown' }

function look(pid: number): Found {
  if (process.platform === 'linux') return lookOnLinux(pid)
  if (process.platform === 'win32') return { state: 'unknown' }
  // The text must be the same for every caller, whatever its language and time zone.
  const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' }
  const { stdout } = spawnSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8', env })
  const [state = '', ...start] = (stdout ?? '').trim().split(/\s+/)
  if (state === '') return { state: 'unknown' }
  return state.startsWith('Z') ? { state: 'ended' } : { state: 'runs', start: start.join(' ') }
}

/** Clock ticks since boot: field 22 of proc_pid_stat(5). A process whose first thread has ended is a zombie while other
 *  threads (counted in field 20) still hold its files and ports. */
function lookOnLinux(pid: number): Found {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [state, ...fields] = text.slice(text.lastIndexOf(')') + 2).split(' ')
    if (state === 'Z' && Number(fields[16]) <= 1) return { state: 'ended' }
    return fields[18] ? { state: 'runs', start: fields[18] } : { state: 'unknown' }
  } catch {
    return { state: 'unknown' }
  }
}

/** @property memory Resident bytes. @property processorTime Milliseconds. */
export type ProcessUsage = { readonly memory: number; readonly processorTime: number }

/** Returns a process's usage; null if it has ended or the system doesn't say. */
export async function processUsage(pid = 0): Promise<ProcessUsage | null> {
  if (pid === 0 || process.platform === 'win32') return null
  if (process.platform !== 'linux') {
    const out = await new Promise<string>((resolve) => {
      execFile('ps', ['-o', 'rss=,time=', '-p', String(pid)], (_error, text) => resolve(text))
    })
    const [kilobytes = '', time = ''] = out.trim().split(/\s+/)
    const seconds = time.split(/[-:]/).reduce((sum, part) => sum * 60 + Number(part), 0)
    return kilobytes === '' ? null : { memory: Number(kilobytes) * 1024, processorTime: seconds * 1000 }
  }
  const read = (file: string) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')
  const [, kilobytes] = /^VmRSS:\s*(\d+)/m.exec(await read('status')) ?? []
  // Fields 14 and 15 of proc_pid_stat(5), in hundredths of a second; the program's name before them may contain spaces.
  const [user, system] = (await read('stat')).split(') ').at(-1)?.split(' ').slice(11, 13) ?? []
  if (kilobytes === undefined || system === undefined) return null
  return { memory: Number(kilobytes) * 1024, processorTime: (Number(user) + Number(system)) * 10 }
}

// Programs of other folders read this module without the folder of undock.
/// <reference path="./untyped-packages.d.ts" />
/** Returns how to start a program that may be a script, such as npm's on Windows: only cmd.exe runs those, and Node
 *  doesn't quote a shell's arguments, so a path with a space would be two. JavaScript runs on this Node.
 *  @returns arguments for `spawn` and `execFile`; merge `options` into theirs. */
export function startable(command: string, words: readonly string[]) {
  const isScript = /\.[cm]?js$/.test(command)
  const {
    command: file,
    args,
    options,
  } = crossSpawn._parse(isScript ? process.execPath : command, isScript ? [command, ...words] : words, {})
  return { file, args, options: { windowsVerbatimArguments: options.windowsVerbatimArguments ?? false } }
}
