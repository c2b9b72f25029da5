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

test('a client that takes an advisory lock is told once that it excludes nobody, and so is the log', async () => {
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
