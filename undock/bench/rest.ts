import autocannon from 'autocannon'
import { type Peer, startBare, startLite, startUndock } from './peers.ts'
import { median, megabytes, rate, ratio, table } from './table.ts'

const ROWS = 1_000
const PART = 25
const ROUNDS = 5
const SECONDS = 1
const CONNECTIONS = [1, 16, 64]
const WARM_UP = [1, 16]

type Measure = {
  readonly name: string
  /** Requests that the other peers do not support; they are measured only here. */
  readonly alone?: true
  request(peer: Peer): autocannon.Request
}

const headers = (key: string): Record<string, string> => ({ apikey: key, authorization: `Bearer ${key}` })

const insert = (peer: Peer, body: unknown): autocannon.Request => ({
  method: 'POST',
  path: '/rest/v1/inserted',
  headers: { ...headers(peer.publishableKey), 'content-type': 'application/json', prefer: 'return=minimal' },
  body: JSON.stringify(body),
})

export const READ_BY_KEY: Measure = {
  name: 'read one row by key',
  request: () => {
    let id = 0
    return {
      method: 'GET',
      setupRequest: (request) => ({ ...request, path: `/rest/v1/items?id=eq.${1 + (id++ % ROWS)}` }),
    }
  },
}

export const LISTS_WITH_EMBED: Measure = {
  name: 'list 100 rows with an embed, each another page',
  request: () => {
    let page = 0
    const list = '/rest/v1/items?select=id,title,lists(id,name)&order=id&limit=100'
    return {
      method: 'GET',
      setupRequest: (request) => ({ ...request, path: `${list}&id=gt.${page++ % (ROWS - 100)}` }),
    }
  },
}

export const INSERT_ONE: Measure = {
  name: 'insert one row',
  request: (peer) => insert(peer, { title: 'one more' }),
}

const MEASURES: readonly Measure[] = [
  READ_BY_KEY,
  LISTS_WITH_EMBED,
  INSERT_ONE,
  {
    name: 'insert 1,000 rows in bulk',
    request: (peer) =>
      insert(
        peer,
        Array.from({ length: 1_000 }, (_, index) => ({ title: `Row ${index}` })),
      ),
  },
  { name: 'call a function', alone: true, request: () => ({ method: 'GET', path: '/rest/v1/rpc/add?a=1&b=2' }) },
]

/** Requests a second of an app's visitors, under row security. The peers take turns within each round, so that a noisy
 *  minute affects all of them. A dash marks what a peer refuses. undock is also measured beside the limit:
 *  servers of node:http that know the statements and use the same database. */
export async function benchRest(): Promise<string> {
  const undock = await startUndock()
  const peers = [undock, await startBare('statement', undock), await startBare('transaction', undock)]
  peers.push(await startLite('sqlite-postgres'), await startLite('pglite'))
  const [first, ...others] = peers.map(({ name }) => name)
  try {
    for (const peer of peers) if (peer.hasOwnData) await fill(peer)
    const rows: string[][] = []
    for (const measure of MEASURES) {
      const able = measure.alone ? peers.slice(0, 1) : peers
      // Just-in-time compilation is not part of any figure.
      for (const peer of able) for (const connections of WARM_UP) await load(peer, measure, connections)
      for (const connections of CONNECTIONS) {
        const rates = peers.map((): number[] => [])
        for (let round = 0; round < ROUNDS; round++) {
          for (const [index, peer] of able.entries()) {
            const perSecond = await load(peer, measure, connections)
            if (perSecond !== null) rates[index]?.push(perSecond)
          }
        }
        const medians = rates.map((all) => (all.length === 0 ? null : median(all)))
        rows.push([measure.name, String(connections), ...compared(medians, rate)])
      }
    }
    rows.push(['memory after it', '', ...compared(await Promise.all(peers.map((peer) => peer.memory())), megabytes)])
    return table(['', 'connections', first ?? '', ...others, ...others.map((name) => `against ${name}`)], rows)
  } finally {
    for (const peer of peers.toReversed()) await peer.stop()
  }
}

/** The figures of all peers, then the first one's ratio to each of the others. */
function compared([ours = null, ...others]: readonly (number | null)[], show: (figure: number) => string): string[] {
  const figures = [ours, ...others].map((one) => (one === null ? '–' : show(one)))
  return [...figures, ...others.map((one) => (ours && one ? ratio(ours, one) : '–'))]
}

/** The rows that the measurements read. */
export async function fill(peer: Peer): Promise<void> {
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

/** In small batches: lite on SQLite binds at most 100 parameters in a statement. */
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

/** @returns requests a second, null when the peer refuses the request. */
export async function load(peer: Peer, measure: Measure, connections: number): Promise<number | null> {
  const result = await autocannon({
    url: peer.url,
    connections,
    duration: SECONDS,
    headers: headers(peer.publishableKey),
    requests: [measure.request(peer)],
  })
  if (result.non2xx > 0 || result.errors > 0 || result['2xx'] === 0) return null
  return result.requests.average
}
