import type { RealtimeChannel } from '@supabase/supabase-js'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { type RealtimeServer, startRealtimeServer } from '../testing/realtime-server.ts'

const ANNA = '00000000-0000-4000-8000-00000000000a'
const BEN = '00000000-0000-4000-8000-00000000000b'

let server: RealtimeServer
beforeAll(async () => {
  server = await startRealtimeServer(`
    create table public.notes (id bigint primary key, owner uuid, title text, secret text, attached bytea);
    alter table public.notes enable row level security;
    create policy own on public.notes for select to authenticated using (owner = auth.uid());
    revoke select on public.notes from authenticated;
    grant select (id, owner, title, attached) on public.notes to authenticated;
    create table public.rooms (id int primary key, name text, big numeric);
    alter table public.rooms replica identity full;
    alter publication supabase_realtime add table public.notes, public.rooms;
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

/** Joins and resolves with the first status, and the error if there is one. */
const join = (channel: RealtimeChannel) =>
  new Promise<string>((resolve) => {
    channel.subscribe((status, error) => resolve(error ? `${status}: ${error.message}` : status))
  })

const systemMessage = (channel: RealtimeChannel) =>
  new Promise<Record<string, unknown>>((resolve) => {
    channel.on('system', {}, resolve)
  })

async function joined(channel: RealtimeChannel): Promise<RealtimeChannel> {
  const subscribed = systemMessage(channel)
  expect(await join(channel)).toBe('SUBSCRIBED')
  expect(await subscribed).toMatchObject({ status: 'ok', message: 'Subscribed to PostgreSQL' })
  return channel
}

describe('broadcast', () => {
  test('reaches the others and, when asked for, oneself; acknowledged', async () => {
    const [a, b] = [
      server.client().channel('room', { config: { broadcast: { ack: true, self: true } } }),
      server.client().channel('room'),
    ]
    const [heardA, heardB] = [vi.fn(), vi.fn()]
    a.on('broadcast', { event: 'cursor' }, heardA)
    b.on('broadcast', { event: 'cursor' }, heardB)
    await Promise.all([join(a), join(b)])
    expect(await a.send({ type: 'broadcast', event: 'cursor', payload: { x: 1, ü: '😀' } })).toBe('ok')
    await vi.waitFor(() => expect(heardB).toHaveBeenCalledTimes(1))
    const expected = { type: 'broadcast', event: 'cursor', payload: { x: 1, ü: '😀' } }
    expect([heardA.mock.calls[0]?.[0], heardB.mock.calls[0]?.[0]]).toEqual([expected, expected])
    await b.send({ type: 'broadcast', event: 'cursor', payload: { x: 2 } })
    await vi.waitFor(() => expect(heardA).toHaveBeenCalledTimes(2))
    expect(heardB).toHaveBeenCalledTimes(1)
  })

  test('carries bytes', async () => {
    const [a, b] = [server.client().channel('bytes'), server.client().channel('bytes')]
    const heard = vi.fn()
    b.on('broadcast', { event: 'blob' }, heard)
    await Promise.all([join(a), join(b)])
    await a.send({ type: 'broadcast', event: 'blob', payload: new Uint8Array([0, 255, 7]).buffer })
    await vi.waitFor(() => expect(heard).toHaveBeenCalled())
    expect(new Uint8Array(heard.mock.calls[0]?.[0].payload)).toEqual(new Uint8Array([0, 255, 7]))
  })

  test('comes by HTTP too: httpSend, and a batch of which the private part is refused', async () => {
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
    await vi.waitFor(() => expect(heard).toHaveBeenCalledTimes(2))
    expect(heard.mock.calls.map(([{ event, payload }]) => [event, payload])).toEqual([
      ['one', { n: 1 }],
      ['two', { n: 2 }],
    ])
  })

  test.each([
    [{ messages: [{ topic: 't', event: 'e' }] }, 422, { errors: { messages: [{ payload: ["can't be blank"] }] } }],
    [{}, 422, { errors: { messages: ["can't be blank"] } }],
  ])('answers a faulty batch as upstream does: %j', async (body, status, expected) => {
    const answer = await fetch(`${server.url}/realtime/v1/api/broadcast`, {
      method: 'POST',
      headers: { apikey: server.identity.keys.publishable, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect([answer.status, await answer.json()]).toEqual([status, expected])
  })

  test('a private topic over HTTP needs leave to write', async () => {
    const reader = server.client(await server.token({ sub: ANNA, member: true }))
    await expect(reader.channel('club', { config: { private: true } }).httpSend('x', {})).rejects.toThrow(
      'Unauthorized',
    )
  })
})

describe('private channels', () => {
  test('admit by policy, and let write by policy', async () => {
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
    await vi.waitFor(() => expect(heardA).toHaveBeenCalled())
    expect(heardA.mock.calls.map(([{ payload }]) => payload)).toEqual([{ from: 'writer' }])
    expect(heardB).not.toHaveBeenCalled()
    const { rows } = await server.db.query({ text: 'select count(*)::int as n from realtime.messages', values: [] })
    expect(rows).toEqual([{ n: 0 }])
  })

  test.each([
    ['a stranger', { sub: BEN, role: undefined }, 'club'],
    ['another topic', { sub: ANNA, member: true, role: undefined }, 'elsewhere'],
    ['a role that does not exist', { role: 'nobody"; drop table x', member: true }, 'club'],
  ])('refuse %s', async (_name, claims, topic) => {
    const client = server.client(await server.token(claims))
    expect(await join(client.channel(topic, { config: { private: true } }))).toContain(
      `Unauthorized: You do not have permissions to read from this Channel topic: ${topic}`,
    )
    expect(server.faults.splice(0)).toHaveLength(claims.role ? 1 : 0)
  })

  test('a message from the database reaches the private topic only, or the public one when told so', async () => {
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
    await vi.waitFor(() => expect([heardInside.mock.calls.length, heardOutside.mock.calls.length]).toEqual([2, 1]))
    expect(heardInside.mock.calls[0]?.[0]).toMatchObject({
      event: 'sent',
      payload: { n: 1 },
      meta: { id: expect.any(String) },
    })
    expect(new Uint8Array(heardInside.mock.calls[1]?.[0].payload)).toEqual(new Uint8Array([0, 7]))
    expect(heardOutside.mock.calls[0]?.[0]).toMatchObject({ event: 'sent', payload: { n: 2 } })
  })

  test('replay sends what was missed, once', async () => {
    await server.db.exec(`select realtime.send('{"n": 7}', 'missed', 'club')`)
    const channel = server
      .client(await server.token({ member: true }))
      .channel('club', { config: { private: true, broadcast: { replay: { since: Date.now() - 60_000, limit: 1 } } } })
    const heard = vi.fn()
    channel.on('broadcast', { event: 'missed' }, heard)
    await join(channel)
    await vi.waitFor(() => expect(heard).toHaveBeenCalled())
    expect(heard.mock.calls[0]?.[0]).toMatchObject({ payload: { n: 7 }, meta: { replayed: true } })
    expect(heard).toHaveBeenCalledTimes(1)
  })

  test('a token that loses its rights, or runs out, ends the channel', async () => {
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
    const short = server.client()
    await short.realtime.setAuth(await server.token({ exp: Math.floor(Date.now() / 1000) + 2 }))
    const passing = short.channel('passing')
    const ended = systemMessage(passing)
    await join(passing)
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
  await vi.waitFor(() => {
    for (const call of [
      ['broadcast', { n: 1 }],
      ['presence', 1],
      ['changes', 99],
    ])
      expect(heard).toHaveBeenCalledWith(...call)
  })
})

describe('presence', () => {
  test('tells who comes, changes and goes; two metas under one key', async () => {
    const room = (key: string) => server.client().channel('lobby', { config: { presence: { key } } })
    const [watcher, first, second] = [room('watcher'), room('anna'), room('anna')]
    const [joins, leaves] = [vi.fn(), vi.fn()]
    watcher.on('presence', { event: 'join' }, joins).on('presence', { event: 'leave' }, leaves)
    await join(watcher)
    await Promise.all([join(first), join(second)])
    expect(await first.track({ at: 'page 1' })).toBe('ok')
    expect(await second.track({ at: 'page 2' })).toBe('ok')
    const pages = () => watcher.presenceState<{ at: string }>().anna?.map(({ at }) => at)
    await vi.waitFor(() => expect(pages()).toEqual(['page 1', 'page 2']))
    await first.track({ at: 'page 3' })
    await vi.waitFor(() => expect(pages()?.toSorted()).toEqual(['page 2', 'page 3']))
    await second.untrack()
    await vi.waitFor(() => expect(pages()).toEqual(['page 3']))
    const late = room('late')
    late.on('presence', { event: 'sync' }, () => {})
    await join(late)
    await vi.waitFor(() => expect(Object.keys(late.presenceState())).toEqual(['anna']))
    await first.unsubscribe()
    await vi.waitFor(() => expect(watcher.presenceState()).toEqual({}))
    expect(leaves).toHaveBeenCalled()
  })
})

describe('postgres_changes', () => {
  test('each user sees the rows and columns that row security and grants show', async () => {
    const clients = await Promise.all([ANNA, BEN].map(async (sub) => server.client(await server.token({ sub }))))
    const heard = clients.map(() => vi.fn())
    await Promise.all(
      clients.map((client, index) =>
        joined(
          client
            .channel('notes')
            .on('postgres_changes', { event: '*', schema: 'public', table: 'notes' }, heard[index] as never),
        ),
      ),
    )
    await server.db.exec(`
      insert into notes values (9007199254740993, '${ANNA}', 'mine', 'hidden', '\\xdead'), (2, '${BEN}', 'his', 'hidden', null);
      update notes set title = 'still mine' where id > 2;
      delete from notes;
    `)
    await vi.waitFor(() => expect(heard.map((one) => one.mock.calls.length)).toEqual([2, 2]))
    // The rows were gone before anybody could be asked about them: only the deletes, and of these only the key.
    expect(heard[0]?.mock.calls.map(([{ eventType, old }]) => [eventType, old])).toEqual([
      ['DELETE', { id: 2 }],
      ['DELETE', { id: 9007199254740992 }],
    ])
    for (const one of heard) one.mockClear()
    await server.db.exec(
      `insert into notes values (3, '${ANNA}', 'mine', 'hidden', '\\xdead'), (4, '${BEN}', 'his', 'hidden', null)`,
    )
    await vi.waitFor(() => expect(heard.map((one) => one.mock.calls.length)).toEqual([1, 1]))
    const [change] = heard[0]?.mock.calls[0] ?? []
    expect(change).toEqual({
      schema: 'public',
      table: 'notes',
      commit_timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      eventType: 'INSERT',
      new: { id: 3, owner: ANNA, title: 'mine', attached: 'dead' },
      old: {},
      errors: null,
    })
    expect(heard[1]?.mock.calls[0]?.[0].new).toMatchObject({ id: 4, owner: BEN })
  })

  test('filters decide; old rows come by replica identity', async () => {
    const client = server.client()
    const heard = vi.fn()
    const on = (filter: string) => ({ event: '*', schema: 'public', table: 'rooms', filter }) as const
    const record = (name: string) => (change: { eventType: string; new: { id?: number }; old: { id?: number } }) =>
      heard(name, change.eventType, change.new.id ?? change.old.id)
    await joined(
      client
        .channel('filters')
        .on('postgres_changes', on('id=eq.1'), record('eq'))
        .on('postgres_changes', on('id=in.(2,3)'), record('in'))
        .on('postgres_changes', on('name=like.a%,id=gt.3'), record('like'))
        .on('postgres_changes', on('name=is.null'), record('null'))
        .on('postgres_changes', on('id=not.lt.5'), record('not')),
    )
    await server.db.exec(`insert into rooms values (1, 'x', 1), (2, 'ab', 1), (3, 'b', 1), (4, 'abc', 1), (5, null, 1)`)
    await vi.waitFor(() => expect(heard).toHaveBeenCalledTimes(6))
    expect(heard.mock.calls).toEqual([
      ['eq', 'INSERT', 1],
      ['in', 'INSERT', 2],
      ['in', 'INSERT', 3],
      ['like', 'INSERT', 4],
      ['null', 'INSERT', 5],
      ['not', 'INSERT', 5],
    ])
    const full = vi.fn()
    await joined(
      server
        .client()
        .channel('full')
        .on('postgres_changes', { event: 'UPDATE', schema: 'public', table: 'rooms' }, full),
    )
    await server.db.exec(`update rooms set name = 'y' where id = 1`)
    await vi.waitFor(() => expect(full).toHaveBeenCalled())
    expect(full.mock.calls[0]?.[0]).toMatchObject({ new: { id: 1, name: 'y' }, old: { id: 1, name: 'x', big: 1 } })
  })

  test.each([
    [
      'an unpublished table',
      { table: 'nothing' },
      /^Unable to subscribe to changes with given parameters. Please check Realtime is enabled/,
    ],
    ['an unknown column', { table: 'rooms', filter: 'nope=eq.1' }, /invalid column for filter nope/],
    ['an unknown operator', { table: 'rooms', filter: 'id=foo.1' }, /^Error parsing `filter` params: \["foo", "1"\]$/],
    ['a hidden column', { table: 'notes', filter: 'secret=eq.1' }, /invalid column for filter secret/],
  ])('says why it cannot subscribe to %s', async (_name, wish, message) => {
    const client = server.client(await server.token({ sub: ANNA }))
    const channel = client.channel('faulty')
    channel.on('postgres_changes', { event: '*', schema: 'public', ...wish }, () => {})
    const told = systemMessage(channel)
    expect(await join(channel)).toBe('SUBSCRIBED')
    expect(await told).toMatchObject({
      extension: 'postgres_changes',
      status: 'error',
      message: expect.stringMatching(message),
    })
  })

  test('partitions are told under their own names, or under their root’s', async () => {
    await server.db.exec(`
      create table public.logs (id int primary key) partition by range (id);
      create table public.logs_a partition of public.logs for values from (0) to (10);
      alter publication supabase_realtime add table public.logs;
    `)
    const heard = vi.fn()
    const listen = () =>
      joined(
        server
          .client()
          .channel('logs')
          .on('postgres_changes', { event: '*', schema: 'public' }, ({ table, new: row }) => heard(table, row)),
      )
    const channel = await listen()
    await server.db.exec('insert into logs values (1)')
    await vi.waitFor(() => expect(heard.mock.calls).toEqual([['logs_a', { id: 1 }]]))
    await channel.unsubscribe()
    await server.db.exec(`
      alter publication supabase_realtime set (publish_via_partition_root = true);
      create table public.logs_b partition of public.logs for values from (10) to (20);
    `)
    await listen()
    await server.db.exec('insert into logs values (2), (12)')
    await vi.waitFor(() =>
      expect(heard.mock.calls.slice(1)).toEqual([
        ['logs', { id: 2 }],
        ['logs', { id: 12 }],
      ]),
    )
    await server.db.exec(
      'drop table public.logs; alter publication supabase_realtime set (publish_via_partition_root = false)',
    )
  })

  test('a change that a trigger makes comes after its cause', async () => {
    await server.db.exec(`
      create table public.steps (id int primary key, done boolean);
      create function public.finish() returns trigger language plpgsql as
        $$ begin update public.steps set done = true where id = new.id; return null; end $$;
      create trigger a_finish after insert on public.steps for each row execute function public.finish();
      alter publication supabase_realtime add table public.steps;
    `)
    const heard = vi.fn()
    await joined(
      server
        .client()
        .channel('steps')
        .on('postgres_changes', { event: '*', schema: 'public', table: 'steps' }, ({ eventType }) => heard(eventType)),
    )
    await server.db.exec('insert into steps values (1, false)')
    await vi.waitFor(() => expect(heard.mock.calls).toEqual([['INSERT'], ['UPDATE']]))
  })

  test('what is rolled back is not told', async () => {
    const heard = vi.fn()
    await joined(
      server
        .client()
        .channel('undone')
        .on('postgres_changes', { event: '*', schema: 'public', table: 'rooms' }, ({ new: row }) => heard(row)),
    )
    await expect(server.db.exec('insert into rooms values (70); select 1 / 0')).rejects.toThrow('division by zero')
    await server.db.exec('insert into rooms values (71)')
    await vi.waitFor(() => expect(heard.mock.calls).toEqual([[{ id: 71, name: null, big: null }]]))
  })

  test('subscriptions that the database has lost are made again', async () => {
    const heard = vi.fn()
    await joined(
      server
        .client()
        .channel('kept')
        .on('postgres_changes', { event: 'INSERT', schema: 'public', table: 'rooms' }, heard),
    )
    await server.db.exec('delete from realtime.subscription')
    await server.restore()
    await server.db.exec('insert into rooms values (80)')
    await vi.waitFor(() => expect(heard).toHaveBeenCalled())
  })

  test('follow the publication, capture nothing when nobody listens, and leave no trace in the catalog', async () => {
    const heard = vi.fn()
    const client = server.client()
    const channel = await joined(client.channel('all').on('postgres_changes', { event: '*', schema: 'public' }, heard))
    await server.db.exec(
      `create table public.later (id int primary key); alter publication supabase_realtime add table public.later`,
    )
    await vi.waitFor(async () => expect(await capturing()).toContain('later'))
    await server.db.exec('insert into later select generate_series(1, 10000)')
    await vi.waitFor(() => expect(heard).toHaveBeenCalledTimes(10_000), 20_000)
    expect(heard.mock.calls.map(([change]) => change.new.id)).toEqual(
      Array.from({ length: 10_000 }, (_, index) => index + 1),
    )
    await channel.unsubscribe()
    await vi.waitFor(async () => expect(await capturing()).toEqual([]))
    await server.db.exec('insert into later values (0)')
    const traces = await server.db.query({
      text: `select (select count(*)::int from _realtime.changes) as queued,
        (select count(*)::int from information_schema.triggers where event_object_table = 'later') as triggers`,
      values: [],
    })
    expect(traces.rows).toEqual([{ queued: 0, triggers: 0 }])
  })

  const capturing = async () => {
    const { rows } = await server.db.query<{ name: string }>({
      text: `select relid::regclass::text as name from _realtime.present_capture where tgenabled <> 'D' order by 1`,
      values: [],
    })
    return rows.map(({ name }) => name)
  }
})
