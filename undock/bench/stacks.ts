import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ended, startLite } from './peers.ts'
import { proportionalMemory } from './processes.ts'
import { median, megabytes, milliseconds, sum, table } from './table.ts'

const WORKER = fileURLToPath(new URL('stack-worker.ts', import.meta.url))
const PROJECT = fileURLToPath(new URL('project', import.meta.url))
const AT_ONCE = [1, 4, 8]
const RESETS = 3

/** Waiting times of a test runner's workers: stacks that start and reset at the same time, each in its own process, and
 *  the time that a project's migrations add to the first start. */
export async function benchStacks(): Promise<string> {
  const rows: string[][] = []
  await together(1)
  for (const count of AT_ONCE) rows.push(['undock', String(count), ...(await together(count))])
  for (const count of AT_ONCE) rows.push(['lite on PGlite', String(count), ...(await liteTogether(count))])
  const head = ['', 'stacks at once', 'ready, slowest', 'reset, median', 'memory of all']
  return `${table(head, rows)}\n\n${await growth()}`
}

type Report = { readonly ready: number; readonly resets: readonly number[]; readonly origin: string }

async function together(count: number): Promise<string[]> {
  const workers = Array.from({ length: count }, () => startWorker(PROJECT, RESETS))
  try {
    const reports = await Promise.all(workers.map(reportOf))
    const memory = await Promise.all(workers.map(({ pid }) => proportionalMemory(pid ?? 0)))
    return [
      milliseconds(Math.max(...reports.map(({ ready }) => ready))),
      milliseconds(median(reports.flatMap(({ resets }) => resets))),
      megabytes(sum(memory)),
    ]
  } finally {
    await Promise.all(workers.map(stop))
  }
}

async function liteTogether(count: number): Promise<string[]> {
  const started = await Promise.allSettled(Array.from({ length: count }, () => startLite('pglite')))
  const peers = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  try {
    for (const one of started) if (one.status === 'rejected') throw one.reason
    const memory = await Promise.all(peers.map((peer) => peer.memory()))
    return [milliseconds(Math.max(...peers.map(({ startTime }) => startTime))), '–', megabytes(sum(memory))]
  } finally {
    await Promise.all(peers.map((peer) => peer.stop()))
  }
}

/** Each migration creates a table with a key, an index and a policy. */
async function growth(): Promise<string> {
  const rows: string[][] = []
  for (const count of [10, 100, 500]) {
    const folder = await mkdtemp(join(tmpdir(), 'carrel-bench-'))
    try {
      await cp(join(PROJECT, 'supabase'), join(folder, 'supabase'), {
        recursive: true,
        filter: (path) => !path.includes('.undock'),
      })
      for (let index = 1; index < count; index++) {
        const path = join(folder, 'supabase', 'migrations', `${20260102000000 + index}_table_${index}.sql`)
        await writeFile(path, tableNumber(index))
      }
      const first = await startAlone(folder, 'migrated')
      const again = await startAlone(folder, 'snapshot')
      rows.push([`${count} migrations`, milliseconds(first.ready), milliseconds(again.ready)])
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
  return table(['one stack', 'ready, first start', 'ready, further starts'], rows)
}

const tableNumber = (index: number): string => `
create table public.table_${index} (
  id bigint generated always as identity primary key,
  owner uuid default auth.uid() references auth.users on delete cascade,
  name text not null
);
create index on public.table_${index} (owner);
alter table public.table_${index} enable row level security;
create policy "own" on public.table_${index} using (owner = (select auth.uid()));
`

async function startAlone(workdir: string, origin: string): Promise<Report> {
  const worker = startWorker(workdir, 0)
  try {
    const report = await reportOf(worker)
    if (report.origin !== origin) throw new Error(`The database came from "${report.origin}", not "${origin}"`)
    return report
  } finally {
    await stop(worker)
  }
}

const startWorker = (workdir: string, resets: number): ChildProcess =>
  fork(WORKER, [workdir, String(resets)], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })

async function reportOf(worker: ChildProcess): Promise<Report> {
  const end = ended(worker).then((code) => {
    throw new Error(`A worker ended with code ${code} before its stack was ready`)
  })
  end.catch(() => undefined)
  const [report] = await Promise.race([once(worker, 'message'), end])
  return report as Report
}

async function stop(worker: ChildProcess): Promise<void> {
  if (worker.connected) worker.send('end')
  await ended(worker)
}
