import { plainFetch, readText } from '../../../kernel/plain-fetch.js'
import type { Clock } from '../../../kernel/service.ts'
import { sql } from '../../../kernel/sql.ts'
import { asProjectUser } from '../../as-project-user.ts'
import { execute } from '../../db.ts'
import type { ExtensionWorker, ExtensionWorkersOptions } from '../worker.ts'

const BATCH = 200
/** Milliseconds that a response is kept; upstream's `pg_net.ttl`. */
const TTL = 6 * 60 * 60 * 1_000
const CLEANUP_INTERVAL = 60 * 60 * 1_000
const NO_TABLE = ['42P01', '3F000']

type QueuedRequest = {
  readonly id: string
  readonly method: string
  readonly url: string
  readonly headers: Record<string, string> | null
  readonly body: Buffer | null
  readonly timeout_milliseconds: number
}

type SentRequest = {
  readonly status: number | null
  readonly contentType: string | null
  readonly headers: Record<string, string> | null
  readonly content: string | null
  readonly timedOut: boolean | null
  readonly error: string | null
}

/** Sends the requests in pg_net's queue and stores the responses. @see supabase/pg_net src/worker.c */
export function startSender({ db: database, clock, log, route }: ExtensionWorkersOptions): ExtensionWorker {
  const db = asProjectUser(database)
  const inFlight = new Set<Promise<void>>()
  const stop = new AbortController()
  let sending: Promise<void> | null = null
  let isRequestedAgain = false
  let total = 0
  const cleanupTimer = setInterval(() => void look(), CLEANUP_INTERVAL)
  cleanupTimer.unref()

  function look(): void {
    isRequestedAgain = true
    sending ??= sendQueued()
      .catch((error: unknown) => {
        if (!isTableMissing(error)) log.error('Requests of pg_net could not be read', error)
      })
      .finally(() => {
        sending = null
      })
  }

  async function sendQueued(): Promise<void> {
    while (isRequestedAgain && !stop.signal.aborted) {
      isRequestedAgain = false
      const [, taken] = await db.run({ statements: [forget(clock), TAKE] })
      const requests = (taken?.rows ?? []) as QueuedRequest[]
      if (requests.length === BATCH) isRequestedAgain = true
      for (const request of requests) {
        const done = answer(request).finally(() => inFlight.delete(done))
        inFlight.add(done)
      }
      total += requests.length
      if (inFlight.size >= BATCH) await Promise.all(inFlight)
    }
  }

  async function answer(request: QueuedRequest): Promise<void> {
    const { status, contentType, headers, content, timedOut, error } = await send(request, route, stop.signal)
    try {
      await execute(db)`insert into net._http_response
        (id, status_code, content_type, headers, content, timed_out, error_msg, created)
        values (${request.id}, ${status}, ${contentType}, ${headers}, ${content}, ${timedOut}, ${error}, ${clock.now()})`
    } catch (failure) {
      if (!stop.signal.aborted && !isTableMissing(failure)) log.error('An answer to pg_net could not be kept', failure)
    }
  }

  look()
  return {
    look,
    get activity() {
      return { running: inFlight.size + Number(sending !== null), total, due: null }
    },
    async close() {
      clearInterval(cleanupTimer)
      stop.abort()
      await sending
      await Promise.all(inFlight)
    },
  }
}

const TAKE = sql`
  delete from net.http_request_queue
  where id in (select id from net.http_request_queue order by id limit ${BATCH} for update skip locked)
  returning id, method::text, url, headers, body, timeout_milliseconds`

const forget = (clock: Clock) =>
  sql`delete from net._http_response where created < ${new Date(clock.now().getTime() - TTL)}`

/** The extension and its tables may be dropped while the sender runs. */
const isTableMissing = (error: unknown): boolean => NO_TABLE.includes((error as { code?: string }).code ?? '')

async function send(request: QueuedRequest, route: (url: URL) => URL, stop: AbortSignal): Promise<SentRequest> {
  const limit = AbortSignal.timeout(request.timeout_milliseconds)
  try {
    const response = await plainFetch(route(new URL(request.url)), {
      method: request.method.toUpperCase(),
      headers: { 'user-agent': 'pg_net/0.14.0', ...request.headers },
      body: request.body ? new Uint8Array(request.body) : null,
      signal: AbortSignal.any([limit, stop]),
    })
    const content = await readText(response)
    return {
      status: response.status,
      contentType: response.headers.get('content-type'),
      headers: Object.fromEntries(response.headers),
      content,
      timedOut: false,
      error: null,
    }
  } catch (error) {
    const timedOut = limit.aborted
    const reason = timedOut
      ? `Timeout of ${request.timeout_milliseconds} ms reached`
      : error instanceof Error
        ? error.message
        : String(error)
    return { status: null, contentType: null, headers: null, content: null, timedOut, error: reason }
  }
}

/** Names of the API gateway inside Docker, where a project's database usually runs. */
const GATEWAY = /^(?:kong|supabase[_-]kong[_-].*|supabase-kong)$/
/** Names of the host machine inside Docker. */
const HOST_NAMES = ['host.docker.internal', 'gateway.docker.internal', 'docker.for.mac.localhost', '172.17.0.1']
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/** Redirects URLs in a project's SQL to this stack's API: those of the API in Docker, or with the port of config.toml.
 *  @param apiUrl This stack's API.
 *  @param apiPort The API's port in config.toml. */
export function createRoute(apiUrl: string, apiPort: number): (url: URL) => URL {
  const api = new URL(apiUrl)
  const to = (url: URL, protocol: string, hostname: string, port: string): URL => {
    const routed = new URL(url)
    routed.protocol = protocol
    routed.hostname = hostname
    routed.port = port
    return routed
  }
  return (url) => {
    const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
    const isHost = HOST_NAMES.includes(url.hostname)
    if (GATEWAY.test(url.hostname) || ((isHost || LOOPBACK.includes(url.hostname)) && port === apiPort))
      return to(url, api.protocol, api.hostname, api.port)
    return isHost ? to(url, url.protocol, '127.0.0.1', url.port) : url
  }
}
