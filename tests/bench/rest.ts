import autocannon from 'autocannon'
import { type Peer, startLite, startUndock } from './peers.ts'
import { median, megabytes, rate, ratio, table } from './table.ts'

const ROWS = 1_000
const PART = 25
const ROUNDS = 3
const SECONDS = 4
const CONNECTIONS = 16

type Measure = { readonly name: string; request(peer: Peer): autocannon.Request }

const headers = (key: string): Record<string, string> => ({ apikey: key, authorization: `Bearer ${key}` })

const MEASURES: readonly Measure[] = [
  {
    name: 'read one row by key',
    request: () => {
      let id = 0
      return {
        method: 'GET',
        setupRequest: (request) => ({ ...request, path: `/rest/v1/items?id=eq.${1 + (id++ % ROWS)}` }),
      }
    },
  },
  {
    name: 'list 100 rows with an embed',
    request: () => ({ method: 'GET', path: '/rest/v1/items?select=id,title,lists(id,name)&order=id&limit=100' }),
  },
  {
    name: 'insert one row',
    request: (peer) => ({
      method: 'POST',
      path: '/rest/v1/inserted',
      headers: { ...headers(peer.publishableKey), 'content-type': 'application/json', prefer: 'return=minimal' },
      body: JSON.stringify({ title: 'one more' }),
    }),
  },
]

/** Requests a second of an app's visitors, under row security; each peer in turn within each round, so that a noisy minute is shared by all. */
export async function benchRest(): Promise<string> {
  const peers = [await startUndock(), await startLite('sqlite-postgres'), await startLite('pglite')]
  try {
    for (const peer of peers) await fill(peer)
    const rows: string[][] = []
    for (const measure of MEASURES) {
      const rates = peers.map((): number[] => [])
      for (let round = 0; round < ROUNDS; round++) {
        for (const [index, peer] of peers.entries()) rates[index]?.push(await load(peer, measure))
      }
      const [ours = 0, sqlite = 0, pglite = 0] = rates.map(median)
      rows.push([measure.name, rate(ours), rate(sqlite), rate(pglite), ratio(ours, sqlite), ratio(ours, pglite)])
    }
    const [ours = 0, sqlite = 0, pglite = 0] = await Promise.all(peers.map((peer) => peer.memory()))
    rows.push([
      'memory after it',
      megabytes(ours),
      megabytes(sqlite),
      megabytes(pglite),
      ratio(ours, sqlite),
      ratio(ours, pglite),
    ])
    return table(['', 'undock', 'lite on SQLite', 'lite on PGlite', 'against SQLite', 'against PGlite'], rows)
  } finally {
    for (const peer of peers) await peer.stop()
  }
}

async function fill(peer: Peer): Promise<void> {
  await post(
    peer,
    'lists',
    Array.from({ length: 10 }, (_, index) => ({ id: index + 1, name: `List ${index + 1}` })),
  )
  const items = Array.from({ length: ROWS }, (_, index) => ({
    id: index + 1,
    list_id: 1 + (index % 10),
    title: `Item ${index + 1}`,
  }))
  await post(peer, 'items', items)
}

/** In small parts: lite on SQLite binds at most 100 parameters in a statement. */
async function post(peer: Peer, name: string, rows: readonly object[]): Promise<void> {
  for (let at = 0; at < rows.length; at += PART) await postPart(peer, name, rows.slice(at, at + PART))
}

async function postPart(peer: Peer, name: string, rows: readonly object[]): Promise<void> {
  const response = await fetch(`${peer.url}/rest/v1/${name}`, {
    method: 'POST',
    headers: { ...headers(peer.secretKey), 'content-type': 'application/json' },
    body: JSON.stringify(rows),
  })
  if (!response.ok)
    throw new Error(`${peer.name} refused the rows of ${name}: ${response.status} ${await response.text()}`)
}

async function load(peer: Peer, measure: Measure): Promise<number> {
  const result = await autocannon({
    url: peer.url,
    connections: CONNECTIONS,
    duration: SECONDS,
    headers: headers(peer.publishableKey),
    requests: [measure.request(peer)],
  })
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${peer.name}, ${measure.name}: ${result.non2xx} refusals, ${result.errors} errors`)
  }
  return result.requests.average
}
