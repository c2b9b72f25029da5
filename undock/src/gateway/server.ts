import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingMessage, type ServerOptions } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { arrivedBy } from '../kernel/arrival.ts'
import type { Certificate } from './certificate.ts'
import { type Connections, watchConnections } from './connections.ts'
import { type Gateway, serviceName } from './gateway.ts'

export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

export type Listener = {
  readonly port: number
  readonly connections: Connections
  /** From now on requests are answered; those that came before have waited. */
  attach(gateway: Gateway, upgradeOf: (service: string) => UpgradeHandler | null): void
  close(): Promise<void>
}

/** A long upload or download is no fault; a client that sends no headers is cut off by Node itself. */
const OPTIONS: ServerOptions = { requestTimeout: 0, keepAliveTimeout: 65_000 }

/** Takes the API's port, before anything that needs to know it.
 *  @param port 0 takes a free one.
 *  @param certificate Speaks TLS with it, and nothing else.
 *  @throws {Error} EADDRINUSE when the port is taken. */
export async function listen(host: string, port: number, certificate: Certificate | null = null): Promise<Listener> {
  let attached: (gateway: Gateway) => void = () => undefined
  const ready = new Promise<Gateway>((resolve) => {
    attached = resolve
  })
  let upgradeOf: (service: string) => UpgradeHandler | null = () => null
  const answer = getRequestListener(async (request, sides) => {
    const { incoming, outgoing } = sides as HttpBindings
    return (await ready)(arrivedBy(request, incoming), {
      address: incoming.socket.remoteAddress ?? '',
      label: (name, value) => outgoing.setHeader(name, value),
    })
  })
  const server = certificate
    ? createHttpsServer({ ...OPTIONS, ...certificate }, answer)
    : createHttpServer(OPTIONS, answer)
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy())
    void ready.then(() => {
      const handler = upgradeOf(serviceName(request.url ?? ''))
      if (handler) return handler(request, socket, head)
      socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
    })
  })
  const connections = watchConnections(server)
  server.listen(port, host)
  await once(server, 'listening')
  return {
    connections,
    port: (server.address() as AddressInfo).port,
    attach(gateway, upgrades) {
      upgradeOf = upgrades
      attached(gateway)
    },
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      return closed
    },
  }
}
