// What processes use. Linux only; NaN elsewhere.
import { readdir, readFile } from 'node:fs/promises'
import { memoryWithChildren } from '../src/cli/stack/list.ts'
import { sum } from './table.ts'

const NOT_LINUX = process.platform === 'linux' ? 0 : Number.NaN

/** Seconds of CPU time, of a backend's own processes and of its PostgreSQL. */
export type CpuTime = { readonly own: number; readonly database: number }

/** The CPU time of each of so many requests between two measurements. */
export const cpuEach = (before: CpuTime, after: CpuTime, times: number): CpuTime => ({
  own: (after.own - before.own) / times,
  database: (after.database - before.database) / times,
})

/** The CPU time that a process and its descendants have used, also those that have ended. */
export async function cpuTime(pid: number): Promise<CpuTime> {
  const pids = await withDescendants(pid)
  const times = await Promise.all(
    pids.map(async (one) => {
      const stat = await readFile(`/proc/${one}/stat`, 'utf8').catch(() => '')
      const nameEnd = stat.lastIndexOf(')')
      // After the name in parentheses: utime, stime, cutime and cstime are fields 14 to 17, in hundredths of a second.
      const ticks = stat
        .slice(nameEnd + 2)
        .split(' ')
        .slice(11, 15)
      const seconds = ticks.reduce((sum, field) => sum + Number(field), NOT_LINUX) / 100
      return stat.slice(0, nameEnd).includes('(postgres')
        ? { own: 0, database: seconds }
        : { own: seconds, database: 0 }
    }),
  )
  return { own: sum(times.map(({ own }) => own)), database: sum(times.map(({ database }) => database)) }
}

/** Memory of a process and its descendants in bytes; shared memory counts once. */
export const proportionalMemory = async (pid: number): Promise<number> => memoryWithChildren(pid) ?? Number.NaN

/** Resident memory of undock's own processes, without PostgreSQL's, in bytes. */
export async function ownMemory(pid: number): Promise<number> {
  const sizes = (await withDescendants(pid)).map(async (one) => {
    const name = await readFile(`/proc/${one}/comm`, 'utf8').catch(() => 'postgres')
    if (name.startsWith('postgres')) return 0
    const pages = await readFile(`/proc/${one}/statm`, 'utf8').catch(() => '')
    return Number(pages.split(' ')[1] ?? NOT_LINUX) * 4096
  })
  return sum(await Promise.all(sizes))
}

async function withDescendants(pid: number): Promise<number[]> {
  const tasks = await readdir(`/proc/${pid}/task`).catch(() => [])
  const lists = await Promise.all(
    tasks.map((task) => readFile(`/proc/${pid}/task/${task}/children`, 'utf8').catch(() => '')),
  )
  const children = lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number))
  return [pid, ...(await Promise.all(children.map(withDescendants))).flat()]
}
