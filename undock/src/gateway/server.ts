import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingMessage, type ServerOptions } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { HTTP_LIMITS, handshakeOf, refuseUpgrade, type Use, watchUse, withNodeRequest } from '../kernel/node-http.ts'
import type { UpgradeHandler } from '../kernel/service.ts'
import type { Certificate } from '../platform/certificate.ts'
import { type Connections, watchConnections } from './connections.ts'
import { type Gateway, serviceName } from './gateway.ts'

export type UpgradeOf = (service: string, request: Request) => UpgradeHandler | null

export type Listener = {
  readonly port: number
  readonly connections: Connections
  /** Counts requests and sockets from the call on. */
  watchUse(): () => Use
  /** Starts answering, beginning with requests that already arrived. */
  attach(gateway: Gateway, upgradeOf: UpgradeOf): void
  /** Asks each client to open a new connection after its next response.
   *  @param accepts False if other processes get the new connections from now on. */
  retire(accepts: boolean): void
  /** Stops accepting connections, and ends the open ones after their current response.
   *  @param limit Milliseconds after which the rest is cut off.
   *  @returns whether all requests were answered. */
  drain(limit: number): Promise<boolean>
  /** Stops answering requests. Upgraded sockets stay open so their service can close them properly. */
  endRequests(): void
  close(): Promise<void>
}

const OPTIONS: ServerOptions = { ...HTTP_LIMITS, keepAliveTimeout: 65_000 }
/** Milliseconds allowed for a TLS handshake. */
const HANDSHAKE_TIMEOUT = 20_000
/** Milliseconds that a client may go on sending a request after its response. */
const UPLOAD_TIMEOUT = 60_000

export type ListenOptions = {
  /** If set, the server speaks TLS only. */
  readonly certificate?: Certificate | null
  /** Returns the client's address; defaults to the connection's. */
  readonly addressOf?: (request: IncomingMessage) => string
}

const connectionAddress = ({ socket }: IncomingMessage): string => socket.remoteAddress ?? ''

/** Discards what a client still sends after its response: a closed connection would look like a network failure. */
function receiveRest(incoming: IncomingMessage): void {
  if (incoming.complete) return
  const timer = setTimeout(() => incoming.socket.destroySoon(), UPLOAD_TIMEOUT).unref()
  incoming.once('close', () => clearTimeout(timer)).resume()
}

/** Binds the API's port early, because other parts need to know it.
 *  @param port 0 picks a free port.
 *  @throws {Error} EADDRINUSE */
export async function listen(
  host: string,
  port: number,
  { certificate = null, addressOf = connectionAddress }: ListenOptions = {},
): Promise<Listener> {
  let isDraining = false
  let requests = 0
  let onAnswered: () => void = () => undefined
  let attached: (gateway: Gateway) => void = () => undefined
  const ready = new Promise<Gateway>((resolve) => {
    attached = resolve
  })
  let upgradeOf: UpgradeOf = () => null
  const answer = getRequestListener(
    async (request, sides) => {
      const { incoming, outgoing } = sides as HttpBindings
      requests += 1
      outgoing.once('close', () => {
        requests -= 1
        if (requests === 0) onAnswered()
      })
      outgoing.once('finish', () => receiveRest(incoming))
      if (isDraining) outgoing.setHeader('connection', 'close')
      return (await ready)(withNodeRequest(request, incoming), {
        address: addressOf(incoming),
        setHeader: (name, value) => outgoing.setHeader(name, value),
        setReasonPhrase: (text) => {
          outgoing.statusMessage = text
        },
      })
    },
    // `receiveRest` instead: the library's own clean-up closes the connection after half a second.
    { autoCleanupIncoming: false },
  )
  const server = certificate
    ? createHttpsServer({ ...OPTIONS, ...certificate, handshakeTimeout: HANDSHAKE_TIMEOUT }, answer)
    : createHttpServer(OPTIONS, answer)
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy())
    void ready.then(() => {
      // Functions get it as their caller's.
      request.headers['x-forwarded-for'] = addressOf(request)
      const handshake = handshakeOf(request)
      const handler = handshake && upgradeOf(serviceName(request.url ?? ''), handshake)
      if (handler) return handler(request, socket, head)
      refuseUpgrade(socket, 404)
    })
  })
  const connections = watchConnections(server)
  const closed = new Promise<void>((resolve) => server.once('close', resolve))
  const endRequests = (): void => {
    if (server.listening) server.close()
    server.closeAllConnections()
  }
  server.listen(port, host)
  await once(server, 'listening')
  return {
    connections,
    watchUse: () => watchUse(server),
    port: (server.address() as AddressInfo).port,
    attach(gateway, upgrades) {
      upgradeOf = upgrades
      attached(gateway)
    },
    retire(accepts) {
      isDraining = true
      // The method of node:http would also cut off connections that have just been opened.
      if (!accepts) Server.prototype.close.call(server)
    },
    async drain(limit) {
      isDraining = true
      if (server.listening) server.close()
      server.closeIdleConnections()
      if (requests === 0) return true
      const answered = new Promise<void>((resolve) => {
        onAnswered = resolve
      })
      return Promise.race([answered.then(() => true), sleep(limit, false)])
    },
    endRequests,
    async close() {
      endRequests()
      await connections.drop()
      await closed
    },
  }
}
