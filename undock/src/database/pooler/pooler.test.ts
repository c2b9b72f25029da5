import { once } from 'node:events'
import { createConnection } from 'node:net'
import pg from 'pg'
import postgres from 'postgres'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { testCertificate } from '../../testing/certificate.ts'
import { openTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { type Pooler, startPooler } from './pooler.ts'

let database: TestDatabase
let pooler: Pooler
beforeAll(async () => {
  database = await openTestDatabase()
  pooler = await startPooler({
    host: '127.0.0.1',
    port: 0,
    targetOf: () => ({ host: '127.0.0.1', port: Number(new URL(database.url).port) }),
    maxClients: 3,
    certificate: testCertificate,
    log: { info() {}, warn() {}, error() {} },
  })
})
afterAll(async () => {
  await pooler?.close()
  await database?.close()
})

const urlFor = (user: string, password = 'postgres') =>
  `postgresql://${user}:${password}@127.0.0.1:${pooler.port}/postgres`

async function connect(user: string, options: pg.ClientConfig = {}): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: urlFor(user), ...options })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

test('users log in with and without a tenant, also over TLS', async () => {
  for (const user of ['postgres.pooler-dev', 'postgres']) {
    const client = await connect(user, { ssl: { rejectUnauthorized: false } })
    expect((await client.query('select current_user as name')).rows).toEqual([{ name: 'postgres' }])
    await client.end()
  }
  await expect(connect('postgres.x', { connectionString: urlFor('postgres.x', 'wrong') })).rejects.toMatchObject({
    code: '28P01',
  })
})

test('supports prepared statements, COPY, LISTEN and cancellation', async () => {
  const sql = postgres(urlFor('postgres.pooler-dev'), { max: 1 })
  expect(await sql`select ${1}::int + 1 as two`).toEqual([{ two: 2 }])
  const query = sql`select pg_sleep(60)`.execute()
  await expect
    .poll(async () => {
      const { rows } = await database.db.query({
        text: "select count(*)::int as n from pg_stat_activity where query = 'select pg_sleep(60)'",
        values: [],
      })
      return rows[0]?.n
    })
    .toBe(1)
  query.cancel()
  await expect(query).rejects.toMatchObject({ code: '57014' })
  await sql.end()
})

test('rejects clients above the limit with the reason, and frees a slot when one leaves', async () => {
  const clients = await Promise.all([1, 2, 3].map(() => vi.waitFor(() => connect('postgres.a'), 10_000)))
  await expect(connect('postgres.a')).rejects.toThrow('Max client connections reached')
  await clients[0]?.end()
  await expect
    .poll(() =>
      connect('postgres.a').then(
        (one) => one.end().then(() => true),
        () => false,
      ),
    )
    .toBe(true)
  for (const client of clients.slice(1)) await client.end()
})

test.each([
  ['an HTTP request', Buffer.from('GET / HTTP/1.1\r\nhost: x\r\n\r\n'), 'invalid length of startup packet'],
  ['an unterminated name', Buffer.from('\0\0\0\x0c\0\x03\0\0user'), 'invalid string in message'],
])('rejects %s', async (_name, bytes, answer) => {
  const socket = createConnection(pooler.port, '127.0.0.1')
  let text = ''
  socket.on('data', (part) => {
    text += part.toString('latin1')
  })
  socket.write(bytes)
  await once(socket, 'close')
  expect(text).toContain(answer)
})
