import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { eventually } from '../testing/eventually.ts'
import { type RealtimeServer, startRealtimeServer } from '../testing/realtime-server.ts'

let server: RealtimeServer
beforeAll(async () => {
  server = await startRealtimeServer('', {
    limits: {
      channelsPerSocket: 3,
      payloadBytes: 100_000,
      backlogBytes: 200_000,

      eventsPerSecond: 300,
    },
  })
})
afterAll(async () => {
  await server?.close()
})

type Client = {
  readonly ws: WebSocket
  send(...message: readonly unknown[]): void
  next(): Promise<unknown>
}

async function open(
  query = `apikey=${server.identity.keys.publishable}&vsn=2.0.0`,
  { url }: RealtimeServer = server,
): Promise<Client> {
  const ws = new WebSocket(`${url.replace('http', 'ws')}/realtime/v1/websocket?${query}`)
  const frames: unknown[] = []
  ws.on('message', (data) => frames.push(JSON.parse(String(data))))
  await once(ws, 'open')
  return {
    ws,
    send: (...message) => ws.send(JSON.stringify(message.length === 1 ? message[0] : message)),
    async next() {
      await eventually(() => expect(frames.length).toBeGreaterThan(0))
      return frames.shift()
    },
  }
}

const CONFIG = { config: { broadcast: { ack: true, self: false }, presence: { enabled: false }, postgres_changes: [] } }
const masked = (text: Buffer) => Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), text])

const OK = { status: 'ok', response: {} }

describe('the handshake', () => {
  test.each([
    ['no key', 'vsn=2.0.0', 401, 'API key is missing'],
    ['no credentials', 'apikey=abc', 401, 'The token provided is not a valid JWT'],
    [
      'another secret',
      'apikey=eyJhbGciOiJIUzI1NiJ9.eyJyb2xlIjoiYW5vbiIsImV4cCI6OTk5OTk5OTk5OX0.c2ln',
      401,
      'Failed to validate JWT signature',
    ],
    ['an unknown serializer', 'apikey=abc&vsn=9.0.0', 403, 'Unsupported serializer version: 9.0.0'],
  ])('rejects %s', async (_name, query, status, error) => {
    const ws = new WebSocket(`${server.url.replace('http', 'ws')}/realtime/v1/websocket?${query}`)
    const [, response] = await once(ws, 'unexpected-response')
    const body = await new Response(response).json()
    expect([response.statusCode, body]).toEqual([status, { error }])
    ws.on('error', () => {}).terminate()
  })

  test('reports an expired token', async () => {
    const expired = await server.token({ exp: Math.floor(Date.now() / 1000) - 10 })
    const ws = new WebSocket(`${server.url.replace('http', 'ws')}/realtime/v1/websocket?apikey=${expired}`)
    const [, response] = await once(ws, 'unexpected-response')
    expect(await new Response(response).json()).toEqual({ error: 'Token has expired' })
    ws.on('error', () => {}).terminate()
  })
})

describe('the protocol', () => {
  test('serializer 1.0.0 uses objects', async () => {
    const client = await open(`apikey=${server.identity.keys.anon}&vsn=1.0.0`)
    client.send({ topic: 'phoenix', event: 'heartbeat', payload: {}, ref: '1' })
    expect(await client.next()).toEqual({ topic: 'phoenix', event: 'phx_reply', payload: OK, ref: '1', join_ref: null })
    client.send({ topic: 'realtime:v1', event: 'phx_join', payload: CONFIG, ref: '2', join_ref: '2' })
    expect(await client.next()).toMatchObject({ event: 'phx_reply', payload: { status: 'ok' }, ref: '2' })
    const other = await open()
    other.send('1', '1', 'realtime:v1', 'phx_join', CONFIG)
    await other.next()
    other.send('1', '2', 'realtime:v1', 'broadcast', { type: 'broadcast', event: 'e', payload: { n: 1 } })
    expect(await other.next()).toEqual(['1', '2', 'realtime:v1', 'phx_reply', OK])
    expect(await client.next()).toEqual({
      topic: 'realtime:v1',
      event: 'broadcast',
      payload: { type: 'broadcast', event: 'e', payload: { n: 1 } },
      ref: null,
      join_ref: null,
    })
    client.ws.terminate()
    other.ws.terminate()
  })

  test('supports joining, replacing and leaving, and responds for unknown topics', async () => {
    const client = await open()
    client.send('1', '1', 'realtime:', 'phx_join', {})
    expect(await client.next()).toEqual([
      '1', '1', 'realtime:', 'phx_reply',
      { status: 'error', response: { reason: 'TopicNameRequired: You must provide a topic name' } },
    ]) // biome-ignore format: one frame
    client.send('2', '2', 'other:x', 'phx_join', {})
    expect(await client.next()).toMatchObject({ 4: { status: 'error', response: { reason: 'unmatched topic' } } })
    client.send(null, '3', 'realtime:a', 'broadcast', {})
    expect(await client.next()).toMatchObject({ 4: { response: { reason: 'unmatched topic' } } })
    client.send('4', '4', 'realtime:a', 'phx_join', CONFIG)
    expect(await client.next()).toEqual([
      '4',
      '4',
      'realtime:a',
      'phx_reply',
      { status: 'ok', response: { postgres_changes: [] } },
    ])
    client.send('5', '5', 'realtime:a', 'phx_join', CONFIG)
    expect(await client.next()).toEqual(['4', '4', 'realtime:a', 'phx_close', {}])
    expect(await client.next()).toMatchObject({ 0: '5', 3: 'phx_reply' })
    client.send('5', '6', 'realtime:a', 'phx_leave', {})
    expect(await client.next()).toEqual(['5', '6', 'realtime:a', 'phx_reply', OK])
    expect(await client.next()).toEqual(['5', '5', 'realtime:a', 'phx_close', {}])
    client.ws.terminate()
  })

  test('a join without config reads schema, table and filter from its topic and gets bare changes', async () => {
    await server.db.exec(
      'create table public.plain (id int primary key); alter publication supabase_realtime add table public.plain',
    )
    const client = await open()
    client.send('1', '1', 'realtime:public:plain:id=gt.1', 'phx_join', {})
    expect(await client.next()).toMatchObject({ 4: { status: 'ok' } })
    expect(await client.next()).toMatchObject({ 3: 'system', 4: { message: 'Subscribed to PostgreSQL' } })
    await server.db.exec('insert into plain values (1), (2)')
    expect(await client.next()).toMatchObject({
      2: 'realtime:public:plain:id=gt.1',
      3: 'INSERT',
      4: { record: { id: 2 } },
    })
    client.ws.terminate()
  })

  test('survives invalid and nonsensical messages', async () => {
    const client = await open()
    for (const bytes of ['', '{', '[]', 'null', '[1,2,3,4,5]', '[[],[],[],[],[]]'])
      client.ws.send(Buffer.from(bytes), { binary: false })
    for (const bytes of [[], [3], [3, 255, 255, 255, 255, 255, 1], [0, 0, 0, 0, 0], [9]])
      client.ws.send(Buffer.from(bytes))
    client.send('1', '1', 'realtime:odd', 'phx_join', {
      config: { broadcast: 5, presence: [], postgres_changes: 'x', private: {} },
    })
    expect(await client.next()).toMatchObject({ 4: { status: 'ok' } })
    for (const payload of [null, 5, 'text', [1], { event: 'track', payload: 5 }, { access_token: 5 }, {}])
      for (const event of ['broadcast', 'access_token', 'unheard-of'])
        client.send('1', '2', 'realtime:odd', event, payload)
    client.send('1', '3', 'realtime:odd', 'presence', { event: 'track', payload: [] })
    expect(await client.next()).toMatchObject({
      1: '3',
      4: { status: 'error', response: { reason: 'Presence track payload must be a map' } },
    })
    client.send(null, '9', 'phoenix', 'heartbeat', {})
    expect(await client.next()).toMatchObject({ 1: '9', 4: OK })
    client.ws.terminate()
    expect(server.faults).toEqual([])
  })
})

describe('limits', () => {
  test('the number of channels of a client', async () => {
    const client = await open()
    for (const name of ['a', 'b', 'c']) client.send(name, name, `realtime:${name}`, 'phx_join', CONFIG)
    for (const _ of 'abc') expect(await client.next()).toMatchObject({ 4: { status: 'ok' } })
    client.send('d', 'd', 'realtime:d', 'phx_join', CONFIG)
    expect(await client.next()).toMatchObject({
      4: { response: { reason: 'ChannelRateLimitReached: Too many channels' } },
    })
    client.ws.terminate()
  })

  test('the size of a payload, with an error if a reply was requested', async () => {
    const client = await open()
    client.send('1', '1', 'realtime:big', 'phx_join', CONFIG)
    await client.next()
    client.send('1', '2', 'realtime:big', 'broadcast', {
      type: 'broadcast',
      event: 'e',
      payload: { x: 'x'.repeat(100_000) },
    })
    expect(await client.next()).toMatchObject({ 1: '2', 4: { status: 'error', response: 'payload_size_exceeded' } })
    client.ws.terminate()
  })

  test('the number of track calls in a time window', async () => {
    const client = await open()
    client.send('1', '1', 'realtime:busy', 'phx_join', CONFIG)
    await client.next()
    for (let n = 0; n < 6; n++)
      client.send('1', `t${n}`, 'realtime:busy', 'presence', { event: 'track', payload: { n } })
    for (let n = 0; n < 5; n++) expect(await client.next()).toMatchObject({ 1: `t${n}`, 4: OK })
    expect(await client.next()).toMatchObject({ 3: 'system', 4: { message: 'Client presence rate limit exceeded' } })
    expect(await client.next()).toMatchObject({ 3: 'phx_close' })
    client.ws.terminate()
  })

  test('a flood closes only its own channel', async () => {
    const [flooder, bystander] = [await open(), await open()]
    for (const client of [flooder, bystander]) {
      client.send('1', '1', 'realtime:flood', 'phx_join', { config: { broadcast: {}, postgres_changes: [] } })
      await client.next()
    }
    const closed = vi.fn()
    flooder.ws.on('message', (data) => String(data).includes('Too many messages per second') && closed())
    for (let n = 0; n < 1_000; n++)
      flooder.send('1', null, 'realtime:flood', 'broadcast', { type: 'broadcast', event: 'e', payload: {} })
    await eventually(() => expect(closed).toHaveBeenCalled())
    flooder.ws.terminate()
    bystander.send('1', '2', 'realtime:flood', 'phx_leave', {})
    let heard: unknown
    do heard = await bystander.next()
    while (!JSON.stringify(heard).startsWith('["1","2"'))
    expect(heard).toMatchObject({ 3: 'phx_reply', 4: OK })
    bystander.ws.terminate()
  })

  test("drops a client that doesn't read instead of buffering", async () => {
    const key = server.identity.keys.publishable
    const { port } = new URL(server.url)
    const deaf = connect(Number(port), '127.0.0.1')
    deaf.write(
      `GET /realtime/v1/websocket?vsn=2.0.0&apikey=${key} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
    )
    await once(deaf, 'data')
    const join = Buffer.from(
      JSON.stringify(['1', '1', 'realtime:deaf', 'phx_join', { config: { postgres_changes: [] } }]),
    )
    deaf.write(masked(join))
    await once(deaf, 'data')
    deaf.pause()
    const heartbeat = Buffer.from('[null,"1","phoenix","heartbeat",{}]')
    const beat = setInterval(() => deaf.write(masked(heartbeat)), 300)
    const body = JSON.stringify({ x: 'x'.repeat(90_000) })
    const dropped = 'A client reads too slowly and is dropped'
    for (let n = 0; n < 500 && !server.warnings.includes(dropped); n++)
      await fetch(`${server.url}/realtime/v1/api/broadcast/deaf/events/e`, {
        method: 'POST',
        headers: { apikey: key, 'content-type': 'application/json' },
        body,
      })
    clearInterval(beat)
    deaf.destroy()
    expect(server.warnings).toContain(dropped)
  })

  test('disconnects a silent client; heartbeats prevent it', async () => {
    const strict = await startRealtimeServer('', { limits: { silence: 3_000 } })
    const [silent, alive] = [await open(undefined, strict), await open(undefined, strict)]
    const beat = setInterval(() => alive.send(null, '1', 'phoenix', 'heartbeat', {}), 100)
    await once(silent.ws, 'close')
    clearInterval(beat)
    expect(alive.ws.readyState).toBe(WebSocket.OPEN)
    alive.ws.terminate()
    await strict.close()
  })

  test('with private channels only, rejects public ones and checks policies of private ones', async () => {
    const strict = await startRealtimeServer(
      "create policy club on realtime.messages for select to anon using (realtime.topic() = 'club')",
      { privateOnly: true },
    )
    const { send, next, ws } = await open(undefined, strict)
    const join = (topic: string, isPrivate: boolean) =>
      send('1', '1', `realtime:${topic}`, 'phx_join', { config: { ...CONFIG.config, private: isPrivate } })
    join('club', false)
    expect(await next()).toMatchObject([
      ...['1', '1', 'realtime:club', 'phx_reply'],
      { status: 'error', response: { reason: expect.stringContaining('This project only allows private channels') } },
    ])
    join('club', true)
    expect(await next()).toMatchObject(['1', '1', 'realtime:club', 'phx_reply', { status: 'ok' }])
    ws.terminate()
    await strict.close()
  })
})
