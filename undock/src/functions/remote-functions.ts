import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Config } from '../config/config.ts'
import type { Identity } from '../identity/identity.ts'
import { handshakeOf, refuseUpgrade } from '../kernel/node-http.ts'
import { BodyTooLargeError } from '../kernel/request-body.ts'
import { segmentsOf, WEBSOCKET } from '../kernel/router.ts'
import type { Log, RequestContext, Service, UpgradeHandler } from '../kernel/service.ts'
import { ServiceError } from '../kernel/service-error.ts'
import { forwardedHeaders, ownPath, PREFIX, tokenRefusal, watchBody, watchCall } from './calls.ts'
import { NAME } from './catalogue.ts'
import { DEFAULT_LIMITS } from './function-worker.ts'
import { router } from './index.ts'
import { forward, tunnel } from './proxy.ts'
import { notFound, RelayError, relayResponse } from './relay-error.ts'

// Responses when the endpoint gives none: statuses and texts match the gateway of hosted functions.
const CATALOGUE = {
  unreachable: [502, 'An invalid response was received from the upstream server'],
  unknown_host: [503, 'name resolution failed'],
  late: [504, 'The upstream server is timing out'],
} as const satisfies Record<string, readonly [status: number, message: string]>

function gatewayError(code: keyof typeof CATALOGUE, cause?: unknown): ServiceError {
  const [status, message] = CATALOGUE[code]
  return new ServiceError(code, status, message, { cause })
}

export type RemoteFunctionsOptions = {
  readonly identity: Identity
  /** Which functions require a token; unlisted ones do. */
  readonly functions: Config['functions']
  /** Serves `/NAME/…`, below its path if it has one. */
  readonly endpoint: URL
  readonly bodyLimit: number
  /** Milliseconds within which the response must begin; defaults to hosted projects' limit. */
  readonly responseLimit?: number
  readonly log: Log
}

/** Serves `/functions/v1/NAME/…` from functions running elsewhere, such as several edge-runtime servers behind a load
 *  balancer. Tokens are verified here, as config.toml says. */
export function createRemoteFunctions({
  identity,
  functions,
  endpoint,
  bodyLimit,
  responseLimit = DEFAULT_LIMITS.response,
  log,
}: RemoteFunctionsOptions): Service & { readonly upgrade: UpgradeHandler } {
  const pathOf = (url: URL): string => endpoint.pathname.replace(/\/$/, '') + ownPath(url)

  /** Why a request isn't forwarded; null if it is. */
  async function refusal(request: Request, method = request.method): Promise<Response | null> {
    const match = router.find(method, segmentsOf(new URL(request.url).pathname, PREFIX))
    if (match.kind !== 'found') return notFound()
    if (match.route.access === 'anyone') return null
    const { name = '' } = match.params
    // Other spellings of a name would bypass its settings.
    if (!NAME.test(name)) return notFound()
    const settings = Object.hasOwn(functions, name) ? functions[name] : undefined
    if (settings?.enabled === false) return notFound()
    return (settings?.verify_jwt ?? true) ? tokenRefusal(request, identity) : null
  }

  async function run(request: Request, context: RequestContext): Promise<Response> {
    const url = new URL(request.url)
    const { abort, began, end } = watchCall(request, responseLimit, () => gatewayError('late'))
    const headers = forwardedHeaders(request, url, context, identity)
    // Load balancers route by host.
    headers.set('host', endpoint.host)
    try {
      const response = await forward(request, {
        server: endpoint,
        path: pathOf(url),
        headers,
        bodyLimit,
        signal: abort.signal,
      })
      began()
      return watchBody(response, end)
    } catch (error) {
      end()
      throw error
    }
  }

  async function handle(request: Request, context: RequestContext): Promise<Response> {
    try {
      return (await refusal(request)) ?? (await run(request, context))
    } catch (error) {
      if (error instanceof BodyTooLargeError) return relayResponse(new RelayError('BODY_TOO_LARGE'))
      const { status, message } = error instanceof ServiceError ? error : failureOf(error)
      log.error(`functions: ${endpoint.host} did not respond`, error, { requestId: context.requestId })
      return Response.json({ message }, { status })
    }
  }

  async function join(incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const request = handshakeOf(incoming)
    if (!request) return refuseUpgrade(socket, 400)
    const refused = await refusal(request, WEBSOCKET)
    if (refused) return refuseUpgrade(socket, refused.status)
    tunnel(incoming, socket, head, {
      server: endpoint,
      path: pathOf(new URL(request.url)),
      headers: { host: endpoint.host, 'x-forwarded-host': new URL(request.url).hostname },
    })
  }

  return {
    handle,
    upgrade(request, socket, head) {
      socket.on('error', () => socket.destroy())
      join(request, socket, head).catch((error: unknown) => {
        log.error('functions: upgrade failed', error)
        refuseUpgrade(socket, 503)
      })
    },
    onDatabaseReplaced: async () => undefined,
    close: async () => undefined,
  }
}

const failureOf = (error: unknown): ServiceError =>
  /^(?:ENOTFOUND|EAI_AGAIN)$/.test(codeOf(error))
    ? gatewayError('unknown_host', error)
    : gatewayError('unreachable', error)

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

/** Milliseconds an endpoint has to respond. */
const PROBE_LIMIT = 5_000

/** Returns why the endpoint can't be used, or null. A gateway without servers counts as a problem. */
export async function endpointProblem(endpoint: URL): Promise<string | null> {
  const address = new URL(`${endpoint.href.replace(/\/$/, '')}/_internal/health`)
  try {
    const { status } = await fetch(address, { signal: AbortSignal.timeout(PROBE_LIMIT), redirect: 'manual' })
    return status >= 502 && status <= 504 ? `it answers ${status}` : null
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    return cause instanceof Error ? cause.message : String(cause)
  }
}
