import pg from 'pg'
import postgres from 'postgres'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { LogFields } from '../../kernel/service.ts'
import { testCertificate } from '../../testing/certificate.ts'
import { type EmbeddedTestDatabase, openEmbeddedTestDatabase } from '../../testing/database.ts'
import { startWireServer, type WireServer } from './listener.ts'

// What clients are told about the one session that they share.

let database: EmbeddedTestDatabase
let wire: WireServer
let place: pg.ClientConfig
let warnings: { message: string; fields: LogFields | undefined }[] = []
const open = new Set<pg.Client>()

beforeAll(async () => {
  database = await openEmbeddedTestDatabase('create table public.notes (id int)')
})
beforeEach(async () => {
  warnings = []
  wire = await startWireServer({
    ...database,
    host: '127.0.0.1',
    port: 0,
    password: 'postgres',
    idleInTransactionTimeout: 60,
    maxConnections: 20,
    maxMessageSize: 64 * 1024 ** 2,
    certificate: testCertificate,
    log: { info() {}, warn: (message, fields) => warnings.push({ message, fields }), error() {} },
  })
  place = { host: '127.0.0.1', port: wire.port, user: 'postgres', password: 'postgres', database: 'postgres' }
})
afterEach(async () => {
  await Promise.all([...open].map((client) => client.end()))
  open.clear()
  await wire.close()
})
afterAll(() => database.close())

async function connect(name: string): Promise<{ client: pg.Client; notices: string[] }> {
  const client = new pg.Client({ ...place, application_name: name })
  const notices: string[] = []
  client.on('notice', ({ message = '' }) => notices.push(message))
  await client.connect()
  open.add(client)
  return { client, notices }
}

const EXCLUDE_NOBODY = 'session-level advisory locks exclude nobody on PGlite, where all clients share one session'

test('a client that takes an advisory lock receives once that it excludes nobody, and so does the log', async () => {
  const [ada, ben] = [await connect('ada'), await connect('ben')]
  await ada.client.query('select pg_advisory_lock(1)')
  await ada.client.query('select pg_try_advisory_lock($1)', [2])
  await ben.client.query('select pg_try_advisory_lock_shared($1)', [1])
  expect([ada.notices, ben.notices]).toEqual([[EXCLUDE_NOBODY], [EXCLUDE_NOBODY]])
  expect(warnings.map(({ message }) => message)).toEqual([expect.stringContaining(EXCLUDE_NOBODY)])
  const heard: unknown[] = []
  const sql = postgres({
    ...place,
    host: '127.0.0.1',
    max: 1,
    onnotice: (one: postgres.Notice) => heard.push(one.message),
  } as never)
  await sql`select pg_advisory_lock(3)`
  await sql.end()
  expect(heard).toEqual([EXCLUDE_NOBODY])
})

test('locks of a transaction exclude others, and are not warned of', async () => {
  const [ada, ben] = [await connect('ada'), await connect('ben')]
  await ada.client.query('begin; select pg_advisory_xact_lock(7)')
  const order: string[] = []
  const waiting = ben.client.query('select pg_advisory_xact_lock(7)').then(() => order.push('ben'))
  await ada.client.query('select 1')
  order.push('ada')
  await ada.client.query('commit')
  await waiting
  expect(order).toEqual(['ada', 'ben'])
  expect([ada.notices, ben.notices, warnings]).toEqual([[], [], []])
})

test('a transaction that others wait for is reported, once, to both and to the log', async () => {
  const [ada, ben] = [await connect('ada'), await connect('ben')]
  await ada.client.query("begin; insert into notes values (1); select 'secret' as text")
  const waiting = ben.client.query('select 1 as one')
  await expect.poll(() => [ada.notices.length, ben.notices.length], { timeout: 20_000 }).toEqual([1, 1])
  const service = database.db.query({ text: 'select 1 as one', values: [] })
  // Longer than until a second report would come.
  await new Promise((resolve) => setTimeout(resolve, 2_200))
  await ada.client.query('commit')
  expect((await waiting).rows).toEqual([{ one: 1 }])
  expect((await service).rows).toEqual([{ one: 1 }])
  const user = (name: string) =>
    expect.stringMatching(new RegExp(`application "${name}", user "postgres", process \\d+`))
  expect(ada.notices).toEqual([user('ben')])
  expect(ben.notices).toEqual([user('ada')])
  expect(warnings).toEqual([
    {
      message: 'A client of the database port has the only session of PGlite, and others wait for it',
      fields: {
        client: user('ada'),
        since: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        statement: "begin; insert into notes values (1); select '' as text",
        waiting: user('ben'),
      },
    },
  ])
})

test('a service that waits is named, and a client that waits for a service is told', async () => {
  const ada = await connect('ada')
  await ada.client.query('begin')
  const service = database.db.query({ text: 'select 1 as one', values: [] })
  await expect.poll(() => warnings.length, { timeout: 20_000 }).toBe(1)
  expect(warnings[0]?.fields).toMatchObject({ statement: 'begin', waiting: 'a service of the stack' })
  await ada.client.query('commit')
  await service
  let end = () => {}
  const held = database.db.transaction({}, () => new Promise<void>((resolve) => (end = resolve)))
  const waiting = ada.client.query('select 1')
  await expect.poll(() => ada.notices.at(-1), { timeout: 20_000 }).toContain('waiting for a service of the stack')
  end()
  await Promise.all([held, waiting])
  expect(warnings).toHaveLength(1)
})

test('many short turns are not reported', async () => {
  const [ada, ben] = [await connect('ada'), await connect('ben')]
  const end = Date.now() + 1_500
  const loop = async (client: pg.Client) => {
    while (Date.now() < end) await client.query('begin; select pg_sleep(0.01); commit')
  }
  await Promise.all([loop(ada.client), loop(ben.client)])
  expect([ada.notices, ben.notices, warnings]).toEqual([[], [], []])
})
