import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Config } from '../config/config.ts'
import { type Identity, TokenError } from '../identity/identity.ts'
import type { Log, RequestContext, Service } from '../kernel/service.ts'
import type { FunctionSpec } from './catalogue.ts'
import { errorPage, wantsPage } from './error-page.ts'
import { DEFAULT_LIMITS, INSPECTED, type Limits } from './function-worker.ts'
import { forward, tunnel } from './proxy.ts'
import { notFound, RelayError, relayResponse, relayStatus, unauthorized } from './relay-error.ts'
import { Runtime } from './runtime.ts'

export type FunctionsOptions = {
  readonly identity: Identity
  readonly config: Config
  /** The project's `supabase/functions`; it need not exist. */
  readonly folder: string
  /** The environment of the stack; functions see none of it. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** What functions get as SUPABASE_URL. */
  readonly apiUrl: string
  /** What functions get as SUPABASE_DB_URL. */
  readonly dbUrl: string
  readonly log: Log
  readonly limits?: Partial<Limits>
}

export type Functions = {
  readonly handle: Service
  /** WebSockets: hands the client's socket to the function, or refuses on it. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  close(): Promise<void>
}

const PREFIX = '/functions/v1/'
/** Set to anything, it opens `[edge_runtime] inspector_port` to debuggers and lifts the limits on time. */
const INSPECT = 'UNDOCK_INSPECT_FUNCTIONS'
/** By which a worker tells what its function threw; it goes no further (deno/worker.js). */
const TRACE = 'x-undock-trace'
/** Milliseconds: starting Deno shall not delay the stack's first answers, nor be paid for by a stack that lives shorter. */
const WARM_UP_DELAY = 1_000

/** Serves `/functions/v1/NAME/…` from the project's functions. Deno is started in the background; a function at its
 *  first request. */
export async function createFunctions(options: FunctionsOptions): Promise<Functions> {
  const { identity, log } = options
  const isInspected = Boolean(options.env[INSPECT])
  const limits = { ...DEFAULT_LIMITS, ...(isInspected ? INSPECTED : {}), ...options.limits }
  const inspectorPort = isInspected ? options.config.edge_runtime.inspector_port : null
  const runtime = new Runtime({ ...options, limits, inspectorPort })
  if (inspectorPort !== null) log.info(`functions: a debugger may attach to 127.0.0.1:${inspectorPort}`)
  const warming = setTimeout(() => void runtime.start(), WARM_UP_DELAY)

  /** Who may not pass, and what to tell them. */
  async function refusal(request: Request, spec: FunctionSpec): Promise<Response | null> {
    if (!spec.verifyJwt || request.method === 'OPTIONS') return null
    const credential = identity.credential(request)
    if (credential === null) return unauthorized('Error: Missing authorization header')
    try {
      await identity.verify(credential)
      return null
    } catch (error) {
      if (error instanceof TokenError) return unauthorized('Invalid JWT')
      throw error
    }
  }

  async function answer(request: Request, context: RequestContext): Promise<Response> {
    const url = new URL(request.url)
    const { name, path } = split(url)
    const spec = await runtime.find(name)
    if (!spec) return notFound()
    const refused = await refusal(request, spec)
    if (refused) return refused
    const worker = await runtime.worker(name)
    if (!worker) return notFound()
    const abort = new AbortController()
    const untrack = worker.track((error) => abort.abort(error))
    if (runtime.isOneshot) void worker.retire('termination', { hurry: false })
    const late = setTimeout(() => abort.abort(new RelayError('TIMEOUT')), limits.response)
    const gone = () => abort.abort(request.signal.reason)
    request.signal.addEventListener('abort', gone)
    const done = () => {
      clearTimeout(late)
      request.signal.removeEventListener('abort', gone)
      untrack()
    }
    try {
      const port = await worker.port
      const headers = forwardedHeaders(request, url, context)
      const response = await forward(request, { port, path, headers, signal: abort.signal })
      clearTimeout(late)
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
      done()
      if (error instanceof RelayError) throw error
      // The connection broke: the worker ended, and says in a moment of what.
      await new Promise((resolve) => setTimeout(resolve, 20))
      throw abort.signal.reason instanceof RelayError
        ? abort.signal.reason
        : new RelayError('WORKER_ERROR', { cause: error })
    }
  }

  function forwardedHeaders(request: Request, url: URL, { address, requestId }: RequestContext): Headers {
    const headers = new Headers(request.headers)
    headers.set('host', request.headers.get('host') ?? url.host)
    headers.set('x-forwarded-for', address)
    headers.set('x-forwarded-host', url.hostname)
    headers.set('x-forwarded-port', url.port || (url.protocol === 'https:' ? '443' : '80'))
    headers.set('x-forwarded-proto', url.protocol.slice(0, -1))
    headers.set('x-request-id', requestId)
    // Functions verify or pass on the bearer token: an opaque key arrives as the token it stands for.
    const credential = identity.credential(request)
    const { keys } = identity
    const token = credential === keys.publishable ? keys.anon : credential === keys.secret ? keys.serviceRole : null
    if (token !== null) headers.set('authorization', `Bearer ${token}`)
    return headers
  }

  async function handle(request: Request, context: RequestContext): Promise<Response> {
    try {
      return await answer(request, context)
    } catch (error) {
      if (error instanceof RelayError) return refuse(error, request)
      log.error('functions: request failed', error, { requestId: context.requestId })
      return relayResponse(new RelayError('WORKER_ERROR'))
    }
  }

  /** A person in front of a browser is shown where in the source it went wrong. */
  function refuse(error: RelayError, request: Request): Response | Promise<Response> {
    if (!wantsPage(request) || typeof error.cause !== 'string') return relayResponse(error)
    return errorPage(relayStatus(error), error.message, { trace: error.cause, folder: options.folder })
  }

  async function join(incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const url = new URL(incoming.url ?? '/', `http://${incoming.headers.host ?? 'localhost'}`)
    const headers = Object.entries(incoming.headersDistinct).flatMap(([key, values]) =>
      (values ?? []).map((value): [string, string] => [key, value]),
    )
    const request = new Request(url, { headers })
    const { name, path } = split(url)
    const spec = await runtime.find(name)
    if (!spec) return refuseUpgrade(socket, 404)
    if (await refusal(request, spec)) return refuseUpgrade(socket, 401)
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
    tunnel(incoming, socket, head, port, path)
  }

  return {
    handle,
    upgrade: (request, socket, head) => {
      socket.on('error', () => socket.destroy())
      join(request, socket, head).catch((error) => {
        if (!(error instanceof RelayError)) log.error('functions: upgrade failed', error)
        refuseUpgrade(socket, 503)
      })
    },
    close() {
      clearTimeout(warming)
      return runtime.close()
    },
  }
}

/** `/functions/v1/NAME/rest?query`: the function sees `/NAME/rest?query`, as hosted ones do. */
function split(url: URL): { name: string; path: string } {
  const path = url.pathname.startsWith(PREFIX) ? url.pathname.slice(PREFIX.length) : ''
  return { name: path.split('/')[0] ?? '', path: `/${path}${url.search}` }
}

/** A request is open until the last byte of its response is out, or nobody wants it any more. */
function watchBody(response: Response, done: () => void): Response {
  if (response.body === null) {
    done()
    return response
  }
  const reader = response.body.getReader()
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const { done: ended, value } = await reader.read()
          if (value) controller.enqueue(value)
          if (!ended) return
          controller.close()
          done()
        } catch (error) {
          done()
          controller.error(error)
        }
      },
      cancel: async (reason) => {
        done()
        await reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(body, response)
}

const REASONS: Readonly<Record<number, string>> = { 401: 'Unauthorized', 404: 'Not Found', 503: 'Service Unavailable' }

function refuseUpgrade(socket: Duplex, status: number): void {
  socket.end(`HTTP/1.1 ${status} ${REASONS[status] ?? ''}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`)
}
