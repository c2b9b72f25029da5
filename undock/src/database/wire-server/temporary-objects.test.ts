import pg from 'pg'
import postgres from 'postgres'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { testCertificate } from '../../testing/certificate.ts'
import { type EmbeddedTestDatabase, openEmbeddedTestDatabase } from '../../testing/database.ts'
import { startWireServer, type WireServer } from './listener.ts'

let database: EmbeddedTestDatabase
let wire: WireServer
let url: string
let [ada, ben]: [pg.Client, pg.Client] = [] as never

beforeAll(async () => {
  database = await openEmbeddedTestDatabase()
  wire = await startWireServer({
    ...database,
    host: '127.0.0.1',
    port: 0,
    password: 'postgres',
    idleInTransactionTimeout: 60,
    maxConnections: 20,
    maxMessageSize: 64 * 1024 ** 2,
    certificate: testCertificate,
    log: { info() {}, warn() {}, error() {} },
  })
  url = `postgres://postgres:postgres@127.0.0.1:${wire.port}/postgres`
})
afterAll(async () => {
  await wire.close()
  await database.close()
})
beforeEach(async () => {
  ada = await connect()
  ben = await connect()
})
afterEach(async () => {
  await Promise.all([ada.end(), ben.end()])
  // Nothing of a connection remains after its end.
  await expect.poll(temporaryObjects).toEqual([])
})

async function connect(): Promise<pg.Client> {
  const client = new pg.Client(url)
  await client.connect()
  return client
}

const temporaryObjects = async (): Promise<unknown[]> =>
  (
    await database.db.query({
      text: `select relname::text from pg_class where relnamespace = pg_my_temp_schema()
             union all select proname from pg_proc where pronamespace = pg_my_temp_schema()
             union all select typname from pg_type where typnamespace = pg_my_temp_schema()`,
      values: [],
    })
  ).rows
const rows = async (client: pg.Client, text: string, values: unknown[] = []) => (await client.query(text, values)).rows

test('tables with the same name are two tables', async () => {
  await ada.query('create temp table mine (id serial primary key, name text); insert into mine (name) values (1)')
  await expect(ben.query('select * from mine')).rejects.toMatchObject({ code: '42P01' })
  await expect(ben.query('select * from pg_temp.mine')).rejects.toMatchObject({ code: '42P01' })
  await ben.query('create temp table if not exists mine (id int primary key); insert into mine values (7)')
  expect(await rows(ada, 'insert into mine (name) values ($1) returning id, name', ['x'])).toEqual([
    { id: 2, name: 'x' },
  ])
  expect(await rows(ben, 'select * from mine')).toEqual([{ id: 7 }])
  await expect(ada.query('create temp table mine (id int)')).rejects.toMatchObject({ code: '42P07' })
  await expect(ada.query("insert into mine values (1, 'twice')")).rejects.toMatchObject({ constraint: 'mine_pkey' })
  await expect(database.db.exec('select * from mine')).rejects.toMatchObject({ code: '42P01' })
})

test('views, types and functions are their connection’s, too', async () => {
  await ada.query(`create temp view seen as select 1 as a; create type pg_temp.mood as enum ('good');
    create function pg_temp.one() returns int language sql return 1`)
  await ben.query(`create temp view seen as select 2 as b; create type pg_temp.mood as enum ('bad');
    create function pg_temp.one() returns int language sql return 2`)
  expect(await rows(ada, "select a, pg_temp.one(), 'good'::pg_temp.mood as mood from seen")).toEqual([
    { a: 1, one: 1, mood: 'good' },
  ])
  expect(await rows(ben, 'select b, pg_temp.one() from seen')).toEqual([{ b: 2, one: 2 }])
})

test('prepared statements and functions keep to the table of their connection', async () => {
  const query = { name: 'read', text: 'select n from mine' }
  await ada.query("create temp table mine as select 'ada' as n")
  await ben.query("create temp table mine as select 'ben' as n")
  await database.db.exec(
    `create or replace function public.read_mine() returns text language plpgsql as 'begin return (select n from mine); end'`,
  )
  for (const [client, n] of [
    [ada, 'ada'],
    [ben, 'ben'],
    [ada, 'ada'],
    [ben, 'ben'],
  ] as const) {
    expect((await client.query(query)).rows).toEqual([{ n }])
    expect(await rows(client, 'select read_mine() as n')).toEqual([{ n }])
  }
})

test('a table that a function creates belongs to its caller', async () => {
  await database.db.exec(
    `create or replace function public.make() returns void language plpgsql as 'begin create temp table made as select 1 as n; end'`,
  )
  await ada.query('select make()')
  await expect(ben.query('select * from made')).rejects.toMatchObject({ code: '42P01' })
  expect(await rows(ada, 'select n from made')).toEqual([{ n: 1 }])
})

test('objects that others are parts of are dropped with them', async () => {
  await ada.query(`create temp table a (id int generated always as identity primary key, b text unique);
    create type pg_temp.span as range (subtype = int4);
    create temp table c (a_id int references a, s pg_temp.span, primary key (a_id)) partition by range (a_id);
    create temp view v as select * from c join a on a.id = c.a_id;
    create function pg_temp.f(a) returns pg_temp.span language sql return null::pg_temp.span`)
  expect(await rows(ada, 'select count(*)::int from v')).toEqual([{ count: 0 }])
})

test('a connection that only reads drops its tables, too', async () => {
  await ada.query('create temp table mine as select 1 as n; set default_transaction_read_only = on')
  expect(await rows(ada, 'select n from mine')).toEqual([{ n: 1 }])
  await expect(ben.query('select * from mine')).rejects.toMatchObject({ code: '42P01' })
})

test('tables live through transactions, and end with a transaction that is rolled back', async () => {
  const sql = postgres(url, { max: 1 })
  await sql`create temp table kept (id int)`
  await sql.begin(async (tx) => {
    await tx`insert into kept values (1)`
    await tx`create temp table inside on commit drop as select 1 as n`
    expect(await tx`select n from inside`).toEqual([{ n: 1 }])
  })
  expect(await sql`select id from kept`).toEqual([{ id: 1 }])
  await expect(sql`select n from inside`).rejects.toMatchObject({ code: '42P01' })
  await sql.end()
})

test('scheduled jobs and scripts of the stack leave them alone', async () => {
  await ada.query('create temp table mine as select 1 as n')
  await database.db.runAs('postgres', 'create temp table mine as select 2 as n')
  await database.engine.withSessionOf('postgres', async () => undefined)
  expect(await rows(ada, 'select n from mine')).toEqual([{ n: 1 }])
})
