import { type IncomingMessage, type Server, type ServerOptions, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'

const nodeRequests = new WeakMap<Request, IncomingMessage>()

/** Attaches Node's message to its `Request`. Node's bridge to web streams copies every byte twice, so services with
 *  large bodies read the message, and then never `request.body`. */
export const withNodeRequest = (request: Request, message: IncomingMessage): Request => {
  nodeRequests.set(request, message)
  return request
}

/** Returns Node's message; undefined for a request without a socket. */
export const nodeRequestOf = (request: Request): IncomingMessage | undefined => nodeRequests.get(request)

/** Returns whether reading failed because the client closed the connection, so that no response is needed. */
export const isClientAbort = (error: unknown): boolean =>
  error instanceof Error && error.message === 'aborted' && 'code' in error && error.code === 'ECONNRESET'

/** Returns a WebSocket's handshake as a request without a body; null if its address or headers are invalid. */
export function handshakeOf({ url, headersDistinct }: IncomingMessage): Request | null {
  try {
    const headers = Object.entries(headersDistinct).flatMap(([name, values]) =>
      (values ?? []).map((value): [string, string] => [name, value]),
    )
    return new Request(new URL(url ?? '/', `http://${headersDistinct.host?.[0] ?? 'localhost'}`), { headers })
  } catch {
    return null
  }
}

/** Refuses a handshake and closes its socket. */
export function refuseUpgrade(socket: Duplex, status: number): void {
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}

/** How much a part of a stack is used. @property open What is being answered or connected now. @property total What ever was. */
export type Use = { readonly open: number; readonly total: number }

/** Counts a server's requests and upgraded sockets from now on. */
export function watchUse(server: Server): () => Use {
  let open = 0
  let total = 0
  const count = (one: NodeJS.EventEmitter): void => {
    open += 1
    total += 1
    one.once('close', () => {
      open -= 1
    })
  }
  server.on('request', (_request, response) => count(response))
  server.on('upgrade', (_request, socket) => count(socket))
  return () => ({ open, total })
}

/** Limits of every HTTP server. Long uploads are legitimate, but without a request timeout Node has none for headers. */
export const HTTP_LIMITS = {
  requestTimeout: 0,
  headersTimeout: 20_000,
  connectionsCheckingInterval: 5_000,
  // Clients that offer HTTP/2 (curl, Java) get an answer in HTTP/1.1 (from Node 24.9 on).
  shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket',
} as const satisfies ServerOptions
