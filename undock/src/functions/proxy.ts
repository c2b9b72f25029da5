import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { type Duplex, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream as WebStream } from 'node:stream/web'

const agent = new Agent({ keepAlive: true })

/** Headers that speak of one connection, not of the message (RFC 9110 §7.6.1). */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'te',
  'trailer',
  'upgrade',
])

export type Target = {
  readonly port: number
  /** With query. */
  readonly path: string
  readonly headers: Headers
  readonly signal: AbortSignal
}

/** Sends a request on and answers with what comes back; both bodies flow as they arrive.
 *  @throws what ended the connection before a response began; `signal`'s reason when it was that */
export function forward(request: Request, { port, path, headers, signal }: Target): Promise<Response> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({
      host: '127.0.0.1',
      port,
      path,
      method: request.method,
      headers: Object.fromEntries([...headers].filter(([name]) => !HOP_BY_HOP.has(name))),
      agent,
      signal,
    })
    outgoing.once('response', (incoming) => resolve(responseOf(request.method, incoming)))
    // An abort shows as an error that does not say who aborted.
    outgoing.once('error', (error) => reject(signal.aborted ? signal.reason : error))
    if (request.body === null) outgoing.end()
    else pipeline(Readable.fromWeb(request.body as WebStream), outgoing).catch(reject)
  })
}

function responseOf(method: string, incoming: IncomingMessage): Response {
  const headers = new Headers()
  for (const [name, values] of Object.entries(incoming.headersDistinct)) {
    if (!HOP_BY_HOP.has(name)) for (const value of values ?? []) headers.append(name, value)
  }
  const status = incoming.statusCode ?? 502
  const bare = method === 'HEAD' || status === 204 || status === 205 || status === 304
  if (bare) incoming.resume()
  const body = bare ? null : (Readable.toWeb(incoming) as ReadableStream)
  return new Response(body, { status, statusText: incoming.statusMessage ?? '', headers })
}

/** Joins a client that wants another protocol (WebSocket) with the worker; from here on bytes go both ways unread. */
export function tunnel(incoming: IncomingMessage, client: Duplex, head: Buffer, port: number, path: string): void {
  const server = connect(port, '127.0.0.1', () => {
    const lines = [`${incoming.method} ${path} HTTP/1.1`]
    for (let index = 0; index < incoming.rawHeaders.length; index += 2) {
      lines.push(`${incoming.rawHeaders[index]}: ${incoming.rawHeaders[index + 1]}`)
    }
    server.write(`${lines.join('\r\n')}\r\n\r\n`)
    server.write(head)
    server.pipe(client)
    client.pipe(server)
  })
  const end = () => {
    server.destroy()
    client.destroy()
  }
  for (const socket of [server, client]) socket.on('error', end).on('close', end)
}
