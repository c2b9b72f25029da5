import { compareLoad } from './load.ts'
import { startUndock } from './peers.ts'
import { ownMemory } from './processes.ts'
import { fill, READ_BY_KEY } from './rest.ts'
import { megabytes, microseconds, rate, table } from './table.ts'

const CONNECTIONS = [1, 16]

/** What the timeline costs reads by key. */
export async function benchTimeline(): Promise<string> {
  const peers = [await startUndock('[timeline]\nenabled = false', 'timeline off'), await startUndock('', 'timeline on')]
  try {
    for (const peer of peers) await fill(peer)
    for (const connections of CONNECTIONS) await compareLoad(peers, READ_BY_KEY.request, connections)
    const rows: string[][] = []
    for (const connections of CONNECTIONS) {
      const [off, on] = await compareLoad(peers, READ_BY_KEY.request, connections)
      if (!off || !on) throw new Error('A backend refused to be read')
      rows.push([
        String(connections),
        rate(off.perSecond),
        rate(on.perSecond),
        `${((1 - on.perSecond / off.perSecond) * 100).toFixed(1)} %`,
        microseconds(off.cpu.own),
        microseconds(on.cpu.own),
      ])
    }
    const memory = (await Promise.all(peers.map(({ pid }) => ownMemory(pid)))).map(megabytes)
    return `${table(
      ['connections', 'timeline off', 'timeline on', 'reads lost', 'CPU time of a read, off', 'on'],
      rows,
    )}\n\nResident memory of undock's own processes after it: ${memory.join(' off, ')} on.`
  } finally {
    for (const peer of peers) await peer.stop()
  }
}
