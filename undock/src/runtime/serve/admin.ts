import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import type { AccessEntry } from '../../gateway/gateway.ts'
import { HTTP_LIMITS } from '../../kernel/node-http.ts'

export type AdminOptions = {
  readonly host: string
  readonly port: number
  /** The text that Prometheus reads. */
  metrics(): Promise<string>
  /** Why the node isn't ready for requests; null if it is. */
  unreadiness(): Promise<string | null>
}

export type Admin = { readonly port: number; close(): Promise<void> }

/** Starts the endpoints for load balancers, supervisors and Prometheus, on a port not meant for clients:
 *  - `/health`: whether the process answers;
 *  - `/ready`: whether it accepts requests, else 503 with the reason;
 *  - `/metrics`. */
export async function startAdmin({ host, port, metrics, unreadiness }: AdminOptions): Promise<Admin> {
  const server = createServer(HTTP_LIMITS, (request, response) => {
    const answer = async (): Promise<void> => {
      const { pathname } = new URL(request.url ?? '/', 'http://localhost')
      const isRead = request.method === 'GET' || request.method === 'HEAD'
      response.setHeader('content-type', 'text/plain; charset=utf-8')
      if (isRead && pathname === '/health') response.end('ok\n')
      else if (isRead && pathname === '/ready') {
        const reason = await unreadiness()
        response.statusCode = reason === null ? 200 : 503
        response.end(`${reason ?? 'ready'}\n`)
      } else if (isRead && pathname === '/metrics') {
        response.setHeader('content-type', Registry.PROMETHEUS_CONTENT_TYPE)
        response.end(await metrics())
      } else {
        response.statusCode = 404
        response.end('There are /health, /ready and /metrics\n')
      }
    }
    answer().catch(() => {
      response.statusCode = 500
      response.end()
    })
  })
  server.listen(port, host)
  await once(server, 'listening')
  const address = server.address()
  return { port: typeof address === 'object' && address ? address.port : port, close: () => close(server) }
}

function close(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}

/** Metrics of one process, which another can aggregate. */
export type MetricValues = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** A node's Prometheus metrics. */
type Metrics = {
  text(): Promise<string>
  values(): Promise<MetricValues>
  countRequest(entry: AccessEntry): void
}

/** Seconds: from a cached read to an upload. */
const DURATIONS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const requests = new Counter({
    name: 'undock_requests_total',
    help: 'Requests by service and status.',
    labelNames: ['service', 'status'],
    registers: [registry],
  })
  const durations = new Histogram({
    name: 'undock_request_duration_seconds',
    help: 'Time until the headers of a response were ready.',
    labelNames: ['service'],
    buckets: DURATIONS,
    registers: [registry],
  })
  return {
    text: () => registry.metrics(),
    values: () => registry.getMetricsAsJSON(),
    countRequest({ service, status, duration }) {
      requests.inc({ service, status })
      durations.observe({ service }, duration / 1_000)
    },
  }
}
