import { userCacheFolder } from '../kernel/cache-folder.ts'
import { listStacks, type StackRecord } from '../runtime/stack-record.ts'
import { memoryWithChildren } from './process-memory.ts'
import { tableOf } from './table.ts'

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
  engine: engine ?? null,
  memory: memoryWithChildren(pid),
})

const TITLES = ['FOLDER', 'NAME', 'URL', 'DATABASE', 'ENGINE', 'MEMORY', 'SINCE']

const cellsOf = ({ folder, name, url, dbUrl, engine, memory, startedAt }: ReturnType<typeof describe>): string[] => [
  folder,
  name ?? '',
  url,
  // Without user and password: `undock status` prints the whole address.
  dbUrl === null ? 'starting' : new URL(dbUrl).host,
  engine ?? '',
  memory === null ? '' : `${Math.round(memory / 2 ** 20)} MB`,
  startedAt,
]
