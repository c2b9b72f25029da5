import { request } from 'node:https'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ownCertificate } from '../platform/certificate.ts'
import { type Listener, listen } from './server.ts'

const certificate = await ownCertificate(null, ['localhost', '127.0.0.1'], new Date())

let listener: Listener
beforeEach(async () => {
  listener = await listen('127.0.0.1', 0, { certificate })
  listener.attach(
    async (request) => new Response(`${new URL(request.url).protocol} ${await request.text()}`),
    () => (_request, socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\nswitched'),
  )
})
afterEach(() => listener.close())

function post(body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { port } = listener
    request({ host: '127.0.0.1', port, method: 'POST', ca: certificate.cert }, (response) => resolve(text(response)))
      .on('error', reject)
      .end(body)
  })
}

test('with a certificate, serves TLS and passes https URLs to services', async () => {
  const large = 'x'.repeat(300_000)
  expect(await post(large)).toBe(`https: ${large}`)
})

test('a service can choose the reason phrase of the status line', async () => {
  const plain = await listen('127.0.0.1', 0)
  plain.attach(
    async (_request, { setReasonPhrase }) => {
      setReasonPhrase?.('Pay first')
      return new Response('no', { status: 402 })
    },
    () => null,
  )
  const { status, statusText } = await fetch(`http://127.0.0.1:${plain.port}/`)
  await plain.close()
  expect([status, statusText]).toEqual([402, 'Pay first'])
})

test('a client can finish a request that was answered without reading it', async () => {
  const plain = await listen('127.0.0.1', 0)
  plain.attach(
    async (request) => new Response(new URL(request.url).pathname),
    () => null,
  )
  const socket = connect(plain.port, '127.0.0.1')
  const received = text(socket)
  socket.write('POST /long HTTP/1.1\r\nHost: x\r\nContent-Length: 300000\r\n\r\n')
  socket.write('x'.repeat(100_000))
  await sleep(1_200)
  socket.write('x'.repeat(200_000))
  socket.write('GET /next HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  expect(await received).toMatch(/\/long(.|\s)*\/next/)
  await plain.close()
})

test.each([
  ['nothing', ''],
  ['plain HTTP', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['a partial handshake', '\x16\x03\x01'],
])('survives a client that sends %s and disconnects', async (_what, bytes) => {
  const socket = connect(listener.port, '127.0.0.1').on('error', () => undefined)
  socket.write(bytes)
  socket.destroySoon()
  expect(await post('still here')).toBe('https: still here')
})

test.each([
  ['made locally', () => new Response('', { headers: { 'Access-Control-Allow-Origin': 'https://own.example' } })],
  ['proxied from another server', () => fetch('data:,')],
])("doesn't replace headers that a service sets in a response %s", async (_what, service) => {
  const plain = await listen('127.0.0.1', 0)
  plain.attach(
    async (_request, { setHeader }) => {
      setHeader('access-control-allow-origin', '*')
      setHeader('content-type', 'text/label')
      return service()
    },
    () => null,
  )
  const own = await service()
  const { headers } = await fetch(`http://127.0.0.1:${plain.port}/`)
  expect(headers.get('access-control-allow-origin')).toBe(own.headers.get('access-control-allow-origin') ?? '*')
  expect(headers.get('content-type')).toBe(own.headers.get('content-type') ?? 'text/label')
  await plain.close()
})

test('a WebSocket has the checked address of its client', async () => {
  const plain = await listen('127.0.0.1', 0, { addressOf: () => '203.0.113.7' })
  plain.attach(
    async () => new Response(),
    () => (request, socket) => socket.end(`HTTP/1.1 200 OK\r\n\r\n${request.headers['x-forwarded-for']}`),
  )
  const socket = connect(plain.port, '127.0.0.1')
  const headers = ['Connection: Upgrade', 'Upgrade: websocket', 'X-Forwarded-For: 198.51.100.1']
  socket.write(`GET /functions/v1/f HTTP/1.1\r\nHost: x\r\n${headers.join('\r\n')}\r\n\r\n`)
  expect(await text(socket)).toContain('203.0.113.7')
  await plain.close()
})

test.skipIf(Number.parseInt(process.versions.node, 10) < 24)('answers a client that offers HTTP/2', async () => {
  const plain = await listen('127.0.0.1', 0)
  plain.attach(
    async () => new Response('in HTTP/1.1'),
    () => null,
  )
  const socket = connect(plain.port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, close\r\nUpgrade: h2c\r\n\r\n')
  expect(await text(socket)).toContain('in HTTP/1.1')
  await plain.close()
})

test('passes an upgrade to its service', async () => {
  const socket = connectTls({ port: listener.port, host: '127.0.0.1', ca: certificate.cert })
  socket.write('GET /realtime/v1 HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
  expect(await text(socket)).toContain('switched')
})

test('closing ends upgraded sockets without waiting for them', async () => {
  const taken = await listen('127.0.0.1', 0)
  taken.attach(
    async () => new Response(),
    () => (_request, socket) => void socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
  )
  const socket = connect(taken.port, '127.0.0.1').on('error', () => undefined)
  socket.write('GET /realtime/v1 HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
  await new Promise((resolve) => socket.once('data', resolve))
  const ended = new Promise((resolve) => socket.once('close', resolve))
  taken.endRequests()
  expect(socket.destroyed).toBe(false)
  await taken.close()
  await ended
})
