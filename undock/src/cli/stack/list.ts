import { userCacheFolder } from '../../platform/cache-folder.ts'
import { loadRegistry, RegistryError } from '../../runtime/branches/registry.ts'
import { listStacks, type StackRecord } from '../../runtime/place/record.ts'
import { stateFolder } from '../../runtime/place/state-folders.ts'
import { tableOf } from '../table.ts'
import { memoryWithChildren } from './process-memory.ts'

export type ListOptions = { readonly output: 'pretty' | 'json' }

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

/** @returns null where the list of branches is damaged: the command that works on it says so. */
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
  // Without user and password: `undock status` prints the whole address.
  dbUrl === null ? 'starting' : new URL(dbUrl).host,
  engine ?? '',
  memory === null ? '' : `${Math.round(memory / 2 ** 20)} MB`,
  startedAt,
]
