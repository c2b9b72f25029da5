import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { connect, isIP } from 'node:net'
import { type Duplex, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { connect as connectTls } from 'node:tls'
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
    const options = {
      ...placeOf(server),
      path,
      method: request.method,
      headers: Object.fromEntries([...headers].filter(([name]) => !HOP_BY_HOP.has(name))),
      signal,
    }
    const outgoing = isSecure(server)
      ? httpsRequest({ ...options, agent: agents.https })
      : httpRequest({ ...options, agent: agents.http })
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

/** Connects a client's protocol upgrade (WebSocket) to a server and pipes bytes both ways. */
export function tunnel(
  { method, rawHeaders }: IncomingMessage,
  client: Duplex,
  head: Buffer,
  { server: url, path, headers = {}, isOwn = false }: Upgrade,
): void {
  let state: 'connecting' | 'open' | 'over' = 'connecting'
  const open = (): void => {
    state = 'open'
    const lines = Object.entries(headers).map((entry) => entry.join(': '))
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const [name = '', value = ''] = rawHeaders.slice(index, index + 2)
      if (!(name.toLowerCase() in headers)) lines.push(`${name}: ${value}`)
    }
    server.write(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
    server.write(head)
    server.pipe(client)
    client.pipe(server)
  }
  const { host, port } = placeOf(url)
  const tls = { rejectUnauthorized: !isOwn, servername: isIP(host) ? '' : host }
  const server = isSecure(url) ? connectTls({ host, port, ...tls }, open) : connect(port, host, open)
  const end = (): void => {
    if (state === 'connecting') refuseUpgrade(client, 502)
    else if (state === 'open') client.destroy()
    state = 'over'
    server.destroy()
  }
  for (const socket of [server, client]) socket.on('error', end).on('close', end)
}

const isSecure = ({ protocol }: URL): boolean => protocol === 'https:'

const placeOf = (url: URL): { host: string; port: number } => ({
  host: url.hostname.replace(/^\[|\]$/g, ''),
  port: Number(url.port) || (isSecure(url) ? 443 : 80),
})
