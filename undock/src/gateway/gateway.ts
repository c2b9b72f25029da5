import type { RequestContext, Service } from '../kernel/service.ts'
import { splitUrl } from '../kernel/url.ts'
import { LABELS, preflight } from './cors.ts'

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

/** Where a request came from. */
export type Arrival = {
  readonly address: string
  /** Puts a header on the answer, in whose place the service's own of that name goes. */
  label(name: string, value: string): void
}

export type Gateway = (request: Request, arrival: Arrival) => Promise<Response>

const PREFIX = /^\/([a-z-]+)\/v1(?:\/|$)/

/** The one entrance: finds the service by the first path segment, names the request, and lets browsers in. */
export function createGateway({ services, disabled, record }: GatewayOptions): Gateway {
  return async (request, { address, label }) => {
    const started = performance.now()
    const { pathname: path } = splitUrl(request.url)
    const name = serviceName(path)
    const context: RequestContext = { requestId: crypto.randomUUID(), address }
    for (const [header, value] of LABELS) label(header, value)
    label('sb-request-id', context.requestId)
    const response = preflight(request) ?? (await answer(name, request, context))
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

/** The service that a path belongs to, by its first segment; empty when it names none. */
export function serviceName(path: string): string {
  if (path.startsWith('/.well-known/oauth-authorization-server')) return 'auth'
  return PREFIX.exec(path)?.[1] ?? ''
}

const refuse = (status: number, message: string): Response => Response.json({ message }, { status })
