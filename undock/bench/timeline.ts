import { readFile } from 'node:fs/promises'
import { ownMemory, type Peer, startUndock, withDescendants } from './peers.ts'
import { fill, load, READ_BY_KEY } from './rest.ts'
import { median, megabytes, rate, table } from './table.ts'

const CONNECTIONS = [1, 16]
const ROUNDS = 20
const TICKS_PER_SECOND = 100

/** What the timeline costs reads by key. Both backends take turns within each round, the first of a round changes, and
 *  each round is one pair, so that a noisy second affects both. */
export async function benchTimeline(): Promise<string> {
  const off = await startUndock('[timeline]\nenabled = false', 'timeline off')
  const on = await startUndock('', 'timeline on')
  try {
    for (const peer of [off, on]) {
      await fill(peer)
      for (const connections of [...CONNECTIONS, ...CONNECTIONS]) await load(peer, READ_BY_KEY, connections)
    }
    const rows: string[][] = []
    for (const connections of CONNECTIONS) rows.push([String(connections), ...(await compare(off, on, connections))])
    const memory = await Promise.all(
      [off, on].map(async ({ pid }) => sum(await Promise.all((await ownProcesses(pid)).map(ownMemory)))),
    )
    return `${table(
      ['connections', 'timeline off', 'timeline on', 'reads lost, median of pairs', 'CPU time of a read, off', 'on'],
      rows,
    )}\n\nResident memory of undock's own processes after it: ${memory.map((bytes) => megabytes(bytes)).join(' off, ')} on.`
  } finally {
    await off.stop()
    await on.stop()
  }
}

type Round = { readonly perSecond: number; readonly cpu: number }

async function compare(off: Peer, on: Peer, connections: number): Promise<string[]> {
  const pairs: { off: Round; on: Round }[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const first = await measure(round % 2 === 0 ? off : on, connections)
    const second = await measure(round % 2 === 0 ? on : off, connections)
    pairs.push(round % 2 === 0 ? { off: first, on: second } : { off: second, on: first })
  }
  const lost = median(pairs.map((pair) => 1 - pair.on.perSecond / pair.off.perSecond))
  return [
    rate(median(pairs.map((pair) => pair.off.perSecond))),
    rate(median(pairs.map((pair) => pair.on.perSecond))),
    `${(lost * 100).toFixed(1)} %`,
    microseconds(median(pairs.map((pair) => pair.off.cpu))),
    microseconds(median(pairs.map((pair) => pair.on.cpu))),
  ]
}

/** Requests of one second. */
async function measure(peer: Peer, connections: number): Promise<Round> {
  const before = await cpuTime(peer.pid)
  const perSecond = (await load(peer, READ_BY_KEY, connections)) ?? 0
  return { perSecond, cpu: ((await cpuTime(peer.pid)) - before) / perSecond }
}

/** Seconds of CPU time that undock's own processes have used. Linux only; NaN elsewhere. */
async function cpuTime(pid: number): Promise<number> {
  const times = (await ownProcesses(pid)).map(async (one) => {
    const stat = await readFile(`/proc/${one}/stat`, 'utf8').catch(() => '')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return Number(fields[11]) + Number(fields[12])
  })
  return sum(await Promise.all(times)) / TICKS_PER_SECOND
}

/** PostgreSQL's processes do the same with and without the timeline. */
async function ownProcesses(pid: number): Promise<number[]> {
  const pids = await withDescendants(pid)
  const names = await Promise.all(pids.map((one) => readFile(`/proc/${one}/comm`, 'utf8').catch(() => 'postgres')))
  return pids.filter((_, index) => !names[index]?.startsWith('postgres'))
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0)
const microseconds = (seconds: number): string => `${Math.round(seconds * 1e6)} µs`
