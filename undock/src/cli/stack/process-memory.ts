import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** Bytes that a process uses together with all processes that it started: the native database and the functions run in
 *  processes of their own.
 *  @returns null where the system does not provide it. */
export function memoryWithChildren(pid: number): number | null {
  if (process.platform === 'win32') return null
  const processes = process.platform === 'linux' ? linuxProcesses() : psProcesses()
  const tree = processes.filter((one) => one.pid === pid)
  // Iterating over a list also visits the elements that are added during the iteration.
  for (const { pid: parent } of tree) tree.push(...processes.filter((one) => one.parent === parent))
  return tree.length === 0 ? null : tree.reduce((sum, { memory }) => sum + memory(), 0)
}

type RunningProcess = { readonly pid: number; readonly parent: number; memory(): number }

function linuxProcesses(): RunningProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const parent = /^PPid:\s+(\d+)$/m.exec(readText(`/proc/${name}/status`))?.[1]
      return parent ? [{ pid: Number(name), parent: Number(parent), memory: () => linuxMemory(name) }] : []
    })
}

/** The proportional size: processes of Postgres share their buffers, which would otherwise count once for each. The
 *  kernel gives it to the process's own user only. */
function linuxMemory(pid: string): number {
  const proportional = /^Pss:\s+(\d+) kB$/m.exec(readText(`/proc/${pid}/smaps_rollup`))?.[1]
  const resident = /^VmRSS:\s+(\d+) kB$/m.exec(readText(`/proc/${pid}/status`))?.[1]
  return Number(proportional ?? resident ?? 0) * 1024
}

/** Empty for a process that has ended in the meantime, or that may not be read. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function psProcesses(): RunningProcess[] {
  const { stdout } = spawnSync('ps', ['-axo', 'pid=,ppid=,rss='], { encoding: 'utf8' })
  return (stdout ?? '')
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .map(([pid = 0, parent = 0, kilobytes = 0]) => ({ pid, parent, memory: () => kilobytes * 1024 }))
}
