import type { RealtimeChannel } from '@supabase/supabase-js'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import { join, joined, systemMessage } from '../testing/realtime-client.ts'
import { type RealtimeServer, startRealtimeServer } from '../testing/realtime-server.ts'

const ANNA = '00000000-0000-4000-8000-00000000000a'
const BEN = '00000000-0000-4000-8000-00000000000b'

let server: RealtimeServer
beforeAll(async () => {
  server = await startRealtimeServer(`
    create table public.rooms (id int primary key, name text, big numeric);
    alter publication supabase_realtime add table public.rooms;
    create policy read on realtime.messages for select to authenticated
      using (realtime.topic() = 'club' and (auth.jwt() ->> 'member') = 'true');
    create policy write on realtime.messages for insert to authenticated
      with check (realtime.topic() = 'club' and (auth.jwt() ->> 'writer') = 'true');
  `)
})
afterEach(async () => {
  await server.disconnect()
  expect(server.faults.splice(0)).toEqual([])
})
afterAll(async () => {
  await server?.close()
})

describe('broadcast', () => {
  test('reaches other clients, optionally its sender, and is acknowledged', async () => {
    const [a, b] = [
      server.client().channel('room', { config: { broadcast: { ack: true, self: true } } }),
      server.client().channel('room'),
    ]
    const [heardA, heardB] = [vi.fn(), vi.fn()]
    a.on('broadcast', { event: 'cursor' }, heardA)
    b.on('broadcast', { event: 'cursor' }, heardB)
    await Promise.all([join(a), join(b)])
    expect(await a.send({ type: 'broadcast', event: 'cursor', payload: { x: 1, ü: '😀' } })).toBe('ok')
    await eventually(() => expect(heardB).toHaveBeenCalledTimes(1))
    const expected = { type: 'broadcast', event: 'cursor', payload: { x: 1, ü: '😀' } }
    expect([heardA.mock.calls[0]?.[0], heardB.mock.calls[0]?.[0]]).toEqual([expected, expected])
    await b.send({ type: 'broadcast', event: 'cursor', payload: { x: 2 } })
    await eventually(() => expect(heardA).toHaveBeenCalledTimes(2))
    expect(heardB).toHaveBeenCalledTimes(1)
  })

  test('carries bytes', async () => {
    const [a, b] = [server.client().channel('bytes'), server.client().channel('bytes')]
    const heard = vi.fn()
    b.on('broadcast', { event: 'blob' }, heard)
    await Promise.all([join(a), join(b)])
    await a.send({ type: 'broadcast', event: 'blob', payload: new Uint8Array([0, 255, 7]).buffer })
    await eventually(() => expect(heard).toHaveBeenCalled())
    expect(new Uint8Array(heard.mock.calls[0]?.[0].payload)).toEqual(new Uint8Array([0, 255, 7]))
  })

  test.each([
    ['GET', 'ping', 200],
    ['POST', 'broadcast/%zz/events/e', 400],
    ['GET', 'broadcast', 405],
    ['POST', 'broadcast//events/e', 404],
    ['POST', 'broadcast', 401],
  ])('%s %s without a key returns %i', async (method, path, status) => {
    expect((await fetch(`${server.url}/realtime/v1/api/${path}`, { method })).status).toBe(status)
  })

  test('can be sent with httpSend, and as a batch whose private part is rejected', async () => {
    const channel = server.client().channel('http')
    const heard = vi.fn()
    channel.on('broadcast', { event: '*' }, heard)
    await join(channel)
    expect(await server.client().channel('http').httpSend('one', { n: 1 })).toEqual({ success: true })
    const answer = await fetch(`${server.url}/realtime/v1/api/broadcast`, {
      method: 'POST',
      headers: { apikey: server.identity.keys.publishable, 'content-type': 'application/json' },
      body: JSON.stringify({
        messages: [
          { topic: 'http', event: 'two', payload: { n: 2 } },
          { topic: 'club', event: 'three', payload: { n: 3 }, private: true },
        ],
      }),
    })
    expect(answer.status).toBe(202)
    await eventually(() => expect(heard).toHaveBeenCalledTimes(2))
    expect(heard.mock.calls.map(([{ event, payload }]) => [event, payload])).toEqual([
      ['one', { n: 1 }],
      ['two', { n: 2 }],
    ])
  })

  test.each([
    [{ messages: [{ topic: 't', event: 'e' }] }, 422, { errors: { messages: [{ payload: ["can't be blank"] }] } }],
    [{}, 422, { errors: { messages: ["can't be blank"] } }],
  ])('handles an invalid batch like upstream: %j', async (body, status, expected) => {
    const answer = await fetch(`${server.url}/realtime/v1/api/broadcast`, {
      method: 'POST',
      headers: { apikey: server.identity.keys.publishable, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect([answer.status, await answer.json()]).toEqual([status, expected])
  })

  test('to a private topic over HTTP requires write permission', async () => {
    const reader = server.client(await server.token({ sub: ANNA, member: true }))
    await expect(reader.channel('club', { config: { private: true } }).httpSend('x', {})).rejects.toThrow(
      'Unauthorized',
    )
  })
})

describe('private channels', () => {
  test('admit readers and writers by policy', async () => {
    const member = server.client(await server.token({ sub: ANNA, member: true }))
    const writer = server.client(await server.token({ sub: BEN, member: true, writer: true }))
    const [a, b] = [member, writer].map((client) => client.channel('club', { config: { private: true } })) as [
      RealtimeChannel,
      RealtimeChannel,
    ]
    const [heardA, heardB] = [vi.fn(), vi.fn()]
    a.on('broadcast', { event: 'x' }, heardA)
    b.on('broadcast', { event: 'x' }, heardB)
    expect(await Promise.all([join(a), join(b)])).toEqual(['SUBSCRIBED', 'SUBSCRIBED'])
    await a.send({ type: 'broadcast', event: 'x', payload: { from: 'reader' } })
    await b.send({ type: 'broadcast', event: 'x', payload: { from: 'writer' } })
    await eventually(() => expect(heardA).toHaveBeenCalled())
    expect(heardA.mock.calls.map(([{ payload }]) => payload)).toEqual([{ from: 'writer' }])
    expect(heardB).not.toHaveBeenCalled()
    const { rows } = await server.db.query({ text: 'select count(*)::int as n from realtime.messages', values: [] })
    expect(rows).toEqual([{ n: 0 }])
  })

  test.each([
    ['a user without access', { sub: BEN, role: undefined }, 'club'],
    ['another topic', { sub: ANNA, member: true, role: undefined }, 'elsewhere'],
    ['a missing role', { role: 'nobody"; drop table x', member: true }, 'club'],
  ])('reject %s', async (_name, claims, topic) => {
    const client = server.client(await server.token(claims))
    expect(await join(client.channel(topic, { config: { private: true } }))).toContain(
      `Unauthorized: You do not have permissions to read from this Channel topic: ${topic}`,
    )
    expect(server.faults.splice(0)).toHaveLength(claims.role ? 1 : 0)
  })

  test('a database message reaches only the private topic, or the public one if requested', async () => {
    const inside = server.client(await server.token({ member: true })).channel('club', { config: { private: true } })
    const outside = server.client().channel('club')
    const [heardInside, heardOutside] = [vi.fn(), vi.fn()]
    inside.on('broadcast', { event: '*' }, heardInside)
    outside.on('broadcast', { event: '*' }, heardOutside)
    await Promise.all([join(inside), join(outside)])
    await server.db.exec(`
      select realtime.send('{"n": 1}', 'sent', 'club');
      select realtime.send('{"n": 2}', 'sent', 'club', false);
      select realtime.send_binary('\\x0007', 'bytes', 'club');
    `)
    await eventually(() => expect([heardInside.mock.calls.length, heardOutside.mock.calls.length]).toEqual([2, 1]))
    expect(heardInside.mock.calls[0]?.[0]).toMatchObject({
      event: 'sent',
      payload: { n: 1 },
      meta: { id: expect.any(String) },
    })
    expect(new Uint8Array(heardInside.mock.calls[1]?.[0].payload)).toEqual(new Uint8Array([0, 7]))
    expect(heardOutside.mock.calls[0]?.[0]).toMatchObject({ event: 'sent', payload: { n: 2 } })
  })

  test('replay sends missed messages once', async () => {
    await server.db.exec(`select realtime.send('{"n": 7}', 'missed', 'club')`)
    const channel = server
      .client(await server.token({ member: true }))
      .channel('club', { config: { private: true, broadcast: { replay: { since: Date.now() - 60_000, limit: 1 } } } })
    const heard = vi.fn()
    channel.on('broadcast', { event: 'missed' }, heard)
    await join(channel)
    await eventually(() => expect(heard).toHaveBeenCalled())
    expect(heard.mock.calls[0]?.[0]).toMatchObject({ payload: { n: 7 }, meta: { replayed: true } })
    expect(heard).toHaveBeenCalledTimes(1)
  })

  test('a token that expires or loses access closes the channel', async () => {
    const client = server.client()
    await client.realtime.setAuth(await server.token({ sub: ANNA, member: true }))
    const channel = client.channel('club', { config: { private: true } })
    const told = systemMessage(channel)
    expect(await join(channel)).toBe('SUBSCRIBED')
    await client.realtime.setAuth(await server.token({ sub: ANNA }))
    expect(await told).toEqual({
      extension: 'system',
      status: 'error',
      channel: 'club',
      message: 'You do not have permissions to read from this Channel topic: club',
    })
    const timely = server.client(await server.token({ sub: ANNA }))
    const passing = timely.channel('passing')
    const ended = systemMessage(passing)
    expect(await join(passing)).toBe('SUBSCRIBED')
    server.advance(3_700)
    expect(await ended).toMatchObject({
      status: 'error',
      message: expect.stringMatching(/^Token has expired \d+ seconds ago$/),
    })
  })
})

test.each(['1.0.0', '2.0.0'])('serializer %s carries broadcasts, presence and changes', async (vsn) => {
  const heard = vi.fn()
  const channel = server.client(undefined, { vsn }).channel(`all-${vsn}`, { config: { broadcast: { self: true } } })
  channel
    .on('broadcast', { event: 'e' }, ({ payload }) => heard('broadcast', payload))
    .on('presence', { event: 'sync' }, () => heard('presence', Object.values(channel.presenceState())[0]?.length ?? 0))
    .on('postgres_changes', { event: 'INSERT', schema: 'public', table: 'rooms' }, (change) =>
      heard('changes', change.new.id),
    )
  await joined(channel)
  await channel.track({ here: true })
  await channel.send({ type: 'broadcast', event: 'e', payload: { n: 1 } })
  await server.db.exec('insert into rooms values (99); delete from rooms where id = 99')
  await eventually(() => {
    for (const call of [
      ['broadcast', { n: 1 }],
      ['presence', 1],
      ['changes', 99],
    ])
      expect(heard).toHaveBeenCalledWith(...call)
  })
})

describe('presence', () => {
  test('reports joins, updates and leaves, with two metas under one key', async () => {
    const room = (key: string) => server.client().channel('lobby', { config: { presence: { key } } })
    const [watcher, first, second] = [room('watcher'), room('anna'), room('anna')]
    const [joins, leaves] = [vi.fn(), vi.fn()]
    watcher.on('presence', { event: 'join' }, joins).on('presence', { event: 'leave' }, leaves)
    await join(watcher)
    await Promise.all([join(first), join(second)])
    expect(await first.track({ at: 'page 1' })).toBe('ok')
    expect(await second.track({ at: 'page 2' })).toBe('ok')
    const pages = () => watcher.presenceState<{ at: string }>().anna?.map(({ at }) => at)
    await eventually(() => expect(pages()).toEqual(['page 1', 'page 2']))
    await first.track({ at: 'page 3' })
    await eventually(() => expect(pages()?.toSorted()).toEqual(['page 2', 'page 3']))
    await second.untrack()
    await eventually(() => expect(pages()).toEqual(['page 3']))
    const late = room('late')
    late.on('presence', { event: 'sync' }, () => {})
    await join(late)
    await eventually(() => expect(Object.keys(late.presenceState())).toEqual(['anna']))
    await first.unsubscribe()
    await eventually(() => expect(watcher.presenceState()).toEqual({}))
    expect(leaves).toHaveBeenCalled()
  })
})
