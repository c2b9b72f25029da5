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
  ada = new pg.Client(url)
  ben = new pg.Client(url)
  await Promise.all([ada.connect(), ben.connect()])
})
afterEach(() => Promise.all([ada.end(), ben.end()]))

/** The process id that a client was given; the types of node-postgres leave it out. */
const idOf = (client: pg.Client) => (client as unknown as { processID: number }).processID
const value = async (client: pg.Client, text: string) => Object.values((await client.query(text)).rows[0] ?? {})[0]

test('pg_backend_pid() is the id that the connection was given, and differs', async () => {
  expect(idOf(ada)).not.toBe(idOf(ben))
  for (const client of [ada, ben, ada]) {
    expect(await value(client, 'select pg_backend_pid()')).toBe(idOf(client))
    expect(await value(client, 'select pid from pg_stat_activity')).toBe(idOf(client))
    expect(await value(client, 'select distinct pid from pg_locks')).toBe(idOf(client))
  }
  await database.db.exec(
    "create function public.id() returns int language plpgsql as 'begin return pg_backend_pid(); end'",
  )
  expect(await value(ada, 'select id()')).toBe(idOf(ada))
  expect(await value(ben, 'select id()')).toBe(idOf(ben))
})

test('also through postgres.js, in transactions and after discard all', async () => {
  const sql = postgres(url, { max: 2 })
  const ids = await Promise.all(
    [1, 2].map(() =>
      sql.begin(async (tx) => {
        const [first] = await tx`select pg_backend_pid() as id`
        const [second] = await tx`select pg_backend_pid() as id`
        expect(second?.id).toBe(first?.id)
        return first?.id
      }),
    ),
  )
  expect(new Set(ids).size).toBe(2)
  await sql.end()
  await ada.query('discard all')
  expect(await value(ada, 'select pg_backend_pid()')).toBe(idOf(ada))
})

test('notifications name the process that sent them', async () => {
  const heard: (readonly [number, string | undefined])[] = []
  for (const client of [ada, ben]) {
    await client.query('listen news')
    client.on('notification', ({ processId, payload }) => heard.push([processId, payload]))
  }
  await ada.query("notify news, 'a'")
  await ben.query("begin; select pg_notify('news', 'b'); commit")
  await ada.query('select 1')
  await ben.query('select 1')
  expect(heard.sort()).toEqual([
    [idOf(ada), 'a'],
    [idOf(ada), 'a'],
    [idOf(ben), 'b'],
    [idOf(ben), 'b'],
  ])
})

test('ids cannot be used to end the engine', async () => {
  for (const id of [idOf(ada), idOf(ben), 42])
    for (const kind of ['cancel', 'terminate'])
      expect(await value(ada, `select pg_${kind}_backend(${id})`).catch((error) => error.code)).toBeOneOf([
        false,
        '42501',
      ])
  expect(await value(ada, 'select 1')).toBe(1)
})
