import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { type Duplex, PassThrough, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { refuseUpgrade } from '../kernel/node-http.ts'
import { limitedBytesOf } from '../kernel/request-body.ts'

/** Milliseconds an idle connection is kept: less than servers do, because a request on a connection closed by the
 *  server is lost if it can't be resent. */
const IDLE = 4_000
const agents = {
  http: new Agent({ keepAlive: true, timeout: IDLE }),
  https: new HttpsAgent({ keepAlive: true, timeout: IDLE }),
}

/** Hop-by-hop headers (RFC 9110 §7.6.1). */
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
  /** The server's address; its path is ignored. */
  readonly server: URL
  readonly path: string
  readonly headers: Headers
  /** The maximum size of the request's body, in bytes. */
  readonly bodyLimit: number
  readonly signal: AbortSignal
}

/** Forwards a request, streaming both bodies.
 *  @throws {BodyTooLargeError}, the error that broke the connection before the response, or the reason of `signal` */
export function forward(request: Request, { server, path, headers, bodyLimit, signal }: Target): Promise<Response> {
  return new Promise((resolve, reject) => {
    const { send, ...place } = clientOf(server)
    const sent = Object.fromEntries([...headers].filter(([name]) => !HOP_BY_HOP.has(name)))
    const outgoing = send({ ...place, path, method: request.method, headers: sent, signal })
    outgoing.once('response', (incoming) => {
      // A function may answer without reading the whole body. The rest must be drained: unread, it would close the
      // client's connection under its next request.
      incoming.once('end', () => {
        if (!outgoing.writableFinished) outgoing.destroy()
      })
      resolve(responseOf(request.method, incoming))
    })
    // An abort appears as a connection error without its reason.
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

type Upgrade = Pick<Target, 'server' | 'path'> & {
  /** Override the client's headers. */
  readonly headers?: Readonly<Record<string, string>>
  /** Whether the server is a backend of this machine, whose certificate is its own. */
  readonly isOwn?: boolean
}

/** Connects a client's WebSocket to a server. Bytes only pass once the server has agreed to it: before, they'd be further
 *  requests that no one has checked. */
export function tunnel(
  { method, headers: given }: IncomingMessage,
  client: Duplex,
  head: Buffer,
  { server: url, path, headers, isOwn = false }: Upgrade,
): void {
  const { 'content-length': _length, 'transfer-encoding': _encoding, ...sent } = { ...given, ...headers }
  const { send, ...place } = clientOf(url)
  const outgoing = send({ ...place, path, method, headers: sent, agent: false, rejectUnauthorized: !isOwn })
  const end = () => outgoing.destroy()
  // Read from the start: of an unread socket, no one learns that its client has left.
  const received = client.on('error', end).on('close', end).on('end', end).pipe(new PassThrough())
  outgoing.once('error', () => refuseUpgrade(client, 502))
  outgoing.once('response', (incoming) => {
    client.write(headOf(incoming, 'Connection: close'))
    incoming.on('error', () => client.destroy()).pipe(client)
  })
  outgoing.once('upgrade', (incoming, server, first) => {
    client.write(headOf(incoming, `Connection: Upgrade\r\nUpgrade: ${incoming.headers.upgrade}`))
    client.write(first)
    server.write(head)
    client.off('end', end).on('close', () => server.destroy())
    server.on('error', () => client.destroy()).on('close', () => client.destroy())
    received.pipe(server).pipe(client)
  })
  outgoing.end()
}

/** Returns a response's head. @param own Its hop-by-hop headers. */
function headOf({ statusCode, statusMessage, headersDistinct }: IncomingMessage, own: string): string {
  const lines = Object.entries(headersDistinct)
    .filter(([name]) => !HOP_BY_HOP.has(name))
    .flatMap(([name, values = []]) => values.map((value) => `${name}: ${value}\r\n`))
  return `HTTP/1.1 ${statusCode} ${statusMessage}\r\n${lines.join('')}${own}\r\n\r\n`
}

/** Returns how to send requests to a server; without a port, to its protocol's. */
function clientOf({ protocol, hostname, port }: URL) {
  const host = hostname.replace(/^\[|\]$/g, '')
  return protocol === 'https:'
    ? { send: httpsRequest, agent: agents.https, host, port }
    : { send: httpRequest, agent: agents.http, host, port }
}
