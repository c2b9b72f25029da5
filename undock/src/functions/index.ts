import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { relative } from 'node:path'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config/config.ts'
import type { Env } from '../config/env.ts'
import type { Identity } from '../identity/identity.ts'
import { handshakeOf, refuseUpgrade } from '../kernel/node-http.ts'
import { BodyTooLargeError } from '../kernel/request-body.ts'
import { createRouter, type RoutePattern, segmentsOf, WEBSOCKET } from '../kernel/router.ts'
import type { Log, RequestContext, Service, UpgradeHandler } from '../kernel/service.ts'
import { forwardedHeaders, ownPath, PREFIX, tokenRefusal, watchBody, watchCall } from './calls.ts'
import type { FunctionLine } from './function-record.ts'
import { DEFAULT_LIMITS, INSPECTOR_LIMITS, type Limits } from './function-worker.ts'
import type { FunctionCall } from './messages.ts'
import { placeIn, type SourcePlace } from './module-graph.ts'
import { forward, tunnel } from './proxy.ts'
import { notFound, RelayError, relayResponse } from './relay-error.ts'
import { createRequestMetrics, type RequestMetrics } from './request-metrics.ts'
import { type FunctionCheck, type FunctionState, Runtime, type ServeSettings } from './runtime.ts'

/** Lines shown around the failing line. */
const AROUND = 3

/** Whether to answer with a page: true for browser navigation, false for programs. */
const wantsPage = (request: Request): boolean =>
  request.method === 'GET' && (request.headers.get('accept') ?? '').includes('text/html')

/** Renders a page with the error and the failing source line.
 *  @param trace Deno's stack trace; its first line is the message.
 *  @param folder The folder that file names are relative to. */
async function errorPage(
  status: number,
  title: string,
  { trace, folder }: { readonly trace: string; readonly folder: string },
): Promise<Response> {
  const place = placeIn(trace)
  const shown = place && relative(folder, place.file)
  const body = [
    `<h1>${status} ${escapeHtml(title)}</h1>`,
    ...(place ? [`<p><b>${escapeHtml(`${shown}:${place.line}:${place.column}`)}</b></p>`, await excerpt(place)] : []),
    `<pre>${escapeHtml(trace)}</pre>`,
  ]
  const html = `<!doctype html><meta charset="utf-8"><title>${status} ${escapeHtml(title)}</title><style>${STYLE}</style>${body.join('')}`
  return new Response(html, { status, headers: { 'content-type': 'text/html; charset=utf-8' } })
}

const STYLE =
  'body{font:16px/1.5 system-ui;margin:3rem auto;max-width:60rem;padding:0 1rem}pre{overflow:auto;padding:1rem;background:#8881;border-radius:.5rem}mark{background:#f603}'

async function excerpt({ file, line }: SourcePlace): Promise<string> {
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n')
  const first = Math.max(0, line - 1 - AROUND)
  const numbered = lines.slice(first, line + AROUND).map((text, index) => {
    const number = first + index + 1
    const row = `${String(number).padStart(4)}  ${escapeHtml(text)}`
    return number === line ? `<mark>${row}</mark>` : row
  })
  return `<pre>${numbered.join('\n')}</pre>`
}

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`)

export type FunctionsOptions = {
  readonly identity: Identity
  readonly config: Config
  /** The project's `supabase/functions`; may be missing. */
  readonly folder: string
  /** The machine's environment and the project's files. */
  readonly env: Env
  /** The machine's environment alone. */
  readonly machine: Env
  /** SUPABASE_URL in functions. */
  readonly apiUrl: string
  /** SUPABASE_DB_URL in functions. */
  readonly dbUrl: string
  readonly log: Log
  readonly bodyLimit: number
  readonly limits?: Partial<Limits>
  /** Called for each request a function makes to another server. */
  readonly onCall?: ((call: FunctionCall) => void) | undefined
  /** Called before Deno is downloaded. */
  readonly onFetchingDeno?: () => void
}

export type Functions = Service & {
  readonly upgrade: UpgradeHandler
  /** Applies settings until the returned function is called. */
  serveWith(settings: ServeSettings): Promise<() => Promise<void>>
  /** Downloads what the functions need now.
   *  @returns all functions, each with the reason it can't boot, if any. */
  prepare(options?: { readonly boots: boolean }): Promise<readonly FunctionCheck[]>
  /** Returns the number of running processes; each ends a minute after its last request and task. */
  workers(): number
  /** Returns all functions, each with the reason it can't boot, if known yet. */
  known(): readonly FunctionState[]
  /** Returns a function's latest lines, oldest first; null for an unknown function. */
  linesOf(name: string): readonly FunctionLine[] | null
}

type Call = {
  readonly request: Request
  readonly url: URL
  readonly context: RequestContext
  readonly name: string
}

type Route = RoutePattern<'anyone' | 'function'> & {
  handle(call: Call, service: { run(call: Call): Promise<Response>; metrics: RequestMetrics }): Promise<Response>
}

const callFunction: Route['handle'] = (call, service) => service.run(call)

/** @see supabase/cli internal/functions/serve/templates/main.ts */
// biome-ignore format: a table
export const functionRoutes: readonly Route[] = [
  { method: '*', path: '/_internal/health', access: 'anyone', handle: async () => Response.json({ message: 'ok' }) },
  { method: '*', path: '/_internal/metric', access: 'anyone', handle: async (_call, { metrics }) => Response.json(metrics.read()) },
  { method: '*', path: '/{name}', access: 'function', handle: callFunction },
  { method: '*', path: '/{name}/{path...}', access: 'function', handle: callFunction },
  { method: WEBSOCKET, path: '/{name}', access: 'function', handle: callFunction },
  { method: WEBSOCKET, path: '/{name}/{path...}', access: 'function', handle: callFunction },
]

export const router = createRouter(functionRoutes)

/** If set, debuggers can attach at `[edge_runtime] inspector_port` and time limits are off. */
const INSPECT = 'UNDOCK_INSPECT_FUNCTIONS'
/** Header in which a worker reports an exception (deno/worker.js); removed from responses. */
const TRACE = 'x-undock-trace'
/** Milliseconds to wait for the reason of a broken connection. */
const REASON_DELAY = 1_000
/** Milliseconds before functions are read and their modules downloaded, which would delay the stack's first responses
 *  and is wasted on short-lived stacks. */
const WARM_UP_DELAY = 1_000

/** Serves `/functions/v1/NAME/…` from the project's functions, each started by its first request. */
export async function createFunctions(options: FunctionsOptions): Promise<Functions> {
  const { identity, log } = options
  const isInspected = Boolean(options.env[INSPECT])
  const limits = { ...DEFAULT_LIMITS, ...(isInspected ? INSPECTOR_LIMITS : {}), ...options.limits }
  const inspectorPort = isInspected ? options.config.edge_runtime.inspector_port : null
  const runtime = new Runtime({ onFetchingDeno: () => undefined, ...options, limits, inspectorPort })
  const metrics = createRequestMetrics(() => runtime.workerCounts)
  let started: Promise<void> | undefined
  const start = (): Promise<void> => {
    clearTimeout(warming)
    started ??= runtime.start()
    return started
  }
  const warming = setTimeout(start, WARM_UP_DELAY)

  /** The refusal of an unauthorized request, or null. */
  async function refusal(
    access: Route['access'],
    { request, name }: Pick<Call, 'request' | 'name'>,
  ): Promise<Response | null> {
    if (access === 'anyone') return null
    const spec = await runtime.find(name)
    if (!spec) return notFound()
    return spec.verifyJwt ? tokenRefusal(request, identity) : null
  }

  async function answer(request: Request, context: RequestContext): Promise<Response> {
    const url = new URL(request.url)
    const match = router.find(request.method, segmentsOf(url.pathname, PREFIX))
    if (match.kind !== 'found') return notFound()
    const call = { request, url, context, name: match.params.name ?? '' }
    return (await refusal(match.route.access, call)) ?? match.route.handle(call, { run, metrics })
  }

  async function run({ request, url, context, name }: Call): Promise<Response> {
    const worker = await runtime.worker(name)
    if (!worker) return notFound()
    const { abort, began, end } = watchCall(request, limits.response, () => new RelayError('TIMEOUT'))
    const untrack = worker.track((error) => abort.abort(error))
    if (runtime.isOneshot) void worker.retire('termination', { hurry: false })
    const done = () => {
      end()
      untrack()
    }
    try {
      const port = await worker.port
      const response = await forward(request, {
        server: new URL(`http://127.0.0.1:${port}`),
        path: ownPath(url),
        headers: forwardedHeaders(request, url, context, identity),
        bodyLimit: options.bodyLimit,
        signal: abort.signal,
      })
      began()
      const trace = response.headers.get(TRACE)
      if (trace !== null) {
        response.headers.delete(TRACE)
        if (wantsPage(request)) {
          done()
          await response.body?.cancel()
          return errorPage(response.status, response.statusText, {
            trace: decodeURIComponent(trace),
            folder: options.folder,
          })
        }
      }
      return watchBody(response, done)
    } catch (error) {
      const isExplained = error instanceof RelayError || error instanceof BodyTooLargeError || abort.signal.aborted
      // The connection usually breaks because the worker ended; the reason arrives slightly later.
      if (!isExplained) await Promise.race([once(abort.signal, 'abort'), sleep(REASON_DELAY)])
      done()
      if (error instanceof RelayError) throw error
      if (error instanceof BodyTooLargeError) throw new RelayError('BODY_TOO_LARGE', { cause: error })
      throw abort.signal.reason instanceof RelayError
        ? abort.signal.reason
        : new RelayError('WORKER_ERROR', { cause: error })
    }
  }

  async function respond(request: Request, context: RequestContext): Promise<Response> {
    try {
      return await answer(request, context)
    } catch (error) {
      if (error instanceof RelayError) return refuse(error, request)
      log.error('functions: request failed', error, { requestId: context.requestId })
      return relayResponse(new RelayError('WORKER_ERROR'))
    }
  }

  /** Browsers get a page showing the failing source line. */
  function refuse(error: RelayError, request: Request): Response | Promise<Response> {
    if (!wantsPage(request) || typeof error.cause !== 'string') return relayResponse(error)
    return errorPage(error.status, error.message, { trace: error.cause, folder: options.folder })
  }

  async function join(incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const request = handshakeOf(incoming)
    if (!request) return refuseUpgrade(socket, 400)
    const url = new URL(request.url)
    const match = router.find(WEBSOCKET, segmentsOf(url.pathname, PREFIX))
    if (match.kind !== 'found') return refuseUpgrade(socket, 404)
    const { name = '' } = match.params
    const refused = await refusal(match.route.access, { request, name })
    if (refused) return refuseUpgrade(socket, refused.status)
    const worker = await runtime.worker(name)
    if (!worker) return refuseUpgrade(socket, 404)
    const port = await worker.port
    if (runtime.isOneshot) {
      socket.once(
        'close',
        worker.track(() => socket.destroy()),
      )
      void worker.retire('termination', { hurry: false })
    }
    tunnel(incoming, socket, head, { server: new URL(`http://127.0.0.1:${port}`), path: ownPath(url) })
  }

  return {
    handle: (request, context) => metrics.count(() => respond(request, context)),
    upgrade: (request, socket, head) => {
      socket.on('error', () => socket.destroy())
      join(request, socket, head).catch((error) => {
        if (!(error instanceof RelayError)) log.error('functions: upgrade failed', error)
        refuseUpgrade(socket, 503)
      })
    },
    serveWith: (settings) => runtime.serveWith(settings),
    async prepare(options) {
      await start()
      return runtime.check(undefined, options)
    },
    workers: () => runtime.processes,
    known: () => runtime.known,
    linesOf: (name) => runtime.linesOf(name),
    // Functions have their own database connections, and nothing here reads the database.
    onDatabaseReplaced: async () => undefined,
    close() {
      clearTimeout(warming)
      return runtime.close()
    },
  }
}
