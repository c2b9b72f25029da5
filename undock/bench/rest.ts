import { compareLoad, type Figures, type LoadRequest, load, loadSource } from './load.ts'
import { type Peer, startBare, startLite, startUndock } from './peers.ts'
import { megabytes, microseconds, rate, ratio, table } from './table.ts'

const ROWS = 1_000
const PART = 25
const CONNECTIONS = [1, 16, 64]

type Measure = {
  readonly name: string
  /** Requests that the other peers do not support; they are measured only here. */
  readonly alone?: true
  request(peer: Peer): LoadRequest
}

const headers = (key: string): Record<string, string> => ({ apikey: key, authorization: `Bearer ${key}` })

const get =
  (path: string, count = 1) =>
  ({ publishableKey }: Peer): LoadRequest => ({
    method: 'GET',
    path,
    count,
    headers: headers(publishableKey),
  })

const insert = ({ publishableKey }: Peer, body: unknown): LoadRequest => ({
  method: 'POST',
  path: '/rest/v1/inserted',
  headers: { ...headers(publishableKey), 'content-type': 'application/json', prefer: 'return=minimal' },
  body: JSON.stringify(body),
})

export const READ_BY_KEY: Measure = { name: 'read one row by key', request: get('/rest/v1/items?id=eq.{n}', ROWS) }

export const LISTS_WITH_EMBED: Measure = {
  name: 'list 100 rows with an embed, each another page',
  request: get('/rest/v1/items?select=id,title,lists(id,name)&order=id&limit=100&id=gt.{n}', ROWS - 100),
}

const INSERT_ONE: Measure = {
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
  { name: 'call a function', alone: true, request: get('/rest/v1/rpc/add?a=1&b=2') },
]

/** Requests a second of an app's visitors, under row security, and the CPU time of each. A dash marks what a peer refuses. undock is
 *  also measured beside the limit: servers of node:http that know the statements and use the same database. */
export async function benchRest(): Promise<string> {
  const undock = await startUndock()
  const peers = [undock, await startBare('statement', undock), await startBare('transaction', undock)]
  peers.push(await startLite('sqlite-postgres'), await startLite('pglite'))
  const [first = '', ...others] = peers.map(({ name }) => name)
  try {
    for (const peer of peers) if (peer.hasOwnData) await fill(peer)
    const source = loadSource()
    const rates: string[][] = []
    const costs: string[][] = []
    for (const { name, alone, request } of MEASURES) {
      const able = alone ? peers.slice(0, 1) : peers
      // Just-in-time compilation is not part of any figure.
      for (let round = 0; round < 3; round++) for (const peer of able) await load(peer, request(peer), 16)
      for (const connections of CONNECTIONS) {
        const figures = await compareLoad(able, request, connections)
        rates.push([
          name,
          String(connections),
          ...compared(
            peers.map((_, index) => figures[index]?.perSecond ?? null),
            rate,
          ),
        ])
        costs.push([name, String(connections), ...peers.map((_, index) => cost(figures[index]))])
      }
    }
    rates.push(['memory after it', '', ...compared(await Promise.all(peers.map((peer) => peer.memory())), megabytes)])
    return [
      table(['', 'connections', first, ...others, ...others.map((name) => `against ${name}`)], rates),
      'CPU time per request, of the server and of PostgreSQL. On two cores the sum with the load generator limits the rate.',
      table(['', 'connections', first, ...others], costs),
      `Load by ${source}.`,
    ].join('\n\n')
  } finally {
    for (const peer of peers.toReversed()) await peer.stop()
  }
}

const cost = (figures: Figures | null | undefined): string =>
  figures ? `${microseconds(figures.cpu.own)}, ${microseconds(figures.cpu.database)}` : '–'

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
