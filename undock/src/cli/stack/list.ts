import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { userCacheFolder } from '../../platform/folders.ts'
import { loadRegistry, RegistryError } from '../../runtime/branches/registry.ts'
import { listBackends, type SleepingStack, type StackRecord } from '../../runtime/place/record.ts'
import { stateFolder } from '../../runtime/place/state-folders.ts'
import { tableOf } from '../report.ts'

/** Bytes used by a process and its descendants: the native database and the functions run in
 *  their own processes.
 *  @returns null if the system doesn't provide it. */
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

/** The proportional set size, which counts buffers shared by Postgres processes only once. The kernel shows it only to the process's user. */
function linuxMemory(pid: string): number {
  const proportional = /^Pss:\s+(\d+) kB$/m.exec(readText(`/proc/${pid}/smaps_rollup`))?.[1]
  const resident = /^VmRSS:\s+(\d+) kB$/m.exec(readText(`/proc/${pid}/status`))?.[1]
  return Number(proportional ?? resident ?? 0) * 1024
}

/** Empty if the process has ended or can't be read. */
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

type ListOptions = { readonly output: 'pretty' | 'json' }

/** `undock list`: prints all backends that this user started with `undock start`, in all projects, including sleeping ones. */
export async function list({ output }: ListOptions): Promise<number> {
  const stacks = (await listBackends(userCacheFolder(process.env))).map(describe)
  if (output === 'json') console.log(JSON.stringify(stacks, null, 2))
  else console.log(stacks.length === 0 ? 'No backend is running.' : tableOf([TITLES, ...stacks.map(cellsOf)]))
  return 0
}

const describe = (one: StackRecord & Partial<SleepingStack>) => ({
  folder: one.workdir,
  name: one.name,
  state: one.asleep ? 'asleep' : one.dbUrl === undefined ? 'starting' : 'running',
  pid: one.asleep ? null : one.pid,
  startedAt: one.startedAt,
  url: one.url,
  dbUrl: one.dbUrl ?? null,
  mailUrl: one.mailUrl ?? null,
  engine: one.engine?.kind ?? null,
  branch: one.engine?.kind === 'server' ? null : branchOf(one.workdir, one.name),
  memory: one.asleep ? 0 : memoryWithChildren(one.pid),
  asleepSince: one.asleep?.since ?? null,
  wakesAt: one.asleep?.wakeAt ?? null,
})

/** @returns null if the list of branches is damaged, which the branch commands report. */
function branchOf(workdir: string, name: string | null): string | null {
  try {
    return loadRegistry(stateFolder(workdir, name)).current
  } catch (error) {
    if (error instanceof RegistryError) return null
    throw error
  }
}

const TITLES = ['FOLDER', 'NAME', 'STATE', 'BRANCH', 'URL', 'DATABASE', 'ENGINE', 'MEMORY', 'SINCE']

const cellsOf = (one: ReturnType<typeof describe>): string[] => [
  one.folder,
  one.name ?? '',
  one.state,
  one.branch ?? '',
  one.url,
  // Without credentials: `undock status` prints the whole URL.
  one.dbUrl === null ? '' : new URL(one.dbUrl).host,
  one.engine ?? '',
  one.memory === null ? '' : `${Math.round(one.memory / 2 ** 20)} MB`,
  one.asleepSince ?? one.startedAt,
]
