import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { type Duplex, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { limitedBytesOf } from '../kernel/request-body.ts'

const agent = new Agent({ keepAlive: true })

/** Headers that belong to one connection, not to the message (RFC 9110 §7.6.1). */
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
  /** Path and query. */
  readonly path: string
  readonly headers: Headers
  /** The maximum size of the request's body, in bytes. */
  readonly bodyLimit: number
  readonly signal: AbortSignal
}

/** Forwards a request and returns the response; both bodies are streamed.
 *  @throws {BodyTooLargeError}, the error that ended the connection before a response began, or the reason of
 *  `signal` */
export function forward(request: Request, { port, path, headers, bodyLimit, signal }: Target): Promise<Response> {
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
    outgoing.once('response', (incoming) => {
      // A function may answer without reading the whole body. What is left is then read and discarded: a body that stays unread would
      // have the client's connection closed, under whichever request it is used for next.
      incoming.once('end', () => {
        if (!outgoing.writableFinished) outgoing.destroy()
      })
      resolve(responseOf(request.method, incoming))
    })
    // An abort appears as a connection error that does not name its reason.
    outgoing.once('error', (error) => reject(signal.aborted ? signal.reason : error))
    pipeline(Readable.from(limitedBytesOf(request, bodyLimit)), outgoing).catch(reject)
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

/** Connects a client that requests another protocol (WebSocket) to the worker; bytes then pass both ways unparsed. */
export function tunnel(
  incoming: IncomingMessage,
  client: Duplex,
  head: Buffer,
  { port, path }: { readonly port: number; readonly path: string },
): void {
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
