import { type Peer, startUndock } from './peers.ts'
import { INSERT_ONE, load } from './rest.ts'
import { median, rate, ratio, table } from './table.ts'

const CONNECTIONS = [1, 16]
const ROUNDS = 3

/** Inserts with and without waiting for the disk; the variants take turns within each round. */
export async function benchDurable(): Promise<string> {
  const rows: string[][] = []
  const peers = [await startUndock(), await startUndock('durable = true')]
  try {
    for (const peer of peers) await load(peer, INSERT_ONE, 4)
    for (const connections of CONNECTIONS) rows.push([String(connections), ...(await compare(peers, connections))])
  } finally {
    for (const peer of peers) await peer.stop()
  }
  return table(['connections', 'as it is', '`durable = true`', 'durable against it'], rows)
}

async function compare(peers: readonly Peer[], connections: number): Promise<string[]> {
  const rates = peers.map((): number[] => [])
  for (let round = 0; round < ROUNDS; round++)
    for (const [index, peer] of peers.entries()) rates[index]?.push((await load(peer, INSERT_ONE, connections)) ?? 0)
  const [plain = 0, durable = 0] = rates.map(median)
  return [rate(plain), rate(durable), ratio(durable, plain)]
}
