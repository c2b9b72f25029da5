import type { RequestContext, Service } from '../kernel/service.ts'
import { allowOrigin, preflight } from './cors.ts'

export type AccessEntry = {
  readonly method: string
  /** The path alone: query strings carry tokens. */
  readonly path: string
  readonly service: string
  readonly status: number
  /** Milliseconds until the headers were ready. */
  readonly duration: number
  readonly requestId: string
}

export type GatewayOptions = {
  /** Services by their first path segment: `rest` answers `/rest/v1/…`. */
  readonly services: Readonly<Record<string, Service>>
  /** Services that config.toml or `--exclude` turned off; they answer 503 and say so. */
  readonly disabled: ReadonlySet<string>
  record(entry: AccessEntry): void
}

export type Gateway = (request: Request, address: string) => Promise<Response>

const PREFIX = /^\/([a-z-]+)\/v1(?:\/|$)/

/** The one entrance: finds the service by the first path segment, names the request, and lets browsers in. */
export function createGateway({ services, disabled, record }: GatewayOptions): Gateway {
  return async (request, address) => {
    const started = performance.now()
    const path = pathOf(request.url)
    const name = serviceName(path)
    const context: RequestContext = { requestId: crypto.randomUUID(), address }
    const response = label(preflight(request) ?? (await answer(name, request, context)), context.requestId)
    record({
      method: request.method,
      path,
      service: name || 'gateway',
      status: response.status,
      duration: performance.now() - started,
      requestId: context.requestId,
    })
    return response
  }

  async function answer(name: string, request: Request, context: RequestContext): Promise<Response> {
    const service = services[name]
    if (service) return service(request, context)
    if (disabled.has(name)) return refuse(503, `The service "${name}" is turned off for this project`)
    if (name === 'graphql')
      return refuse(501, 'GraphQL needs the extension pg_graphql, which the embedded engine cannot load')
    return refuse(404, 'no Route matched with those values')
  }
}

/** Puts the gateway's headers on. The headers of a response that came from `fetch` (a function's) refuse that: it gets
 *  others. Nothing else of a response may be looked at here, or the server could no longer write it without a stream. */
function label(response: Response, requestId: string): Response {
  const put = ({ headers }: Response): void => {
    headers.set('sb-request-id', requestId)
    allowOrigin(headers)
  }
  try {
    put(response)
    return response
  } catch {
    const own = new Response(response.body, response)
    put(own)
    return own
  }
}

/** The service that a path belongs to, by its first segment; empty when it names none. */
export function serviceName(path: string): string {
  if (path.startsWith('/.well-known/oauth-authorization-server')) return 'auth'
  return PREFIX.exec(path)?.[1] ?? ''
}

/** Cheaper than a URL object, which the services make where they need one. */
function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  const end = url.indexOf('?', start)
  return end === -1 ? url.slice(start) : url.slice(start, end)
}

const refuse = (status: number, message: string): Response => Response.json({ message }, { status })
