import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { join, joined, systemMessage } from '../../testing/realtime-client.ts'
import { type RealtimeServer, startRealtimeServer } from '../../testing/realtime-server.ts'

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
    create table public.papers (id int primary key, title varchar(20), body json);
    alter publication supabase_realtime add table public.notes, public.rooms, public.papers;
  `)
})
afterEach(async () => {
  await server.disconnect()
  expect(server.faults.splice(0)).toEqual([])
})
afterAll(async () => {
  await server?.close()
})

test('each user receives the rows and columns allowed by row security and grants', async () => {
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
  await eventually(() => expect(heard.map((one) => one.mock.calls.length)).toEqual([2, 2]))
  // The rows were deleted before policies were evaluated, so only the deletes arrive, with just the key.
  expect(heard[0]?.mock.calls.map(([{ eventType, old }]) => [eventType, old])).toEqual([
    ['DELETE', { id: 2 }],
    ['DELETE', { id: 9007199254740992 }],
  ])
  for (const one of heard) one.mockClear()
  await server.db.exec(
    `insert into notes values (3, '${ANNA}', 'mine', 'hidden', '\\xdead'), (4, '${BEN}', 'his', 'hidden', null)`,
  )
  await eventually(() => expect(heard.map((one) => one.mock.calls.length)).toEqual([1, 1]))
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

test('applies filters, and old rows depend on the replica identity', async () => {
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
  await eventually(() => expect(heard).toHaveBeenCalledTimes(6))
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
    server.client().channel('full').on('postgres_changes', { event: 'UPDATE', schema: 'public', table: 'rooms' }, full),
  )
  await server.db.exec(`update rooms set name = 'y' where id = 1`)
  await eventually(() => expect(full).toHaveBeenCalled())
  expect(full.mock.calls[0]?.[0]).toMatchObject({ new: { id: 1, name: 'y' }, old: { id: 1, name: 'x', big: 1 } })
})

test('supports filters with a hundred long values, and LIKE on varchar', async () => {
  const heard = vi.fn()
  const many = Array.from({ length: 100 }, (_, n) => `title ${n} that is long enough to exceed an index entry`)
  const on = (filter: string) => ({ event: 'INSERT', schema: 'public', table: 'papers', filter }) as const
  await joined(
    server
      .client()
      .channel('papers')
      .on('postgres_changes', on(`title=in.(short,${many.slice(1).join(',')})`), () => heard('in'))
      .on('postgres_changes', on('title=like.s%'), () => heard('like')),
  )
  await server.db.exec(`insert into papers values (1, 'short', '{}')`)
  await eventually(() => expect(heard.mock.calls.flat().sort()).toEqual(['in', 'like']))
})

test.each([
  [
    'an unpublished table',
    { table: 'nothing' },
    /^Unable to subscribe to changes with given parameters. Please check Realtime is enabled/,
  ],
  ['an unknown column', { table: 'rooms', filter: 'nope=eq.1' }, /invalid column for filter nope/],
  ['an unknown operator', { table: 'rooms', filter: 'id=foo.1' }, /^Error parsing `filter` params: \["foo", "1"\]$/],
  [
    'a column without that operator',
    { table: 'papers', filter: 'body=eq.{}' },
    /operator eq is not supported on column body of type json: operator does not exist: json = json/,
  ],
  ['a hidden column', { table: 'notes', filter: 'secret=eq.1' }, /invalid column for filter secret/],
])('rejects a subscription to %s with the reason', async (_name, binding, message) => {
  const client = server.client(await server.token({ sub: ANNA }))
  const channel = client.channel('faulty')
  channel.on('postgres_changes', { event: '*', schema: 'public', ...binding }, () => {})
  const told = systemMessage(channel)
  expect(await join(channel)).toBe('SUBSCRIBED')
  expect(await told).toMatchObject({
    extension: 'postgres_changes',
    status: 'error',
    message: expect.stringMatching(message),
  })
})

test('names partitions or their root in changes', async () => {
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
  await eventually(() => expect(heard.mock.calls).toEqual([['logs_a', { id: 1 }]]))
  await channel.unsubscribe()
  await server.db.exec(`
      alter publication supabase_realtime set (publish_via_partition_root = true);
      create table public.logs_b partition of public.logs for values from (10) to (20);
    `)
  await listen()
  await server.db.exec('insert into logs values (2), (12)')
  await eventually(() =>
    expect(heard.mock.calls.slice(1)).toEqual([
      ['logs', { id: 2 }],
      ['logs', { id: 12 }],
    ]),
  )
  await server.db.exec(
    'drop table public.logs; alter publication supabase_realtime set (publish_via_partition_root = false)',
  )
})

test("delivers a trigger's change after its cause", async () => {
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
  await eventually(() => expect(heard.mock.calls).toEqual([['INSERT'], ['UPDATE']]))
})

test("doesn't deliver rolled-back changes", async () => {
  const heard = vi.fn()
  await joined(
    server
      .client()
      .channel('undone')
      .on('postgres_changes', { event: '*', schema: 'public', table: 'rooms' }, ({ new: row }) => heard(row)),
  )
  await expect(server.db.exec('insert into rooms values (70); select 1 / 0')).rejects.toThrow('division by zero')
  await server.db.exec('insert into rooms values (71)')
  await eventually(() => expect(heard.mock.calls).toEqual([[{ id: 71, name: null, big: null }]]))
})

test('recreates subscriptions that the database lost', async () => {
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
  await eventually(() => expect(heard).toHaveBeenCalled())
})

test("delivering a bulk change doesn't delay queries and broadcasts", async () => {
  await server.db.exec(
    'create table public.bulk (id int primary key); alter publication supabase_realtime add table public.bulk',
  )
  const order: string[] = []
  const bulk = server
    .client()
    .channel('bulk')
    .on('postgres_changes', { event: '*', schema: 'public', table: 'bulk' }, ({ new: row }) =>
      order.push(`${(row as { id: number }).id}`),
    )
  const room = server
    .client()
    .channel('room')
    .on('broadcast', { event: 'e' }, () => order.push('broadcast'))
  await Promise.all([joined(bulk), join(room)])
  await server.db.exec('insert into bulk select generate_series(1, 10000)')
  for (let n = 0; n < 5; n++) await server.db.query({ text: 'select 1', values: [] })
  order.push('asked')
  await server.client().channel('room').httpSend('e', {})
  await eventually(() => expect(order).toHaveLength(10_002))
  expect(order.indexOf('asked')).toBeLessThan(5_000)
  expect(order.indexOf('broadcast')).toBeLessThan(10_001)
  expect(order.filter((one) => /^\d/.test(one))).toEqual(Array.from({ length: 10_000 }, (_, index) => `${index + 1}`))
})

test('triggers follow the publication, capture nothing without subscribers and are hidden in the catalog', async () => {
  const heard = vi.fn()
  const client = server.client()
  const channel = await joined(client.channel('all').on('postgres_changes', { event: '*', schema: 'public' }, heard))
  await server.db.exec(
    `create table public.later (id int primary key); alter publication supabase_realtime add table public.later`,
  )
  await eventually(async () => expect(await capturing()).toContain('later'))
  await server.db.exec('insert into later select generate_series(1, 10000)')
  await eventually(() => expect(heard).toHaveBeenCalledTimes(10_000))
  expect(heard.mock.calls.map(([change]) => change.new.id)).toEqual(
    Array.from({ length: 10_000 }, (_, index) => index + 1),
  )
  await channel.unsubscribe()
  await eventually(async () => expect(await capturing()).toEqual([]))
  await server.db.exec('insert into later values (0)')
  await eventually(async () => {
    const traces = await server.db.query({
      text: `select (select count(*)::int from _realtime.changes) as queued,
          (select count(*)::int from information_schema.triggers where event_object_table = 'later') as triggers`,
      values: [],
    })
    expect(traces.rows).toEqual([{ queued: 0, triggers: 0 }])
  })
})

const capturing = async () => {
  const { rows } = await server.db.query<{ name: string }>({
    text: `select relid::regclass::text as name from _realtime.present_capture where tgenabled <> 'D' order by 1`,
    values: [],
  })
  return rows.map(({ name }) => name)
}
