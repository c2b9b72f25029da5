import { Agent, request as send } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { randomFrom } from '../support/random.ts'
import { mutateFrame, mutateRequest, pick, type Random } from './mutate.ts'
import { type RecordedRequest, type Recording, recordRequests } from './recorded-requests.ts'
import { startTarget, type Target } from './start-target.ts'
import type { TargetReport } from './target.ts'

export type FuzzOptions = {
  readonly requests: number
  readonly seed: number
  /** Called regularly with the progress. */
  readonly tell?: (line: string) => void
}

export type FuzzReport = {
  readonly sent: number
  readonly frames: number
  /** The share of requests whose response wasn't a parse error or "not found". */
  readonly understood: number
  readonly statuses: Readonly<Record<string, number>>
  /** Requests with a server error or no response, each with that response. */
  readonly faults: readonly string[]
  readonly stalls: readonly number[]
  readonly errors: readonly string[]
  /** Memory in bytes at the start (after warming up) and the end. */
  readonly memory: readonly { readonly heap: number; readonly rss: number }[]
}

const CONCURRENCY = 12
/** The number of requests after which data and credentials are recreated, because too much was deleted and signed out. */
const ROUND = 20_000
/** Milliseconds to wait for a response. */
const TIMEOUT = 30_000
const MAX_FAULTS = 40

/** A service's responses to requests that it can't parse, or for objects that don't exist. */
const NOT_UNDERSTOOD = new Set([400, 404, 405, 406, 411, 415, 416, 431])
/** Responses of 500 and above that upstream returns, too: not implemented, timeout, a function's error. */
const MEANT = new Set([501, 504, 546])

/** Sends almost valid requests and frames to every service. @returns the results; the caller decides which are failures */
export async function fuzz({ requests, seed, tell = () => undefined }: FuzzOptions): Promise<FuzzReport> {
  const random = randomFrom(seed)
  const target = await startTarget()
  const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY })
  const statuses: Record<string, number> = {}
  const faults: string[] = []
  const stalls: number[] = []
  const errors: string[] = []
  const memory: { heap: number; rss: number }[] = []
  let sent = 0
  let frames = 0
  const look = async (): Promise<void> => {
    const report: TargetReport = await target.report()
    stalls.push(...report.stalls)
    errors.push(...report.errors)
    memory.push({ heap: report.heap, rss: report.rss })
  }
  try {
    await recordRequests(target)
    await look()
    // JIT compilation and first connections aren't stalls of a running stack.
    stalls.length = 0
    while (sent < requests) {
      const recording = await recordRequests(target)
      const end = Math.min(requests, sent + ROUND)
      const one = async (): Promise<void> => {
        while (sent < end) {
          sent += 1
          const request = mutateRequest(random, recording)
          const outcome = await ask(target, agent, request)
          statuses[outcome.status] = (statuses[outcome.status] ?? 0) + 1
          if (isFault(outcome) && faults.length < MAX_FAULTS) faults.push(textOf(request, outcome))
        }
      }
      const sockets = (async () => {
        frames += await sendFrames(target, recording, random, Math.ceil((end - sent) / 20))
      })()
      await Promise.all([...Array.from({ length: CONCURRENCY }, one), sockets])
      await look()
      tell(
        `${sent} requests, ${frames} frames, ${faults.length} faults, ${stalls.length} stalls, ${Math.round((memory.at(-1)?.rss ?? 0) / 1e6)} MB`,
      )
      if (sent < requests) await target.reset()
    }
  } finally {
    agent.destroy()
    await target.stop()
  }
  const understood = Object.entries(statuses).reduce(
    (sum, [status, count]) => sum + (NOT_UNDERSTOOD.has(Number(status)) ? 0 : count),
    0,
  )
  return { sent, frames, understood: understood / sent, statuses, faults, stalls, errors, memory }
}

function isFault({ status, body }: FuzzAnswer): boolean {
  if (typeof status === 'string') return status !== 'unsendable'
  return status >= 500 && !MEANT.has(status) && !POSTGRES_CODE.test(body)
}

/** Errors from Postgres, some of which PostgREST also returns as 500. Excludes internal errors of the server, and SQL that should
 *  not have been sent. */
const POSTGRES_CODE = /"code":"(?!XX|42)[0-9A-Z]{5}"/

type FuzzAnswer = { readonly status: number | string; readonly body: string }

/** A status, or why there is none. */
function ask({ url }: Target, agent: Agent, { method, path, headers, body }: RecordedRequest): Promise<FuzzAnswer> {
  return new Promise((resolve) => {
    try {
      const sending = send(url + clean(path), {
        agent,
        method,
        headers: { ...headers, 'content-length': String(body.length) },
      })
      const late = setTimeout(() => sending.destroy(new Error('no answer')), TIMEOUT)
      const over = (outcome: FuzzAnswer): void => {
        clearTimeout(late)
        resolve(outcome)
      }
      sending.once('error', (error) => over({ status: error.message, body: '' }))
      sending.once('response', (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.once('error', (error) => over({ status: error.message, body: '' }))
        response.once('end', () => over({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }))
      })
      sending.end(body)
    } catch {
      // Node itself rejects some headers.
      resolve({ status: 'unsendable', body: '' })
    }
  })
}

/** Node rejects other characters in a path. */
const clean = (path: string): string =>
  path.replace(/[^\u0021-\u007e]/g, (character) => encodeURIComponent(character.toWellFormed()))

const textOf = ({ method, path, headers, body }: RecordedRequest, { status, body: answer }: FuzzAnswer): string =>
  [
    `${method} ${path.slice(0, 300)} → ${status} ${answer.slice(0, 300)}`,
    JSON.stringify({ ...headers, authorization: headers.authorization?.slice(0, 30) }),
    body.toString('latin1').slice(0, 300),
  ].join('\n  ')

/** @returns the number of sent frames */
async function sendFrames(
  { url, publishable }: Target,
  { frames }: Recording,
  random: Random,
  count: number,
): Promise<number> {
  let sent = 0
  while (sent < count) {
    const { version } = pick(random, frames)
    const socket = new WebSocket(
      `${url.replace('http', 'ws')}/realtime/v1/websocket?vsn=${version}&apikey=${publishable}`,
    )
    socket.on('error', () => undefined)
    await new Promise((resolve) => socket.once('open', resolve).once('close', resolve))
    const same = frames.filter((one) => one.version === version)
    for (let left = 50; left > 0 && socket.readyState === WebSocket.OPEN; left -= 1) {
      socket.send(mutateFrame(random, pick(random, same).data))
      sent += 1
      if (left % 10 === 0) await wait(1)
    }
    socket.close()
    sent += 1
  }
  return sent
}
