import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { joined } from '../../testing/realtime-client.ts'
import { type RealtimeNode, type RealtimeNodes, startRealtimeNodes } from '../../testing/realtime-nodes.ts'
import { ChangeQueue, LostPlaceError } from './change-queue.ts'

let nodes: RealtimeNodes
let a: RealtimeNode
let b: RealtimeNode
beforeAll(async () => {
  nodes = await startRealtimeNodes(2, {
    script: `
      create table public.items (id int primary key, name text);
      grant all on public.items to postgres;
      alter publication supabase_realtime add table public.items;
    `,
  })
  ;[a, b] = nodes.nodes as [RealtimeNode, RealtimeNode]
})
afterEach(async () => {
  await nodes.disconnect()
  await nodes.database.db.exec('delete from public.items')
  for (const node of nodes.nodes) expect(node.faults.splice(0)).toEqual([])
})
afterAll(() => nodes?.close())

async function subscriber(node: RealtimeNode, table = 'items') {
  const heard: number[] = []
  const channel = node.client().channel(`changes ${table}`)
  channel.on('postgres_changes', { event: 'INSERT', schema: 'public', table }, ({ new: row }) => heard.push(row.id))
  await joined(channel)
  return { channel, heard }
}

async function session(): Promise<pg.Client> {
  const client = new pg.Client(nodes.database.url)
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

const count = async (sql: string): Promise<number> => {
  const { rows } = await nodes.database.db.query<{ n: number }>({
    text: `select count(*)::int as n from ${sql}`,
    values: [],
  })
  return rows[0]?.n ?? -1
}

test('each node sends every change to its subscribers once and in order', async () => {
  const subscribers = [await subscriber(a), await subscriber(b), await subscriber(b)]
  await nodes.database.db.exec('insert into public.items select n from generate_series(1, 1000) n')
  for (let id = 1001; id <= 1020; id++) await nodes.database.db.exec(`insert into public.items values (${id})`)
  const expected = Array.from({ length: 1020 }, (_, index) => index + 1)
  await eventually(() => expect(subscribers.map(({ heard }) => heard.length)).toEqual([1020, 1020, 1020]))
  for (const { heard } of subscribers) expect(heard).toEqual(expected)
})

test('delivers a transaction that commits late without delaying others', async () => {
  const subscribers = [await subscriber(a), await subscriber(b)]
  const [early, late] = [await session(), await session()]
  const hear = (ids: number[]) => eventually(() => expect(subscribers.map(({ heard }) => heard)).toEqual([ids, ids]))
  await late.query('begin')
  await late.query('insert into public.items values (1)')
  await early.query('insert into public.items values (2)')
  await hear([2])
  await late.query('savepoint inner_one')
  await late.query('insert into public.items values (3)')
  await late.query('release savepoint inner_one')
  for (const id of [4, 5]) await early.query('insert into public.items values ($1)', [id])
  await hear([2, 4, 5])
  await late.query('commit')
  await hear([2, 4, 5, 1, 3])
  await early.query('insert into public.items values (6)')
  await hear([2, 4, 5, 1, 3, 6])
})

test('delivers randomly overlapping transactions once on both nodes', async () => {
  const subscribers = [await subscriber(a), await subscriber(b)]
  const writers = await Promise.all(Array.from({ length: 8 }, session))
  let next = 0
  await Promise.all(
    writers.map(async (writer, index) => {
      for (let round = 0; round < 12; round++) {
        await writer.query('begin')
        for (let row = 0; row <= (index + round) % 4; row++) {
          next += 1
          await writer.query('insert into public.items values ($1)', [next])
          if ((index * round) % 5 === 1) await writer.query('select pg_sleep(0.02)')
        }
        await writer.query(round % 6 === 5 ? 'rollback' : 'commit')
      }
    }),
  )
  const { rows } = await nodes.database.db.query<{ id: number }>({
    text: 'select id from public.items order by id',
    values: [],
  })
  const expected = rows.map(({ id }) => id)
  await eventually(() =>
    expect(subscribers.map(({ heard }) => heard.length)).toEqual([expected.length, expected.length]),
  )
  for (const { heard } of subscribers) expect(heard.toSorted((x, y) => x - y)).toEqual(expected)
})

test('deletes changes that all nodes have read, without waiting for a dead node', async () => {
  const { heard } = await subscriber(a)
  await eventually(async () => expect(await count('_realtime.changes')).toBe(0))
  const paused = new ChangeQueue(nodes.database.db, { node: '00000000-0000-4000-8000-0000000000ff', isAlone: false })
  await paused.join()
  await nodes.database.db.exec('insert into public.items select n from generate_series(1, 10) n')
  await eventually(() => expect(heard).toHaveLength(10))
  // Two rounds of the other nodes, which must keep what this one hasn't read.
  await nodes.database.db.exec('insert into public.items values (11)')
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  expect(await count('_realtime.changes')).toBe(11)
  expect((await paused.take(100)).taken).toHaveLength(11)
  await nodes.database.db.exec('insert into public.items values (12)')
  await nodes.database.db.exec(`
    update _realtime.nodes set seen_at = seen_at - interval '1 hour' where id = '00000000-0000-4000-8000-0000000000ff'`)
  await eventually(async () => expect(await count('_realtime.changes')).toBe(0))
  await expect(paused.renew()).rejects.toThrow(LostPlaceError)
  await paused.join()
  await nodes.database.db.exec('insert into public.items values (13)')
  expect((await paused.take(100)).taken).toHaveLength(1)
  await paused.leave()
})

test('a node that was silent for too long makes its subscribers rejoin, then continues', async () => {
  const { channel, heard } = await subscriber(a)
  const other = await subscriber(b)
  const statuses: unknown[] = []
  channel.on('system', {}, ({ status, message }) => statuses.push([status, message]))
  await nodes.database.db.exec(`delete from _realtime.nodes where id = '${a.bus.node}'`)
  await eventually(() =>
    expect(statuses).toEqual([
      ['error', 'Changes may have been missed, please join again'],
      ['ok', 'Subscribed to PostgreSQL'],
    ]),
  )
  await nodes.database.db.exec('insert into public.items values (1)')
  await eventually(() => expect([heard, other.heard]).toEqual([[1], [1]]))
  expect(a.warnings).toContain('Realtime may have missed changes, and its subscribers join again')
  expect(await count('_realtime.requests')).toBe(2)
})

test('deletes subscriptions of dead and closed nodes', async () => {
  const third = await nodes.add()
  await subscriber(third)
  await subscriber(a)
  expect(await count('_realtime.requests')).toBe(2)
  await third.close()
  expect(await count('_realtime.requests')).toBe(1)
  expect(await count('_realtime.nodes')).toBe(2)
  await nodes.database.db.exec(`
    insert into _realtime.nodes (id, seen_at) values ('00000000-0000-4000-8000-0000000000fe', now() - interval '1 hour');
    insert into _realtime.requests values
      (gen_random_uuid(), 'public', 'items', '00000000-0000-4000-8000-0000000000fe')`)
  await eventually(async () => {
    expect(await count('_realtime.nodes')).toBe(2)
    expect(await count('_realtime.requests')).toBe(1)
  })
})

test("both nodes receive a newly published table's changes from the first row", async () => {
  await nodes.database.db.exec('create table public.later (id int primary key); grant all on public.later to postgres')
  const heard: number[][] = []
  for (const node of [a, b]) {
    const own: number[] = []
    heard.push(own)
    const channel = node.client().channel('all')
    channel.on('postgres_changes', { event: 'INSERT', schema: 'public', table: '*' }, ({ new: row }) =>
      own.push(row.id),
    )
    await joined(channel)
  }
  await nodes.database.db.exec(`
    begin; alter publication supabase_realtime add table public.later; insert into public.later values (1); commit`)
  await nodes.database.db.exec('insert into public.later values (2)')
  await eventually(() =>
    expect(heard).toEqual([
      [1, 2],
      [1, 2],
    ]),
  )
  await nodes.database.db.exec('drop table public.later')
})
