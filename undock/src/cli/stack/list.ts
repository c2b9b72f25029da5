import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { userCacheFolder } from '../../platform/folders.ts'
import { loadRegistry, RegistryError } from '../../runtime/branches/registry.ts'
import { listStacks, type StackRecord } from '../../runtime/place/record.ts'
import { stateFolder } from '../../runtime/place/state-folders.ts'
import { tableOf } from '../report.ts'

/** Bytes used by a process and its descendants: the native database and the functions run in
 *  their own processes.
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

/** The proportional size, which counts the buffers that Postgres processes share only once. The
 *  kernel gives it to the process's own user only. */
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

/** `undock list`: prints every backend that this user has started with `undock start`, of all projects. */
export async function list({ output }: ListOptions): Promise<number> {
  const stacks = (await listStacks(userCacheFolder(process.env))).map(describe)
  if (output === 'json') console.log(JSON.stringify(stacks, null, 2))
  else console.log(stacks.length === 0 ? 'No backend is running.' : tableOf([TITLES, ...stacks.map(cellsOf)]))
  return 0
}

const describe = ({ pid, workdir, name, startedAt, url, dbUrl, mailUrl, engine }: StackRecord) => ({
  folder: workdir,
  name,
  state: dbUrl === undefined ? 'starting' : 'running',
  pid,
  startedAt,
  url,
  dbUrl: dbUrl ?? null,
  mailUrl: mailUrl ?? null,
  engine: engine?.kind ?? null,
  branch: engine?.kind === 'server' ? null : branchOf(workdir, name),
  memory: memoryWithChildren(pid),
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

const TITLES = ['FOLDER', 'NAME', 'BRANCH', 'URL', 'DATABASE', 'ENGINE', 'MEMORY', 'SINCE']

const cellsOf = ({
  folder,
  name,
  branch,
  url,
  dbUrl,
  engine,
  memory,
  startedAt,
}: ReturnType<typeof describe>): string[] => [
  folder,
  name ?? '',
  branch ?? '',
  url,
  // Without credentials: `undock status` prints the whole URL.
  dbUrl === null ? 'starting' : new URL(dbUrl).host,
  engine ?? '',
  memory === null ? '' : `${Math.round(memory / 2 ** 20)} MB`,
  startedAt,
]
