import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { HTTP_LIMITS } from '../../kernel/http-limits.ts'
import type { Metrics } from './metrics.ts'

export type AdminOptions = {
  readonly host: string
  readonly port: number
  readonly metrics: Metrics
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
        response.setHeader('content-type', metrics.contentType)
        response.end(await metrics.text())
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
