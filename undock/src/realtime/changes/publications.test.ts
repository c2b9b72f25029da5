import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { join, joined, systemMessage } from '../../testing/realtime-client.ts'
import { type RealtimeServer, startRealtimeServer } from '../../testing/realtime-server.ts'

let server: RealtimeServer
beforeAll(async () => {
  server = await startRealtimeServer('drop publication supabase_realtime')
})
afterEach(async () => {
  await server.disconnect()
  await server.db.exec(`
    drop publication if exists supabase_realtime;
    drop schema if exists shop cascade;
    do $$ declare name regclass; begin
      for name in select oid from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by oid desc
      loop execute format('drop table %s', name); end loop;
    end $$
  `)
  expect(server.faults).toEqual([])
})
afterAll(async () => {
  await server?.close()
})

/** Records action, schema, table and the new or old row. */
async function listen(schema: string, client = server.client()) {
  const heard = vi.fn()
  await joined(
    client
      .channel(`all of ${schema}`)
      .on('postgres_changes', { event: '*', schema }, (change) =>
        heard(change.eventType, change.schema, change.table, change.eventType === 'DELETE' ? change.old : change.new),
      ),
  )
  return heard
}

test('FOR ALL TABLES covers existing and new tables, and quoted names', async () => {
  await server.db.exec(`
    create table public.before (id int primary key);
    create publication supabase_realtime for all tables;
  `)
  const heard = await listen('public')
  await server.db.exec('insert into before values (1)')
  await eventually(() => expect(heard).toHaveBeenCalledWith('INSERT', 'public', 'before', { id: 1 }))
  await server.db.exec(`create table public."Odd ""name""; 'x'" ("Key, of" int primary key)`)
  await server.db.exec(`create table public.made as select 7 as id`)
  await server.db.exec('alter table public.made add primary key (id)')
  const odd = ['INSERT', 'public', `Odd "name"; 'x'`, { 'Key, of': 2 }]
  await eventually(async () => {
    await server.db.exec(`insert into public."Odd ""name""; 'x'" values (2) on conflict do nothing`)
    await server.db.exec(`delete from public."Odd ""name""; 'x'"`)
    await server.db.exec('insert into public.made values (8) on conflict do nothing; delete from public.made')
    expect(heard).toHaveBeenCalledWith('DELETE', ...odd.slice(1))
    expect(heard).toHaveBeenCalledWith('DELETE', 'public', 'made', { id: 8 })
  })
})

test('FOR TABLES IN SCHEMA covers only that schema, including tables moved in or out', async () => {
  await server.db.exec(`
    create schema shop;
    grant usage on schema shop to anon;
    alter default privileges in schema shop grant select on tables to anon;
    create table shop.orders (id int primary key);
    create table public.drafts (id int primary key);
    create publication supabase_realtime for tables in schema shop;
  `)
  const told = systemMessage(
    server
      .client()
      .channel('refused')
      .on('postgres_changes', { event: '*', schema: 'public' }, () => {})
      .subscribe(),
  )
  expect(await told).toMatchObject({ status: 'error', message: expect.stringContaining('check Realtime is enabled') })
  const heard = await listen('shop')
  await server.db.exec(`create table shop.carts (id int primary key); insert into shop.orders values (1)`)
  await eventually(() => expect(heard.mock.calls).toEqual([['INSERT', 'shop', 'orders', { id: 1 }]]))
  await server.db.exec('alter table public.drafts set schema shop; grant select on shop.drafts to anon')
  await server.db.exec('alter table shop.orders set schema public')
  await eventually(async () => expect(await capturing()).toEqual(['shop.carts', 'shop.drafts']))
  await server.db.exec(
    'insert into shop.drafts values (2); insert into orders values (3); insert into shop.carts values (4)',
  )
  await eventually(() =>
    expect(heard.mock.calls.slice(1)).toEqual([
      ['INSERT', 'shop', 'drafts', { id: 2 }],
      ['INSERT', 'shop', 'carts', { id: 4 }],
    ]),
  )
})

test('delivers only the published commands', async () => {
  await server.db.exec(`
    create table public.items (id int primary key, name text);
    create publication supabase_realtime for table items with (publish = 'insert, delete');
  `)
  const heard = await listen('public')
  await server.db.exec(
    `insert into items values (1, 'a'); update items set name = 'b'; insert into items values (2, 'c')`,
  )
  await eventually(() => expect(heard).toHaveBeenCalledTimes(2))
  await server.db.exec('delete from items')
  await eventually(() => expect(heard).toHaveBeenCalledTimes(4))
  expect(heard.mock.calls.map(([action]) => action)).toEqual(['INSERT', 'INSERT', 'DELETE', 'DELETE'])
})

test('ignores column lists and row filters, like upstream, and logs it', async () => {
  await server.db.exec(`
    create table public.items (id int primary key, name text, hidden text);
    create publication supabase_realtime for table items (id, name) where (id > 1);
  `)
  const heard = await listen('public')
  await server.db.exec(`insert into items values (1, 'a', 'b')`)
  await eventually(() =>
    expect(heard.mock.calls).toEqual([['INSERT', 'public', 'items', { id: 1, name: 'a', hidden: 'b' }]]),
  )
  await eventually(() =>
    expect(server.warnings).toContain(
      'Realtime sends whole rows, and all rows, of public.items: it ignores column lists and row filters of supabase_realtime. Grants on columns and row security hide',
    ),
  )
})

test('follows a dropped and recreated publication without rejoining', async () => {
  await server.db.exec(`
    create table public.items (id int primary key);
    create publication supabase_realtime for table items;
  `)
  const heard = await listen('public')
  await server.db.exec('drop publication supabase_realtime')
  await eventually(async () => expect(await capturing()).toEqual([]))
  await server.db.exec('insert into items values (1)')
  await server.db.exec('create publication supabase_realtime for all tables')
  await eventually(async () => expect(await capturing()).toEqual(['items']))
  await server.db.exec('insert into items values (2)')
  await eventually(() => expect(heard.mock.calls).toEqual([['INSERT', 'public', 'items', { id: 2 }]]))
})

test('subscribers receive rows from the transaction that publishes their table', async () => {
  await server.db.exec(`
    create table public.items (id int primary key);
    create publication supabase_realtime for table items;
  `)
  const heard = await Promise.all([listen('public'), listen('*'), listen('public')])
  for (let n = 1; n <= 3; n++) {
    await server.db.exec(`
      begin;
      create table public.later_${n} (id int primary key);
      insert into items values (${n});
      alter publication supabase_realtime add table public.later_${n};
      insert into later_${n} values (1);
      commit;
      insert into later_${n} values (2);
    `)
    await eventually(() =>
      expect(heard.map((one) => one.mock.calls.slice(3 * (n - 1)))).toEqual(
        heard.map(() => [
          ['INSERT', 'public', 'items', { id: n }],
          ['INSERT', 'public', `later_${n}`, { id: 1 }],
          ['INSERT', 'public', `later_${n}`, { id: 2 }],
        ]),
      ),
    )
  }
})

test('delivers changes up to the drop of a publication and from its return', async () => {
  await server.db.exec(`
    create table public.items (id int primary key);
    create publication supabase_realtime for table items;
  `)
  const heard = await listen('public')
  await server.db.exec('insert into items values (1); drop publication supabase_realtime; insert into items values (2)')
  await eventually(() => expect(heard.mock.calls).toEqual([['INSERT', 'public', 'items', { id: 1 }]]))
  // The service has caught up: nothing is published, and only the subscription's request remains.
  await eventually(async () => expect(await subscribed()).toBe(0))
  await server.db.exec('create publication supabase_realtime for all tables; insert into items values (3)')
  await eventually(() => expect(heard.mock.calls.slice(1)).toEqual([['INSERT', 'public', 'items', { id: 3 }]]))
})

test('a client that joins during DDL receives later changes', async () => {
  await server.db.exec(`
    create table public.items (id int primary key);
    create table public.others (id int primary key);
    create publication supabase_realtime for all tables;
  `)
  const heard = await server.db.transaction({}, async (ddl) => {
    await ddl.query({ text: 'alter table public.items add column name text', values: [] })
    const joining = listen('public')
    await ddl.query({ text: 'drop table public.others', values: [] })
    await ddl.query({ text: 'alter table public.items enable row level security', values: [] })
    return { joining }
  })
  const told = await heard.joining
  await server.db.exec('alter table public.items disable row level security')
  await server.db.exec(`insert into items values (1, 'a')`)
  await eventually(() => expect(told.mock.calls).toEqual([['INSERT', 'public', 'items', { id: 1, name: 'a' }]]))
})

test('the service waits for DDL in progress without blocking it', async () => {
  await server.db.exec('create table public.items (id int primary key); create publication supabase_realtime')
  await server.db.exec(
    'set event_triggers = off; alter publication supabase_realtime add table items; reset event_triggers',
  )
  const following = await server.db.transaction({}, async (ddl) => {
    await ddl.query({ text: 'lock table items in access exclusive mode', values: [] })
    const following = server.db.query({ text: 'select _realtime.follow_publication()', values: [] })
    await eventually(async () =>
      expect(
        await value(`select exists (select from pg_locks where relation = 'items'::regclass and not granted)`),
      ).toBe(true),
    )
    await ddl.query({ text: 'alter table items add column name text', values: [] })
    return { following }
  })
  await following.following
  expect(await value('select _realtime.is_in_step()')).toBe(true)
})

test('delivers changes of tables created together with their schema', async () => {
  await server.db.exec('create publication supabase_realtime for all tables; create table public.items (id int)')
  const heard = await listen('*')
  await server.db.exec(`
    alter default privileges grant usage on schemas to anon;
    alter default privileges grant select on tables to anon;
    create schema shop create table orders (id int primary key);
    insert into shop.orders values (1);
    alter default privileges revoke usage on schemas from anon;
    alter default privileges revoke select on tables from anon;
  `)
  // The service's own tables are published as well.
  const ofShop = () => heard.mock.calls.filter(([, schema]) => schema === 'shop')
  await eventually(() => expect(ofShop()).toEqual([['INSERT', 'shop', 'orders', { id: 1 }]]))
})

test('inheriting tables appear under their own names if published', async () => {
  await server.db.exec(`
    create table public.parents (id int primary key);
    create table public.children (primary key (id)) inherits (parents);
    create publication supabase_realtime for table parents;
  `)
  const heard = await listen('public')
  await server.db.exec(
    'insert into children values (1); insert into parents values (2); update parents set id = id + 10',
  )
  await eventually(() => expect(heard).toHaveBeenCalledTimes(4))
  expect(heard.mock.calls.map(([action, , table]) => `${action} ${table}`).toSorted()).toEqual([
    'INSERT children',
    'INSERT parents',
    'UPDATE children',
    'UPDATE parents',
  ])
})

test('a join without any publication reports what is missing', async () => {
  const channel = server
    .client()
    .channel('none')
    .on('postgres_changes', { event: '*', schema: 'public' }, () => {})
  const told = systemMessage(channel)
  expect(await join(channel)).toBe('SUBSCRIBED')
  expect(await told).toMatchObject({ status: 'error', message: expect.stringContaining('check Realtime is enabled') })
})

test("psql doesn't list the triggers that capture changes, with or without subscribers", async () => {
  await server.db.exec(`
    create table public.shown (id int primary key);
    grant select on public.shown to anon;
    create publication supabase_realtime for table public.shown`)
  // The condition psql uses for \d.
  const shown = async () => {
    const { rows } = await server.db.query({
      text: `select tgname from pg_trigger where tgrelid = 'public.shown'::regclass and (not tgisinternal or tgenabled = 'D')`,
      values: [],
    })
    return rows
  }
  expect(await shown()).toEqual([])
  expect(await capturing()).toEqual([])
  const heard = await listen('public')
  await eventually(async () => expect(await capturing()).toEqual(['shown']))
  expect(await shown()).toEqual([])
  await server.db.exec('alter table public.shown disable trigger all')
  await server.db.exec('alter table public.shown enable trigger all')
  await server.db.exec('insert into public.shown values (1)')
  await eventually(() => expect(heard.mock.calls).toEqual([['INSERT', 'public', 'shown', { id: 1 }]]))
})

async function value(text: string): Promise<unknown> {
  const { rows } = await server.db.query<Record<string, unknown>>({ text, values: [] })
  return Object.values(rows[0] ?? {})[0]
}

const subscribed = () => value('select count(*)::int from realtime.subscription')

const capturing = async () => {
  const { rows } = await server.db.query<{ name: string }>({
    text: `select relid::regclass::text as name from _realtime.present_capture where tgenabled <> 'D' order by 1`,
    values: [],
  })
  return rows.map(({ name }) => name)
}
