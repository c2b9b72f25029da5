import { LongPoll } from '@supabase/phoenix'
import type { RealtimeClientOptions } from '@supabase/supabase-js'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import { join, joined } from '../testing/realtime-client.ts'
import { type RealtimeServer, startRealtimeServer } from '../testing/realtime-server.ts'

const POLL_WINDOW = 2_000

let server: RealtimeServer
beforeAll(async () => {
  server = await startRealtimeServer(
    `create table public.rooms (id int primary key);
    alter publication supabase_realtime add table public.rooms;
    create policy read on realtime.messages for select to authenticated using (realtime.topic() = 'club');`,
    { limits: { pollWindow: POLL_WINDOW, backlogBytes: 100_000 } },
  )
})
afterEach(async () => {
  await server.disconnect()
  expect(server.faults.splice(0)).toEqual([])
})
afterAll(async () => {
  await server?.close()
})

const transport = LongPoll as unknown as NonNullable<RealtimeClientOptions['transport']>
const client = (token?: string, vsn = '2.0.0') => server.client(token, { transport, vsn })

describe('the official client', () => {
  test.each(['1.0.0', '2.0.0'])('receives broadcasts, presence and changes with serializer %s', async (vsn) => {
    const heard = vi.fn()
    const config = { broadcast: { self: true, ack: true } }
    const channel = client(undefined, vsn).channel(`all-${vsn}`, { config })
    channel
      .on('broadcast', { event: 'e' }, ({ payload }) => heard('broadcast', payload))
      .on('presence', { event: 'sync' }, () => heard('presence', Object.values(channel.presenceState()).length))
      .on('postgres_changes', { event: 'INSERT', schema: 'public', table: 'rooms' }, (change) =>
        heard('changes', change.new.id),
      )
    await joined(channel)
    await channel.track({ here: true })
    expect(await channel.send({ type: 'broadcast', event: 'e', payload: { text: 'ü😀' } })).toBe('ok')
    await server.db.exec('insert into rooms values (99); delete from rooms where id = 99')
    await eventually(() => {
      for (const call of [
        ['broadcast', { text: 'ü😀' }],
        ['presence', 1],
        ['changes', 99],
      ])
        expect(heard).toHaveBeenCalledWith(...call)
    })
  })

  test('exchanges messages with a WebSocket client', async () => {
    const [polling, connected] = [client().channel('mixed'), server.client().channel('mixed')]
    const [heardPolling, heardConnected] = [vi.fn(), vi.fn()]
    polling.on('broadcast', { event: 'e' }, ({ payload }) => heardPolling(payload))
    connected.on('broadcast', { event: 'e' }, ({ payload }) => heardConnected(payload))
    await Promise.all([join(polling), join(connected)])
    for (let n = 0; n < 150; n++) await connected.send({ type: 'broadcast', event: 'e', payload: { n } })
    await polling.send({ type: 'broadcast', event: 'e', payload: { from: 'polling' } })
    await eventually(() => expect(heardConnected).toHaveBeenCalledWith({ from: 'polling' }))
    await eventually(() => expect(heardPolling).toHaveBeenCalledTimes(150))
    expect(heardPolling.mock.calls.map(([{ n }]) => n)).toEqual(Array.from({ length: 150 }, (_, n) => n))
  })

  test('is admitted to private channels by their policies', async () => {
    const token = await server.token({ sub: '00000000-0000-4000-8000-00000000000a' })
    const join_ = (topic: string) => join(client(token).channel(topic, { config: { private: true } }))
    expect(await join_('club')).toBe('SUBSCRIBED')
    expect(await join_('other')).toContain('You do not have permissions to read from this Channel topic: other')
  })

  test('stays connected while idle, and leaves once it stops polling', async () => {
    const room = (options = {}) => ({ config: { presence: { key: 'anna' }, ...options } })
    const staying = client().channel('lobby', room())
    staying.on('presence', { event: 'sync' }, () => undefined)
    await join(staying)
    await staying.track({ n: 1 })
    const session = await open()
    const topic = 'realtime:lobby'
    await session.send(['1', '1', topic, 'phx_join', room({ presence: { key: 'ben', enabled: true } })])
    await session.send(['1', '2', topic, 'presence', { event: 'track', payload: { n: 2 } }])
    await eventually(() => expect(Object.keys(staying.presenceState()).toSorted()).toEqual(['anna', 'ben']))
    await eventually(() => expect(Object.keys(staying.presenceState())).toEqual(['anna']))
    expect(await session.send(['1', '3', topic, 'heartbeat', {}])).toEqual({ status: 410 })
  })
})

type Answer = { status: number; token?: string; messages?: string[] }

const ask = async (query: string, init?: RequestInit): Promise<Answer> => {
  const response = await fetch(`${server.url}/realtime/v1/longpoll?${query}`, init)
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store'])
  return response.json()
}

async function open() {
  const { status, token } = await ask(`vsn=2.0.0&apikey=${server.identity.keys.publishable}`)
  expect(status).toBe(410)
  const post = (body: string, type = 'application/x-ndjson') =>
    ask(`vsn=2.0.0&token=${token}`, { method: 'POST', headers: { 'content-type': type }, body })
  return {
    post,
    send: (...messages: unknown[]) => post(messages.map((one) => JSON.stringify(one)).join('\n')),
    poll: (signal?: AbortSignal) => ask(`vsn=2.0.0&token=${token}`, signal ? { signal } : undefined),
  }
}

describe('a session', () => {
  const heartbeat = (ref: string) => [null, ref, 'phoenix', 'heartbeat', {}]
  const reply = (ref: string) => JSON.stringify([null, ref, 'phoenix', 'phx_reply', { status: 'ok', response: {} }])

  test.each([
    ['no key', 'vsn=2.0.0'],
    ['another key', 'vsn=2.0.0&apikey=sb_publishable_other'],
    ['another serializer', () => `vsn=3.0.0&apikey=${server.identity.keys.publishable}`],
  ])('rejects %s', async (_name, query) => {
    expect(await ask(typeof query === 'string' ? query : query())).toEqual({ status: 403 })
  })

  test('answers a batch in order, and an empty poll at the end of its window', async () => {
    const { send, poll } = await open()
    expect(await send(heartbeat('1'), heartbeat('2'))).toEqual({ status: 200 })
    expect(await poll()).toMatchObject({ status: 200, messages: [reply('1'), reply('2')] })
    expect(await poll()).toMatchObject({ status: 204, messages: [] })
  })

  test('wakes a waiting poll, and a newer poll ends it', async () => {
    const { send, poll } = await open()
    const polls = [poll(), poll()]
    expect(await Promise.race(polls)).toMatchObject({ status: 204 })
    await send(heartbeat('1'))
    const messages = (await Promise.all(polls)).map((answered) => answered.messages)
    expect(messages.toSorted()).toEqual([[], [reply('1')]])
  })

  test('keeps messages for a client whose poll was interrupted', async () => {
    const { send, poll } = await open()
    const cut = new AbortController()
    const lost = poll(cut.signal)
    cut.abort()
    await expect(lost).rejects.toThrow('aborted')
    await send(heartbeat('1'))
    expect(await poll()).toMatchObject({ status: 200, messages: [reply('1')] })
  })

  test('survives malformed messages and rejects large bodies', async () => {
    const { post, poll } = await open()
    for (const body of ['', '[', '{}', '!!!', 'AAAA', '\n\n', '[1,2,3,4,5]', '\u0000'])
      expect([body, await post(body)]).toEqual([body, { status: 200 }])
    expect(await post('x'.repeat(8_000_001))).toEqual({ status: 413 })
    expect(await post(JSON.stringify(heartbeat('1')), 'text/plain')).toEqual({ status: 200 })
    expect(await poll()).toMatchObject({ messages: [reply('1')] })
    expect(server.warnings.splice(0)).toContain('MalformedWebSocketMessage')
  })

  test('ends if its client reads too slowly', async () => {
    const { send, poll } = await open()
    const config = { broadcast: { self: true }, presence: { enabled: false } }
    await send(['1', '1', 'realtime:flood', 'phx_join', { config }])
    const message = { type: 'broadcast', event: 'e', payload: { text: 'x'.repeat(60_000) } }
    const flood = [null, null, 'realtime:flood', 'broadcast', message]
    await eventually(async () => expect(await send(flood)).toEqual({ status: 410 }))
    expect(server.warnings.splice(0)).toContain('A client reads too slowly and is dropped')
    expect(await poll()).toEqual({ status: 403 })
  })

  test('accepts GET and POST', async () => {
    const response = await fetch(`${server.url}/realtime/v1/longpoll`, { method: 'PUT' })
    expect([response.status, await response.text()]).toEqual([400, ''])
  })

  test("that doesn't exist returns 410", async () => {
    expect(await ask('token=guessed', { method: 'POST', body: '[]' })).toEqual({ status: 410 })
  })
})
