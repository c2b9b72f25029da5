// Realtime's maximum number of sockets, and invalid long polling requests. `npm run test:nightly -- integration` opens 20,000
// sockets, or as many as a process may: each takes two files, one per side.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../src/testing/eventually.ts'
import { type RealtimeServer, startRealtimeServer } from '../../src/testing/realtime-server.ts'

const { userLimits } = process.report.getReport() as unknown as {
  userLimits?: { open_files?: { soft: number | string } }
}
const OPEN_FILES = Number(userLimits?.open_files?.soft)
const MAX_SOCKETS = Number.isFinite(OPEN_FILES) ? Math.floor(OPEN_FILES / 2) - 500 : 20_000
const SOCKETS = process.env.NIGHTLY ? Math.min(20_000, MAX_SOCKETS) : 400
/** Concurrent handshakes: a system's backlog holds no more. */
const AT_ONCE = 100
const JOIN = [
  '1',
  '1',
  'realtime:crowd',
  'phx_join',
  { config: { broadcast: { self: false }, presence: { enabled: false } } },
]

let server: RealtimeServer
beforeAll(async () => {
  server = await startRealtimeServer('', {
    limits: { sockets: SOCKETS, joinsPerSecond: 4 * SOCKETS, silence: 600_000, pollWindow: 1_000 },
  })
})
afterAll(() => server?.close())

type Client = { readonly socket: Socket; text: string }

/** A WebSocket without a library, which needs a tenth of the memory. */
async function open(): Promise<Client> {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  const client: Client = { socket, text: '' }
  socket.on('data', (bytes) => {
    client.text += bytes.toString('latin1')
  })
  socket.on('error', () => undefined)
  const path = `/realtime/v1/websocket?vsn=2.0.0&apikey=${server.identity.keys.publishable}`
  const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n'
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\n${upgrade}Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
  )
  await once(socket, 'data')
  return client
}

/** A text frame with the mask 0. */
function frame(value: unknown): Buffer {
  const text = Buffer.from(JSON.stringify(value))
  const head = Buffer.alloc(8)
  head[0] = 0x81
  head[1] = 0x80 | 126
  head.writeUInt16BE(text.length, 2)
  return Buffer.concat([head, text])
}

const statusOf = ({ text }: Client) => Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1])

test(`${SOCKETS} sockets receive a broadcast, one more is rejected, and closing them frees their slots`, {
  timeout: 600_000,
}, async () => {
  const clients: Client[] = []
  while (clients.length < SOCKETS) {
    const some = await Promise.all(Array.from({ length: Math.min(AT_ONCE, SOCKETS - clients.length) }, open))
    for (const client of some) client.socket.write(frame(JOIN))
    clients.push(...some)
    const last = some.at(-1)
    await eventually(() => expect(last?.text).toContain('"status":"ok"'))
  }
  expect(new Set(clients.map(statusOf))).toEqual(new Set([101]))
  expect(statusOf(await open())).toBe(429)
  const send = () =>
    fetch(`${server.url}/realtime/v1/api/broadcast`, {
      method: 'POST',
      headers: { apikey: server.identity.keys.secret, 'content-type': 'application/json' },
      body: JSON.stringify({ messages: [{ topic: 'crowd', event: 'e', payload: { hello: 'all' } }] }),
    })
  expect((await send()).status).toBe(202)
  await expect
    .poll(() => clients.filter(({ text }) => text.includes('"hello":"all"')).length, { timeout: 120_000 })
    .toBe(SOCKETS)
  for (const { socket } of clients) socket.destroy()
  await expect
    .poll(
      async () => {
        const client = await open()
        client.socket.destroy()
        return statusOf(client)
      },
      { timeout: 60_000 },
    )
    .toBe(101)
  expect(server.faults).toEqual([])
})

describe('long polling', () => {
  const at = (query: string) => `${server.url}/realtime/v1/longpoll?vsn=2.0.0${query}`
  const begin = async (): Promise<string> => {
    const response = await fetch(at(`&apikey=${server.identity.keys.publishable}`))
    return (await response.json()).token
  }
  const post = async (token: string, body: string | Uint8Array<ArrayBuffer>, type = 'application/json') => {
    const response = await fetch(at(`&token=${token}`), { method: 'POST', body, headers: { 'content-type': type } })
    return [response.status, ((await response.json()) as { status: number }).status]
  }

  test.each<[string, string | Uint8Array<ArrayBuffer>, string?]>([
    ['an empty body', ''],
    ['text', 'hello'],
    ['JSON that is not a message', '{"a":1}'],
    ['a message with too few parts', '["1"]'],
    ['parts of the wrong types', '[{},[],1,null,"x"]'],
    ['nested arrays', `${'['.repeat(200_000)}${']'.repeat(200_000)}`],
    ['bytes', new Uint8Array(10_000).fill(255)],
    ['a binary frame with wrong lengths', Buffer.from([3, 255, 255, 255, 255, 255, 1]).toString('base64')],
    ['a thousand lines', '["1","1","realtime:x","e",{}]\n'.repeat(1_000), 'application/x-ndjson'],
    ['broken lines', '["1"\n]\n{\n', 'application/x-ndjson'],
  ])('ignores %s and continues', async (_what, body, type) => {
    const token = await begin()
    const [status, inner] = await post(token, body, type)
    expect([status, inner === 200 || inner === 413 || inner === 410]).toEqual([200, true])
    const next = await begin()
    expect(await post(next, JSON.stringify(JOIN))).toEqual([200, 200])
    expect(JSON.stringify(await (await fetch(at(`&token=${next}`))).json())).toContain('phx_reply')
    expect(server.faults).toEqual([])
  })

  test("a session token can't be guessed", async () => {
    const token = await begin()
    expect(token).toMatch(/^[\w-]{32}$/)
    for (const guess of ['', 'x', '__proto__', 'constructor', token.slice(0, -1), `${token}A`, token.toLowerCase()])
      expect(await post(guess, JSON.stringify(JOIN))).toEqual([200, 410])
  })

  test('concurrent polls of a session receive each message once', async () => {
    const token = await begin()
    const polls = Array.from({ length: 20 }, () => fetch(at(`&token=${token}`)).then((response) => response.json()))
    await post(token, JSON.stringify(JOIN))
    const answers = (await Promise.all(polls)) as { messages: string[] }[]
    const replies = answers.flatMap(({ messages }) => messages).filter((text) => text.includes('phx_reply'))
    expect(replies.length).toBeLessThanOrEqual(1)
  })

  test('responds to other methods, a body of 9 MB and 300 concurrent sessions', async () => {
    expect((await fetch(at('&token=x'), { method: 'DELETE' })).status).toBe(400)
    const token = await begin()
    expect(await post(token, 'x'.repeat(9_000_000))).toEqual([200, 413])
    const tokens = await Promise.all(Array.from({ length: Math.min(300, SOCKETS) }, begin))
    expect(new Set(tokens.filter(Boolean)).size).toBe(tokens.filter(Boolean).length)
  })
})
