import type { RequestContext, RequestHandler } from '../kernel/service.ts'
import { traceContextOf } from '../kernel/tracer.ts'
import { splitUrl } from '../kernel/url.ts'
import { answerPreflight, CORS_HEADERS, isPreflight } from './cors.ts'
import { type ForeignPages, OWN_ROUTES } from './foreign-pages.ts'

export type AccessEntry = {
  readonly method: string
  /** Without the query string, which may carry tokens. */
  readonly path: string
  readonly service: string
  readonly status: number
  /** Milliseconds until the headers were sent. */
  readonly duration: number
  readonly requestId: string
  /** From the client's `traceparent` (W3C Trace Context); null if absent. */
  readonly traceId: string | null
}

export type GatewayOptions = {
  /** By first path segment: `rest` serves `/rest/v1/…`. */
  readonly handlers: ReadonlyMap<string, RequestHandler>
  /** Services turned off by config.toml or `--exclude`; they answer 503. */
  readonly disabled: ReadonlySet<string>
  readonly foreignPages: ForeignPages
  record(entry: AccessEntry): void
}

type ClientConnection = {
  readonly address: string
  /** Sets a response header unless the service sets it. */
  setHeader(name: string, value: string): void
  /** Passed separately because reading it from a `Response` would build the response again. */
  readonly setReasonPhrase?: ((text: string) => void) | undefined
}

export type Gateway = (request: Request, connection: ClientConnection) => Promise<Response>

const PREFIX = /^\/([a-z-]+)\/v1(?:\/|$)/

/** Routes requests by their first path segment, assigns ids and answers CORS preflights. */
export function createGateway({ handlers, disabled, foreignPages, record }: GatewayOptions): Gateway {
  return async (request, { address, setHeader, setReasonPhrase }) => {
    const started = performance.now()
    const { pathname: path } = splitUrl(request.url)
    const name = serviceName(path)
    const context: RequestContext = { requestId: crypto.randomUUID(), address, setReasonPhrase }
    if (!OWN_ROUTES.has(name)) for (const [header, value] of CORS_HEADERS) setHeader(header, value)
    setHeader('sb-request-id', context.requestId)
    const response = await answer(name, request, context)
    record({
      method: request.method,
      path,
      service: name || 'gateway',
      status: response.status,
      duration: performance.now() - started,
      requestId: context.requestId,
      traceId: request.headers.has('traceparent') ? traceContextOf(request.headers, context.requestId).traceId : null,
    })
    return response
  }

  async function answer(name: string, request: Request, context: RequestContext): Promise<Response> {
    if (foreignPages.refuses(request, name)) return refuse(403, FOREIGN)
    if (isPreflight(request) && !OWN_ROUTES.has(name))
      return answerPreflight(request, { isForeign: foreignPages.isForeign(request) })
    const handle = handlers.get(name)
    if (handle) return handle(request, context)
    if (disabled.has(name)) return refuse(503, `The service "${name}" is turned off for this project`)
    const missing = MISSING.get(name)
    if (missing !== undefined) return refuse(501, missing)
    return refuse(404, 'no Route matched with those values')
  }
}

/** Why undock lacks some services of `supabase start`. */
const MISSING = new Map([
  ['graphql', 'GraphQL needs the extension pg_graphql, which undock does not include'],
  [
    'analytics',
    'Logs cannot be queried by SQL here, because those queries are in the dialect of ClickHouse. `undock logs` prints the logs, and the console queries them in SQL of Postgres.',
  ],
])

const FOREIGN =
  'Web pages of other machines, and requests to other host names than that of this machine, cannot use the secret key or the endpoints of undock itself, and the project’s SQL cannot use those endpoints. If the page is yours, add its address to allowed_origins in supabase/undock.toml.'

/** Returns the service for a path, by its first segment; empty if there is none.
 *  @see supabase/cli internal/start/templates/kong.yml */
export function serviceName(path: string): string {
  if (path.startsWith('/.well-known/oauth-authorization-server')) return 'auth'
  if (path.startsWith('/pg/')) return 'pg'
  if (path === '/mcp' || path === '/mcp/') return 'mcp'
  return PREFIX.exec(path)?.[1] ?? ''
}

const refuse = (status: number, message: string): Response => Response.json({ message }, { status })
