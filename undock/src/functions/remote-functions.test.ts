import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, createServer as createSocketServer } from 'node:net'
import { buffer, text } from 'node:stream/consumers'
import { serve } from '@hono/node-server'
import { createClient, FunctionsHttpError } from '@supabase/supabase-js'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { loadConfig } from '../config/load.ts'
import { createIdentity } from '../identity/create-identity.ts'
import type { Identity } from '../identity/identity.ts'
import { withNodeRequest } from '../kernel/node-http.ts'
import { type Log, systemClock } from '../kernel/service.ts'
import { createRemoteFunctions, endpointProblem } from './remote-functions.ts'

const TOML = `project_id = "front"
[functions.open]
verify_jwt = false
[functions.off]
enabled = false
verify_jwt = false
`

let identity: Identity
let elsewhere: Server
let endpoint: string
let node: Front
const fronts: Front[] = []

type Front = { readonly url: string; readonly logged: string[]; close(): void }

async function startFront(
  address: string,
  limits: { bodyLimit?: number; responseLimit?: number } = {},
): Promise<Front> {
  const { config } = loadConfig({ toml: TOML, file: 'config.toml', env: {}, folder: '/' })
  const logged: string[] = []
  const log: Log = {
    info: () => undefined,
    warn: () => undefined,
    error: (message, _error, fields) => logged.push(`${message} (${fields?.requestId})`),
  }
  const functions = createRemoteFunctions({
    identity,
    functions: config.functions,
    endpoint: new URL(address),
    bodyLimit: 1_000_000,
    log,
    ...limits,
  })
  const server = serve({
    fetch: (request, { incoming }) =>
      functions.handle(withNodeRequest(request, incoming as never), { requestId: 'request-1', address: '203.0.113.7' }),
    port: 0,
    hostname: '127.0.0.1',
  }) as Server
  server.on('upgrade', (request, socket, head) => functions.upgrade(request, socket, head))
  if (!server.listening) await once(server, 'listening')
  const front = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/functions/v1`,
    logged,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
  fronts.push(front)
  return front
}

beforeAll(async () => {
  const { config } = loadConfig({ toml: 'project_id = "front"', file: 'config.toml', env: {}, folder: '/' })
  identity = await createIdentity({ config: config.auth, clock: systemClock })
  elsewhere = createServer(async (request, response) => {
    const { method, url = '', headers } = request
    if (url.startsWith('/fleet/never')) return
    if (url.startsWith('/fleet/stream')) {
      // Echoes each part of the body as it arrives.
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for await (const part of request) response.write(`back ${part}`)
      response.end()
      return
    }
    if (url.startsWith('/fleet/broken')) {
      response.writeHead(200, { 'content-length': '100' })
      response.write('half', () => response.destroy())
      return
    }
    const body = (await buffer(request)).toString()
    response.writeHead(201, { 'content-type': 'application/json', 'x-own': 'yes' })
    response.end(JSON.stringify({ method, url, headers, body }))
  })
  const sockets = new WebSocketServer({ server: elsewhere })
  sockets.on('connection', (socket, { url, headers }) => {
    socket.send(`${url} at ${headers.host}`)
    socket.on('message', (data) => socket.send(`echo ${data}`))
  })
  elsewhere.listen(0, '127.0.0.1')
  await once(elsewhere, 'listening')
  endpoint = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/fleet`
  node = await startFront(endpoint)
})
afterAll(() => {
  for (const front of fronts) front.close()
  elsewhere?.close()
  elsewhere?.closeAllConnections()
})

const withToken = () => ({ authorization: `Bearer ${identity.keys.anon}` })

test('a remote function gets the same request as a local one', async () => {
  const response = await fetch(`${node.url}/hello/a%20b?c=d`, {
    method: 'PUT',
    headers: { ...withToken(), 'x-client-info': 'test', 'x-forwarded-for': '198.51.100.1' },
    body: 'the body',
  })
  expect([response.status, response.headers.get('x-own')]).toEqual([201, 'yes'])
  expect(await response.json()).toEqual({
    method: 'PUT',
    url: '/fleet/hello/a%20b?c=d',
    body: 'the body',
    headers: expect.objectContaining({
      ...withToken(),
      host: new URL(endpoint).host,
      'x-client-info': 'test',
      'x-forwarded-for': '203.0.113.7',
      'x-forwarded-host': '127.0.0.1',
      'x-request-id': 'request-1',
      traceparent: expect.stringMatching(/^00-/),
    }),
  })
})

test("the node verifies tokens according to each function's config.toml entry", async () => {
  const statusOf = async (path: string, headers: Record<string, string> = {}) =>
    (await fetch(`${node.url}/${path}`, { headers })).status
  expect(await statusOf('hello')).toBe(401)
  expect(await statusOf('hello', { authorization: 'Bearer forged' })).toBe(401)
  expect(await statusOf('hello', { apikey: identity.keys.publishable })).toBe(201)
  expect(await statusOf('open')).toBe(201)
  // A disabled function can't be reached by another spelling.
  for (const name of ['off', '%6fff', '', 'off%2F..%2Fopen']) expect(await statusOf(name, withToken())).toBe(404)
  expect((await fetch(`${node.url}/hello`, { method: 'OPTIONS' })).status).toBe(201)
  const opaque = await fetch(`${node.url}/hello`, { headers: { apikey: identity.keys.secret } })
  expect((await opaque.json()).headers.authorization).toBe(`Bearer ${identity.keys.serviceRole}`)
})

test('request and response bodies are streamed', async () => {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  const asked = fetch(`${node.url}/stream`, {
    method: 'POST',
    headers: withToken(),
    body: readable,
    duplex: 'half',
  } as RequestInit)
  void writer.write(Buffer.from('one'))
  const reader = (await asked).body?.getReader()
  const next = async () => Buffer.from((await reader?.read())?.value ?? []).toString()
  expect(await next()).toBe('back one')
  void writer.write(Buffer.from('two'))
  expect(await next()).toBe('back two')
  await writer.close()
  expect((await reader?.read())?.done).toBe(true)
})

test('proxies WebSockets, with a token if the function requires one', async () => {
  const address = node.url.replace('http', 'ws')
  const refused = new WebSocket(`${address}/hello`)
  const [error] = await once(refused, 'error').catch((reason: unknown) => [reason])
  expect(String(error)).toContain('401')
  const socket = new WebSocket(`${address}/hello/room?a=b`, { headers: withToken() })
  const told: string[] = []
  socket.on('message', (data) => told.push(String(data)))
  await once(socket, 'open')
  socket.send('hi')
  await expect.poll(() => told).toEqual([`/fleet/hello/room?a=b at ${new URL(endpoint).host}`, 'echo hi'])
  socket.close()
  await once(socket, 'close')
})

test("a refused upgrade can't smuggle requests that need a token", async () => {
  let received = ''
  const server = createSocketServer((socket) => {
    socket.on('data', (data) => {
      received += data
      if (received.endsWith('\r\n\r\n')) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nopen')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const front = await startFront(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const { host, hostname, port, pathname } = new URL(front.url)
  const socket = connect(Number(port), hostname)
  const first = [`GET ${pathname}/open HTTP/1.1`, `Host: ${host}`, 'Connection: Upgrade', 'Upgrade: h2c', '', '']
  const hidden = ['GET /hello HTTP/1.1', `Host: ${host}`, '', '']
  socket.write(first.join('\r\n') + hidden.join('\r\n'))
  expect(await text(socket)).toMatch(/^HTTP\/1.1 200 OK\r\n.*\r\n\r\nopen$/s)
  expect(received).toContain('GET /open')
  expect(received).not.toContain('GET /hello')
})

test('the function sees that a client left before it agreed to a WebSocket', async () => {
  const server = createSocketServer((socket) => void socket.resume()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const front = await startFront(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const { host, hostname, port, pathname } = new URL(front.url)
  const socket = connect(Number(port), hostname)
  const head = [`GET ${pathname}/open HTTP/1.1`, `Host: ${host}`, 'Connection: Upgrade', 'Upgrade: websocket', '', '']
  const connected = once(server, 'connection')
  socket.write(head.join('\r\n'))
  const [connection] = await connected
  socket.destroy()
  await once(connection, 'close')
})

async function closedAddress(): Promise<string> {
  const server = createSocketServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return `http://127.0.0.1:${port}`
}

test.each([
  ['nothing listens', closedAddress, 'open', 502, 'An invalid response was received from the upstream server'],
  ["the host name doesn't resolve", async () => 'http://nowhere.invalid', 'open', 503, 'name resolution failed'],
  ['the endpoint times out', async () => endpoint, 'never', 504, 'The upstream server is timing out'],
])('responds and logs like the gateway if %s', async (_name, address, path, status, message) => {
  const front = await startFront(await address(), { responseLimit: 200 })
  const response = await fetch(`${front.url}/${path}`, { method: 'POST', headers: withToken(), body: 'x' })
  expect([response.status, await response.json()]).toEqual([status, { message }])
  expect(front.logged).toEqual([expect.stringMatching(/did not respond \(request-1\)$/)])
  // Like hosted projects, this isn't a relay error.
  const client = createClient(new URL(front.url).origin, identity.keys.publishable)
  expect((await client.functions.invoke(path)).error).toBeInstanceOf(FunctionsHttpError)
})

test('rejects a WebSocket if nothing listens', async () => {
  const front = await startFront(await closedAddress())
  const socket = new WebSocket(`${front.url.replace('http', 'ws')}/open`)
  const [error] = await once(socket, 'error').catch((reason: unknown) => [reason])
  expect(String(error)).toContain('502')
})

test('rejects a body that is too large, and aborts an interrupted response', async () => {
  const front = await startFront(endpoint, { bodyLimit: 10 })
  const large = await fetch(`${front.url}/open`, { method: 'POST', body: 'x'.repeat(11) })
  expect([large.status, await large.json()]).toEqual([413, expect.objectContaining({ code: 'BODY_TOO_LARGE' })])
  const broken = await fetch(`${front.url}/broken`, { headers: withToken() })
  await expect(broken.text()).rejects.toThrow()
})

test('the check accepts a reachable endpoint and says what is wrong with others', async () => {
  expect(await endpointProblem(new URL(endpoint))).toBeNull()
  expect(await endpointProblem(new URL(await closedAddress()))).toContain('ECONNREFUSED')
  const gateway = createServer((_request, response) => response.writeHead(503).end()).listen(0, '127.0.0.1')
  await once(gateway, 'listening')
  const { port } = gateway.address() as AddressInfo
  expect(await endpointProblem(new URL(`http://127.0.0.1:${port}`))).toBe('it answers 503')
  gateway.close()
})
