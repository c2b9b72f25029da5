import { createServer, request as httpRequest, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import { basename, dirname } from 'node:path'
import type { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { ProtocolError } from '../database/pooler/encryption.ts'
import { createRelay, type Relay } from '../database/pooler/pooler.ts'
import { readHolder } from '../database/project/lock.ts'
import { tunnel } from '../functions/proxy.ts'
import { refuseUpgrade } from '../kernel/node-http.ts'
import { isTrustedHost } from '../kernel/url.ts'
import { userCacheFolder } from '../platform/folders.ts'
import { databaseCertificate } from '../runtime/place/ports.ts'
import { listBackends, type SleepingStack, type StackRecord } from '../runtime/place/record.ts'
import { lockPath } from '../runtime/place/state-folders.ts'
import { UsageError } from './arguments.ts'
import { tableOf } from './report.ts'
import { untilSignal } from './signals.ts'
import { startInBackground } from './stack/detached.ts'

type ProxyOptions = { readonly port: number }

/** `undock proxy`: serves every backend by name until a signal, and wakes sleeping ones. Browsers resolve names that end
 *  with `.localhost` to this machine (RFC 6761).
 *  @throws {UsageError} if the port is taken. */
export async function proxy({ port }: ProxyOptions): Promise<number> {
  const servers = await startProxy(port)
  const places = await readPlaces()
  console.error(`Serving backends by name on port ${port}. Press Ctrl-C to stop.`)
  if (places.size > 0)
    console.log(tableOf([...places].map(([name, { url }]) => [`http://${name}.localhost:${port}`, url])))
  const ended = new AbortController()
  void wakeForJobs(ended.signal)
  await untilSignal()
  ended.abort()
  for (const server of servers) {
    server.close()
    server.closeAllConnections()
  }
  return 0
}

/** Listens on both loopback addresses that browsers try, for HTTP and the Postgres protocol. */
export async function startProxy(port: number): Promise<Server[]> {
  const servers: Server[] = []
  const relay = createRelay({
    targetOf: databaseOf,
    maxClients: Number.POSITIVE_INFINITY,
    certificate: () => databaseCertificate('127.0.0.1', userCacheFolder(process.env)),
    log: console,
  })
  for (const address of ['127.0.0.1', '::1']) {
    const server = createServer((request, response) => void answer(request, response, port))
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => void join(request, socket, head))
    acceptPostgres(server, relay)
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

/** Milliseconds for a client to send something. */
const SILENCE_LIMIT = 60_000

/** Lets an HTTP server also accept Postgres clients, whose first byte is 0: the length of a short packet. */
function acceptPostgres(server: Server, relay: Relay): void {
  const serveHttp = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('close', relay.close)
  server.on('connection', (socket: Socket) => {
    const onError = () => socket.destroy()
    socket.on('error', onError).setTimeout(SILENCE_LIMIT, onError)
    socket.once('readable', () => {
      const head: Buffer | null = socket.read()
      if (!head) return socket.destroy()
      socket.off('error', onError).setTimeout(0, onError)
      socket.unshift(head)
      if (head[0] === 0) return relay.accept(socket)
      for (const serve of serveHttp) serve.call(server, socket)
      return undefined
    })
  })
}

const label = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')

/** The target of a hostname. @property stack The backend, asleep or running. */
type Place = { readonly url: string; readonly stack: StackRecord | SleepingStack }

const listAll = () => listBackends(userCacheFolder(process.env))

/** All backends by hostname: `folder`, `name.folder`, `console.name.folder`. */
async function readPlaces(): Promise<Map<string, Place>> {
  const stacks = (await listAll()).filter(({ dbUrl }) => dbUrl !== undefined)
  const isDoubled = (stack: StackRecord): boolean =>
    stacks.some(({ workdir }) => workdir !== stack.workdir && basename(workdir) === basename(stack.workdir))
  const places = new Map<string, Place>()
  for (const stack of stacks) {
    const { workdir, name, url, consoleUrl, mailUrl } = stack
    const folder = isDoubled(stack) ? `${basename(workdir)}-${basename(dirname(workdir))}` : basename(workdir)
    const own = [...(name === null ? [] : [label(name)]), label(folder)].join('.')
    places.set(own, { url, stack })
    if (consoleUrl) places.set(`console.${own}`, { url: consoleUrl, stack })
    if (mailUrl) places.set(`mail.${own}`, { url: mailUrl, stack })
  }
  return places
}

/** Finds a backend by hostname, and wakes it.
 *  @returns null if there's none. @throws {Error} why it can't start. */
async function findAwake(name: string): Promise<Place | null> {
  for (;;) {
    const place = (await readPlaces()).get(name.toLowerCase())
    if (!place || !('asleep' in place.stack)) return place ?? null
    await wakeOnce(place.stack)
  }
}

/** Backends that this proxy is waking. */
const waking = new Map<string, Promise<void>>()

function wakeOnce(stack: SleepingStack): Promise<void> {
  const lock = lockPath(stack.workdir, stack.name)
  const pending = waking.get(lock)
  if (pending) return pending
  const woken = wakeSleeping(stack, lock).finally(() => waking.delete(lock))
  waking.set(lock, woken)
  return woken
}

const STEP = 20

/** Wakes a backend. It may still be stopping, and another proxy or `undock start` may be starting it. */
async function wakeSleeping(stack: SleepingStack, lock: string): Promise<void> {
  for (;;) {
    const listed = (await listAll()).find(({ workdir, name }) => workdir === stack.workdir && name === stack.name)
    if (!listed || !('asleep' in listed)) return
    if (await readHolder(lock)) await delay(STEP)
    else
      await startInBackground(listed, listed.asleep).catch(async (error: Error) => {
        if (!(await readHolder(lock))) throw error
      })
  }
}

/** The maximum milliseconds between checks for newly sleeping backends. */
const LOOK_INTERVAL = 10_000

/** Wakes backends when their jobs are due. */
async function wakeForJobs(ended: AbortSignal): Promise<void> {
  const tried = new Set<string>()
  while (!ended.aborted) {
    let wait = LOOK_INTERVAL
    for (const stack of await listAll()) {
      if (!('asleep' in stack) || stack.asleep.wakeAt === null) continue
      const milliseconds = Date.parse(stack.asleep.wakeAt) - Date.now()
      if (milliseconds > 0) wait = Math.min(wait, milliseconds)
      const attempt = `${stack.workdir} ${stack.name} ${stack.asleep.since}`
      // The next request retries a failed start; the same job doesn't.
      if (milliseconds > 0 || tried.has(attempt)) continue
      tried.add(attempt)
      wakeOnce(stack).catch(({ message }: Error) => console.error(`${stack.workdir} has a job to run: ${message}`))
    }
    await delay(wait, undefined, { signal: ended }).catch(() => undefined)
  }
}

/** Returns a request's target URL. Accepts only `.localhost` names, to prevent DNS rebinding. @throws {Error} why a sleeping backend can't
 *  start. */
async function targetOf({ headers }: IncomingMessage): Promise<URL | null> {
  const [, name = ''] = /^(.+)\.localhost(?::\d+)?$/i.exec(headers.host ?? '') ?? []
  const place = await findAwake(name)
  return place && new URL(place.url)
}

/** Returns the database of the backend in a user name such as `postgres.my-app`. @throws {ProtocolError} */
async function databaseOf(name: string | null): Promise<{ host: string; port: number }> {
  const refused = (reason: string) => new ProtocolError(reason, '57P03')
  const place = await findAwake(name ?? '').catch(({ message }: Error) => {
    throw refused(message)
  })
  if (!place?.stack.dbUrl)
    throw refused(`No backend is named "${name}". The user's name is postgres.NAME, as in \`undock proxy --help\`.`)
  return placeOf(new URL(place.stack.dbUrl))
}

const placeOf = ({ hostname, port }: URL) => ({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) })

async function answer(request: IncomingMessage, response: ServerResponse, port: number): Promise<void> {
  const refuse = (status: number, message: string): void => {
    if (!response.headersSent) response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ message }))
  }
  const target = await targetOf(request).catch(({ message }: Error) =>
    refuse(503, `The backend can't be woken: ${message}`),
  )
  if (target === undefined) return
  if (target === null) {
    const { host = '' } = request.headers
    // Backends' names are no business of a page whose name was pointed here. No public name is without a dot.
    if (host.includes('.') && !isTrustedHost(host, '127.0.0.1'))
      return refuse(403, 'The names of backends end with .localhost')
    const names = [...(await readPlaces()).keys()].map((name) => `http://${name}.localhost:${port}`)
    response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' })
    response.end(
      `${names.length === 0 ? 'No backend is running. Start one with `undock start`.' : `Backends:\n${names.join('\n')}`}\n`,
    )
    return
  }
  const { method, headers, url: path } = request
  const send = target.protocol === 'https:' ? httpsRequest : httpRequest
  // The path is passed as text: in a URL, two leading slashes would mean another host. The certificate is self-signed.
  const passed = send({ ...placeOf(target), path, method, headers, rejectUnauthorized: false }, (answered) => {
    response.writeHead(answered.statusCode ?? 502, answered.headers)
    answered.pipe(response)
  })
  passed.on('error', ({ message }) => refuse(502, `The backend at ${target.host} is not responding: ${message}`))
  response.on('close', () => passed.destroy())
  request.pipe(passed)
}

/** Forwards a WebSocket. */
async function join(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
  // The client may disconnect while the backend wakes.
  socket.on('error', () => socket.destroy())
  const target = await targetOf(request).catch(() => undefined)
  if (!target) return refuseUpgrade(socket, target === null ? 404 : 503)
  tunnel(request, socket, head, { server: target, path: request.url ?? '/', isOwn: true })
}
