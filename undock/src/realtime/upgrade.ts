import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import { ServiceError } from '../kernel/service-error.ts'
import type { RealtimeDeps } from './deps.ts'
import { ChannelError } from './errors.ts'
import type { Version } from './protocol/frame.ts'
import { Socket } from './socket.ts'
import { verifyBearer } from './token.ts'

/** The most bytes of one frame: more than a payload may have, so that its sender gets an error instead of a closed socket. */
const frameBytes = (payloadBytes: number) => payloadBytes + 2_000_000

/** A handshake that is refused; statuses and texts are upstream's (RealtimeWeb.UserSocket). */
const refusal = (status: number, message: string): ServiceError => new ServiceError('HandshakeRefused', status, message)

/** Opens sockets at `/realtime/v1/websocket` and holds them. */
export class Sockets {
  readonly #deps: RealtimeDeps
  readonly #server: WebSocketServer
  readonly #open = new Set<Socket>()
  readonly #sweeper: NodeJS.Timeout

  constructor(deps: RealtimeDeps) {
    this.#deps = deps
    this.#server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: frameBytes(deps.limits.payloadBytes),
    })
    this.#sweeper = setInterval(() => {
      for (const socket of this.#open) socket.sweep()
    }, 1_000).unref()
  }

  upgrade(request: IncomingMessage, connection: Duplex, head: Buffer): void {
    const drop = () => connection.destroy()
    connection.on('error', drop)
    this.#greet(request)
      .then((client) => {
        connection.off('error', drop)
        this.#server.handleUpgrade(request, connection, head, (ws) => {
          const socket = new Socket(ws, connection, client, this.#deps)
          this.#open.add(socket)
          ws.on('close', () => {
            this.#open.delete(socket)
            socket.end()
          })
        })
      })
      .catch((error) => refuse(connection, this.#refusalOf(error)))
  }

  close(): void {
    clearInterval(this.#sweeper)
    for (const socket of this.#open) socket.close()
    this.#server.close()
  }

  /** @throws {ServiceError} */
  async #greet(request: IncomingMessage) {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://undock')
    if (pathname.replace(/\/$/, '') !== '/realtime/v1/websocket') throw refusal(404, 'Not Found')
    const version = searchParams.get('vsn') ?? '1.0.0'
    if (!isVersion(version)) throw refusal(403, `Unsupported serializer version: ${version}`)
    const header = request.headers['x-api-key']
    const credential = typeof header === 'string' ? header : searchParams.get('apikey')
    if (!credential) throw refusal(401, 'API key is missing')
    const { identity, clock, limits } = this.#deps
    const bearer = await verifyBearer(credential.replaceAll(/\s/g, ''), identity, clock)
    if (this.#open.size >= limits.sockets) throw refusal(429, 'Too many connected users')
    return { version, bearer, headers: extraHeaders(request) }
  }

  #refusalOf(error: unknown): ServiceError {
    if (error instanceof ChannelError && error.message.startsWith('Token has expired'))
      return refusal(error.status, 'Token has expired')
    if (error instanceof ServiceError) return error
    this.#deps.log.error('ErrorConnectingToWebsocket', error)
    return refusal(500, 'Error connecting to Realtime')
  }
}

const isVersion = (text: string): text is Version => text === '1.0.0' || text === '2.0.0'

/** Policies see the `x-` headers of the handshake, as upstream's do. */
function extraHeaders({ headers }: IncomingMessage): Record<string, string> {
  const extra: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers))
    if (name.startsWith('x-') && typeof value === 'string') extra[name] = value
  return extra
}

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
