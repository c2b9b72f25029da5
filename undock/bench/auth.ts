import autocannon from 'autocannon'
import { type Peer, startLite, startUndock } from './peers.ts'
import { median, rate, ratio, table } from './table.ts'

const ROUNDS = 3
const SECONDS = 4
const CONNECTIONS = 16
const PASSWORD = 'correct horse battery'

type Session = { readonly access_token: string; readonly refresh_token: string }

type Measure = { readonly name: string; request(peer: Peer): Promise<autocannon.Request> }

const json = { 'content-type': 'application/json' }

const MEASURES: readonly Measure[] = [
  {
    name: 'sign in with a password',
    request: async (peer) => ({
      method: 'POST',
      path: '/auth/v1/token?grant_type=password',
      headers: { apikey: peer.publishableKey, ...json },
      body: JSON.stringify({ email: (await newUser(peer)).email, password: PASSWORD }),
    }),
  },
  {
    name: 'refresh a session',
    async request(peer) {
      // Each connection has one session and continues with the token of the last response.
      const sessions = await Promise.all(Array.from({ length: CONNECTIONS }, () => newUser(peer)))
      const tokens = sessions.map(({ session }) => session.refresh_token)
      return {
        method: 'POST',
        path: '/auth/v1/token?grant_type=refresh_token',
        headers: { apikey: peer.publishableKey, ...json },
        setupRequest: (request) => ({ ...request, body: JSON.stringify({ refresh_token: tokens.shift() }) }),
        onResponse(_status, body) {
          tokens.push((JSON.parse(body) as Session).refresh_token)
        },
      }
    },
  },
  {
    name: 'get the user',
    request: async (peer) => ({
      method: 'GET',
      path: '/auth/v1/user',
      headers: {
        apikey: peer.publishableKey,
        authorization: `Bearer ${(await newUser(peer)).session.access_token}`,
      },
    }),
  },
]

/** Requests a second of Auth compared with lite's on PGlite; the peers take turns within each round. */
export async function benchAuth(): Promise<string> {
  const peers = [await startUndock(), await startLite('pglite')]
  try {
    const rows: string[][] = []
    for (const measure of MEASURES) {
      const rates = peers.map((): number[] => [])
      for (let round = 0; round < ROUNDS; round++) {
        for (const [index, peer] of peers.entries()) rates[index]?.push(await load(peer, measure))
      }
      const [ours = 0, lite = 0] = rates.map(median)
      rows.push([measure.name, rate(ours), rate(lite), ratio(ours, lite)])
    }
    return table(['', 'undock', 'lite on PGlite', 'against it'], rows)
  } finally {
    for (const peer of peers) await peer.stop()
  }
}

async function newUser(peer: Peer): Promise<{ email: string; session: Session }> {
  const email = `${crypto.randomUUID()}@example.com`
  const response = await fetch(`${peer.url}/auth/v1/signup`, {
    method: 'POST',
    headers: { apikey: peer.publishableKey, ...json },
    body: JSON.stringify({ email, password: PASSWORD }),
  })
  if (!response.ok) throw new Error(`${peer.name} refused a user: ${response.status} ${await response.text()}`)
  return { email, session: (await response.json()) as Session }
}

async function load(peer: Peer, measure: Measure): Promise<number> {
  const result = await autocannon({
    url: peer.url,
    connections: CONNECTIONS,
    duration: SECONDS,
    requests: [await measure.request(peer)],
  })
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${peer.name}, ${measure.name}: ${result.non2xx} refusals, ${result.errors} errors`)
  }
  return result.requests.average
}
