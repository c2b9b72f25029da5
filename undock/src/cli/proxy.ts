import { createServer, request as httpRequest, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { connect, type Socket } from 'node:net'
import { basename, dirname } from 'node:path'
import type { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { userCacheFolder } from '../platform/folders.ts'
import { listStacks, type StackRecord } from '../runtime/place/record.ts'
import { UsageError } from './arguments.ts'
import { tableOf } from './report.ts'
import { untilSignal } from './signals.ts'

type ProxyOptions = { readonly port: number }

/** `undock proxy`: serves every running backend by name until a signal. Browsers resolve names that end
 *  with `.localhost` to this machine (RFC 6761).
 *  @throws {UsageError} when the port is taken. */
export async function proxy({ port }: ProxyOptions): Promise<number> {
  const servers = await startProxy(port)
  const places = await readPlaces()
  console.error(`Serving backends by name on port ${port}. Press Ctrl-C to stop.`)
  if (places.size > 0) console.log(tableOf([...places].map(([name, url]) => [`http://${name}.localhost:${port}`, url])))
  await untilSignal()
  for (const server of servers) {
    server.close()
    server.closeAllConnections()
  }
  return 0
}

/** Listens on both addresses of this machine that browsers try. */
export async function startProxy(port: number): Promise<Server[]> {
  const servers: Server[] = []
  for (const address of ['127.0.0.1', '::1']) {
    const server = createServer((request, response) => void answer(request, response, port))
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => void join(request, socket, head))
    const fault = await new Promise<NodeJS.ErrnoException | null>((resolve) => {
      server.once('error', resolve)
      server.listen(port, address, () => resolve(null))
    })
    if (fault === null) servers.push(server)
    else if (fault.code === 'EADDRINUSE')
      throw new UsageError(`Port ${port} is in use. Choose another one with --port.`)
    // A machine may have no IPv6.
    else if (address === '127.0.0.1') throw fault
  }
  return servers
}

const label = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')

/** The URLs of all backends by hostname: `folder`, `name.folder`, `console.name.folder`. */
async function readPlaces(): Promise<Map<string, string>> {
  const stacks = (await listStacks(userCacheFolder(process.env))).filter(({ dbUrl }) => dbUrl !== undefined)
  const isDoubled = (stack: StackRecord): boolean =>
    stacks.some(({ workdir }) => workdir !== stack.workdir && basename(workdir) === basename(stack.workdir))
  const places = new Map<string, string>()
  for (const stack of stacks) {
    const { workdir, name, url, consoleUrl, mailUrl } = stack
    const folder = isDoubled(stack) ? `${basename(workdir)}-${basename(dirname(workdir))}` : basename(workdir)
    const own = [...(name === null ? [] : [label(name)]), label(folder)].join('.')
    places.set(own, url)
    if (consoleUrl) places.set(`console.${own}`, consoleUrl)
    if (mailUrl) places.set(`mail.${own}`, mailUrl)
  }
  return places
}

/** Accepts only `.localhost` names, so that no public name can be pointed here (DNS rebinding). */
async function targetOf({ headers }: IncomingMessage): Promise<URL | null> {
  const [, name = ''] = /^(.+)\.localhost(?::\d+)?$/i.exec(headers.host ?? '') ?? []
  const url = (await readPlaces()).get(name.toLowerCase())
  return url === undefined ? null : new URL(url)
}

const placeOf = ({ hostname, port }: URL) => ({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) })

async function answer(request: IncomingMessage, response: ServerResponse, port: number): Promise<void> {
  const target = await targetOf(request)
  if (!target) {
    const names = [...(await readPlaces()).keys()].map((name) => `http://${name}.localhost:${port}`)
    response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' })
    response.end(
      `${names.length === 0 ? 'No backend is running. Start one with `undock start`.' : `Running backends:\n${names.join('\n')}`}\n`,
    )
    return
  }
  const { method, headers, url: path } = request
  const send = target.protocol === 'https:' ? httpsRequest : httpRequest
  // The path is passed as text: in a URL, one that begins with two slashes would name another host. The certificate is this
  // machine's own.
  const passed = send({ ...placeOf(target), path, method, headers, rejectUnauthorized: false }, (answered) => {
    response.writeHead(answered.statusCode ?? 502, answered.headers)
    answered.pipe(response)
  })
  passed.on('error', ({ message }) => {
    if (!response.headersSent) response.writeHead(502, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ message: `The backend at ${target.host} is not responding: ${message}` }))
  })
  response.on('close', () => passed.destroy())
  request.pipe(passed)
}

/** Passes a WebSocket on. */
async function join(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
  const target = await targetOf(request)
  if (!target) return void socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n')
  const other: Socket =
    target.protocol === 'https:'
      ? connectTls({ ...placeOf(target), rejectUnauthorized: false })
      : connect(placeOf(target))
  const { rawHeaders } = request
  const lines = rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${rawHeaders[index + 1]}`] : []))
  other.write(`${request.method} ${request.url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
  other.write(head)
  socket.pipe(other).pipe(socket)
  for (const [one, partner] of [
    [socket, other],
    [other, socket],
  ] as const)
    one.on('error', () => partner.destroy()).on('close', () => partner.destroy())
}
