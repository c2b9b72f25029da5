import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import autocannon from 'autocannon'
import type { Peer } from './peers.ts'
import { type CpuTime, cpuEach } from './processes.ts'
import { median, shareOf } from './table.ts'

const SECONDS = 1
const MIN_ROUNDS = 5
const MAX_ROUNDS = 15
/** Spread of the middle half of a row's rates, relative to their median, above which its rounds are repeated. */
const MAX_SPREAD = 0.1

/** A request that is sent repeatedly. */
export type LoadRequest = {
  readonly method: 'GET' | 'POST'
  /** Contains `{n}` where numbers from 1 to `count` follow each other. */
  readonly path: string
  readonly count?: number
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** What one load measured. CPU times are per request, in seconds. */
export type Figures = { readonly perSecond: number; readonly cpu: CpuTime }

/** Whether the load comes from wrk, which costs little itself. autocannon costs about as much as a server. */
const hasWrk = spawnSync('wrk', ['--version']).error === undefined

/** A sentence for the page: what made the load, and how busy the machine was with other work when it began. */
export const loadSource = (): string =>
  `${hasWrk ? 'wrk' : 'autocannon, because wrk is not installed; it costs about as much as a server, so rates are lower'}, load of the machine before it: ${loadavg()[0]?.toFixed(1)}`

/** Measures peers in turn, in rounds of a second, until the rates of each spread by less than 10 %.
 *  @returns per peer the median of its rounds, null where it refuses the request. */
export async function compareLoad(
  peers: readonly Peer[],
  requestOf: (peer: Peer) => LoadRequest,
  connections: number,
): Promise<(Figures | null)[]> {
  const rounds = peers.map((): Figures[] => [])
  const refused = new Set<Peer>()
  for (let round = 0; round < MAX_ROUNDS; round++) {
    if (round >= MIN_ROUNDS && rounds.every((one) => spreadOf(one) < MAX_SPREAD)) break
    // The order alternates, so that a noisy moment doesn't always affect the same peer.
    for (const [index, peer] of round % 2 === 0 ? [...peers.entries()] : [...peers.entries()].reverse()) {
      const figures = refused.has(peer) ? null : await load(peer, requestOf(peer), connections)
      if (figures) rounds[index]?.push(figures)
      else refused.add(peer)
    }
  }
  return rounds.map((one, index) => (refused.has(peers[index] as Peer) ? null : medianOf(one)))
}

/** Sends a request for a second. @returns null if the peer refuses it. */
export async function load(peer: Peer, request: LoadRequest, connections: number): Promise<Figures | null> {
  const before = await peer.cpu()
  const answered = await send(peer.url, request, connections)
  const after = await peer.cpu()
  if (answered === null) return null
  return { perSecond: answered.perSecond, cpu: cpuEach(before, after, answered.requests) }
}

type Answered = { readonly requests: number; readonly perSecond: number }

/** Sends a request for a second. @returns null if one was refused. */
export const send = (url: string, request: LoadRequest, connections: number): Promise<Answered | null> =>
  (hasWrk ? sendByWrk : sendByAutocannon)(url, request, connections)

async function sendByWrk(url: string, request: LoadRequest, connections: number): Promise<Answered | null> {
  const folder = mkdtempSync(join(tmpdir(), 'undock-bench-'))
  try {
    const script = join(folder, 'request.lua')
    writeFileSync(script, luaScript(request))
    const child = spawn('wrk', ['-t1', `-c${connections}`, `-d${SECONDS}s`, '-s', script, url])
    const output = await text(child.stdout)
    const [, requests = '0', took = '1'] = /(\d+) requests in ([\d.]+)s/.exec(output) ?? []
    if (/Non-2xx|Socket errors/.test(output) || requests === '0') return null
    return { requests: Number(requests), perSecond: Number(requests) / Number(took) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function luaScript({ method, path, count = 1, headers, body }: LoadRequest): string {
  const [before, after] = path.split('{n}')
  const address = after === undefined ? lua(path) : `${lua(before ?? '')} .. n .. ${lua(after)}`
  const fields = Object.entries(headers).map(([name, value]) => `[${lua(name)}] = ${lua(value)}`)
  return `local n = 0
local headers = { ${fields.join(', ')} }
local body = ${body === undefined ? 'nil' : lua(body)}
request = function()
  n = n % ${count} + 1
  return wrk.format(${lua(method)}, ${address}, headers, body)
end
`
}

/** A Lua string. Spaces around it keep `[` apart from another bracket. */
const lua = (value: string): string => ` [==[${value}]==] `

async function sendByAutocannon(url: string, request: LoadRequest, connections: number): Promise<Answered | null> {
  const { path, count = 1, ...rest } = request
  let n = 0
  const setupRequest = (one: autocannon.Request) => ({ ...one, path: path.replace('{n}', String(1 + (n++ % count))) })
  const result = await autocannon({ url, connections, duration: SECONDS, requests: [{ ...rest, setupRequest }] })
  if (result.non2xx > 0 || result.errors > 0 || result['2xx'] === 0) return null
  return { requests: result['2xx'], perSecond: result.requests.average }
}

export const medianOf = (rounds: readonly Figures[]): Figures => ({
  perSecond: median(rounds.map(({ perSecond }) => perSecond)),
  cpu: {
    own: median(rounds.map(({ cpu }) => cpu.own)),
    database: median(rounds.map(({ cpu }) => cpu.database)),
  },
})

function spreadOf(rounds: readonly Figures[]): number {
  const rates = rounds.map(({ perSecond }) => perSecond)
  return rates.length === 0 ? 0 : (shareOf(rates, 0.75) - shareOf(rates, 0.25)) / shareOf(rates, 0.5)
}
