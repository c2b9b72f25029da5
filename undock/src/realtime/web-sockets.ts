import { type IncomingHttpHeaders, type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { WEBSOCKET } from '../kernel/router.ts'
import { ServiceError } from '../kernel/service-error.ts'
import type { Client } from './channel.ts'
import type { RealtimeDeps, Transport } from './deps.ts'
import { admitClient, refusal, refusalOf } from './handshake.ts'
import { findRoute } from './http.ts'
import type { OpenSockets } from './open-sockets.ts'
import { Outbox } from './protocol/outbox.ts'
import { Socket } from './socket.ts'

/** Maximum bytes per frame: above the payload limit, so oversized payloads get an error instead of a closed socket. */
const frameBytes = (payloadBytes: number) => payloadBytes + 2_000_000

export class WebSockets {
  readonly #deps: RealtimeDeps
  readonly #open: OpenSockets
  readonly #server: WebSocketServer

  constructor(deps: RealtimeDeps, open: OpenSockets) {
    this.#deps = deps
    this.#open = open
    this.#server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: frameBytes(deps.limits.payloadBytes),
    })
  }

  upgrade(request: IncomingMessage, connection: Duplex, head: Buffer): void {
    const drop = () => connection.destroy()
    connection.on('error', drop)
    this.#admit(request)
      .then((client) => {
        connection.off('error', drop)
        if (client instanceof ServiceError) return refuse(connection, client)
        this.#server.handleUpgrade(request, connection, head, (ws) => this.#start(ws, connection, client))
      })
      .catch((error) => refuse(connection, refusalOf(error, this.#deps)))
  }

  close(): void {
    this.#server.close()
  }

  /** @returns the client, or why it's refused. */
  #admit({ url, headers }: IncomingMessage): Promise<Client | ServiceError> {
    const task = { service: 'realtime', method: 'GET', path: url ?? '/', parent: null }
    return this.#deps.tracer.task(
      task,
      async (id) => {
        try {
          const { pathname, searchParams: query } = new URL(url ?? '', 'http://undock')
          if (findRoute(WEBSOCKET, pathname)?.kind !== 'found') throw refusal(404, 'Not Found')
          const handshake = { query, headers: headersOf(headers), open: this.#open, task: id }
          return await admitClient(handshake, this.#deps)
        } catch (error) {
          return refusalOf(error, this.#deps)
        }
      },
      (admitted) => (admitted instanceof ServiceError ? admitted.status : 101),
    )
  }

  #start(ws: WebSocket, network: Duplex, client: Client): void {
    const { log, limits, flushScheduler } = this.#deps
    const outbox = new Outbox(network, flushScheduler)
    const transport: Transport = {
      carrier: 'websocket',
      get isOpen() {
        return ws.readyState === ws.OPEN
      },
      get backlog() {
        return outbox.backlog
      },
      silence: limits.silence,
      send: (wire) => outbox.push(wire),
      close(code) {
        outbox.flush()
        ws.close(code)
      },
      terminate: () => ws.terminate(),
    }
    const socket = new Socket(transport, client, this.#deps)
    this.#open.add(socket)
    ws.on('message', (data: Buffer, isBinary) => socket.receive(data, isBinary))
    // Protocol error or reset; `close` follows.
    ws.on('error', (error) => log.info('A socket failed', { reason: error.message }))
    ws.on('close', () => this.#open.remove(socket))
  }
}

const headersOf = (headers: IncomingHttpHeaders): Headers =>
  new Headers(Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])))

function refuse(connection: Duplex, { status, message }: ServiceError): void {
  const body = JSON.stringify({ error: message })
  connection.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Connection: close',
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n'),
  )
}
