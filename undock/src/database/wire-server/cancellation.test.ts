import { once } from 'node:events'
import { connect as connectTo } from 'node:net'
import pg from 'pg'
import postgres from 'postgres'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { testCertificate } from '../../testing/certificate.ts'
import { type EmbeddedTestDatabase, openEmbeddedTestDatabase } from '../../testing/database.ts'
import { startWireServer, type WireServer } from './listener.ts'

let database: EmbeddedTestDatabase
let wire: WireServer
let place: pg.ClientConfig
let reopened = 0
const open = new Set<pg.Client>()

beforeAll(async () => {
  database = await openEmbeddedTestDatabase(
    'create table public.notes (id int primary key); insert into public.notes values (1); grant all on public.notes to anon',
  )
  database.engine.onReopened(() => {
    reopened += 1
  })
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
  place = { host: '127.0.0.1', port: wire.port, user: 'postgres', password: 'postgres', database: 'postgres' }
})
afterEach(async () => {
  await Promise.all([...open].map((client) => client.end()))
  open.clear()
  // Whatever was cancelled, the engine continued, and with it the data in memory.
  expect(reopened).toBe(0)
  expect((await database.db.query({ text: 'select id from notes', values: [] })).rows).toEqual([{ id: 1 }])
})
afterAll(async () => {
  await wire.close()
  await database.close()
})

async function connect(options: pg.ClientConfig = {}): Promise<pg.Client> {
  const client = new pg.Client({ ...place, ...options })
  client.on('error', () => undefined)
  await client.connect()
  open.add(client)
  return client
}

/** The process id and key that a client was given; the types of node-postgres leave them out. */
const keyOf = (client: pg.Client) => client as unknown as { processID: number; secretKey: number }

/** Sends a request to cancel, and waits until the server has closed its connection. */
async function requestCancel(processId: number, key: number): Promise<void> {
  const packet = Buffer.alloc(16)
  packet.writeInt32BE(16)
  packet.writeInt32BE(80_877_102, 4)
  packet.writeInt32BE(processId, 8)
  packet.writeInt32BE(key, 12)
  const socket = connectTo(wire.port, '127.0.0.1').resume()
  socket.write(packet)
  await once(socket, 'close')
}

const cancel = (client: pg.Client) => requestCancel(keyOf(client).processID, keyOf(client).secretKey)

/** Repeats the request, because the first may come before the statement has begun. */
async function cancelUntilEnded(client: pg.Client, statement: Promise<unknown>): Promise<void> {
  let isRunning = true
  const ended = statement
    .catch(() => undefined)
    .then(() => {
      isRunning = false
    })
  while (isRunning) await cancel(client)
  await ended
}

const CANCELLED = { code: '57014', message: 'canceling statement due to user request' }
// Without the hint of the stack's own limit.
const TIMED_OUT = { code: '57014', message: 'canceling statement due to statement timeout', hint: undefined }
const ENDLESS = 'do $$ begin loop null; end loop; end $$'

describe('a request to cancel', () => {
  test.each([
    ENDLESS,
    'select pg_sleep(600)',
    'select count(*) from generate_series(1, 100000) a, generate_series(1, 100000) b',
    'with recursive t as (select 1 as n union all select n + 1 from t) select count(*) from t',
  ])('ends %s, and its connection continues', async (text) => {
    const client = await connect()
    await client.query('create table pg_temp.kept as select 7 as n')
    const running = client.query(text)
    await cancelUntilEnded(client, running)
    await expect(running).rejects.toMatchObject(CANCELLED)
    expect((await client.query('select n from kept')).rows).toEqual([{ n: 7 }])
    await client.query('drop table kept')
  })

  test('of postgres.js ends its query', async () => {
    const sql = postgres(`postgres://postgres:postgres@127.0.0.1:${wire.port}/postgres`, { max: 1 })
    const query = sql`select pg_sleep(600)`.execute()
    await new Promise((resolve) => setTimeout(resolve, 500))
    query.cancel()
    await expect(query).rejects.toMatchObject(CANCELLED)
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }])
    await sql.end()
  })

  test('fails the transaction around the statement', async () => {
    const client = await connect()
    await client.query('begin; insert into notes values (2)')
    const running = client.query(ENDLESS)
    await cancelUntilEnded(client, running)
    await expect(running).rejects.toMatchObject(CANCELLED)
    await expect(client.query('select 1')).rejects.toMatchObject({ code: '25P02' })
    await client.query('rollback')
  })

  test('ends a statement that waits for its turn, and nothing else', async () => {
    const [holder, waiting, other] = [await connect(), await connect(), await connect()]
    await holder.query('begin; insert into notes values (2)')
    const first = waiting.query('select 1')
    const second = other.query('select count(*)::int as n from notes')
    await cancelUntilEnded(waiting, first)
    await expect(first).rejects.toMatchObject({ ...CANCELLED, hint: expect.any(String) })
    await holder.query('rollback')
    expect((await second).rows).toEqual([{ n: 1 }])
    expect((await waiting.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  })

  test('needs the key of the connection, and changes nothing while it is idle', async () => {
    const client = await connect()
    const { processID, secretKey } = keyOf(client)
    const running = client.query('select pg_sleep(0.3), 1 as one')
    await requestCancel(processID, secretKey ^ 1)
    await requestCancel(processID + 1, secretKey)
    expect((await running).rows).toMatchObject([{ one: 1 }])
    await cancel(client)
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  })

  test('never reaches the statements of others', async () => {
    const [noisy, quiet] = [await connect(), await connect()]
    const results = Promise.all(
      Array.from({ length: 300 }, (_, n) => quiet.query('select $1::int as n', [n]).then(({ rows }) => rows[0].n)),
    )
    for (let n = 0; n < 60; n++) {
      const asked = noisy.query('select count(*) from generate_series(1, 300)').catch((error) => error.code)
      await cancel(noisy)
      expect([undefined, '57014']).toContain(typeof (await asked) === 'string' ? await asked : undefined)
    }
    expect(await results).toEqual(Array.from({ length: 300 }, (_, n) => n))
  })
})

describe('statement_timeout', () => {
  test.each([
    [
      'set',
      async () => {
        const client = await connect()
        await client.query("set statement_timeout = '300ms'")
        return client
      },
    ],
    ['given in the options of a connection', () => connect({ options: '-c statement_timeout=300' })],
    [
      'set for one transaction',
      async () => {
        const client = await connect()
        await client.query("begin; set local statement_timeout = '300ms'")
        return client
      },
    ],
    [
      'set by a function',
      async () => {
        const client = await connect()
        await client.query("begin; select set_config('statement_timeout', '300', true)")
        return client
      },
    ],
    [
      'of the role',
      async () => {
        await database.db.exec("create role hasty login; alter role hasty set statement_timeout = '300ms'")
        return connect({ user: 'hasty' })
      },
    ],
  ])('%s ends a statement', async (_name, prepare) => {
    const client = await prepare()
    await expect(client.query(ENDLESS)).rejects.toMatchObject(TIMED_OUT)
    await client.query('rollback')
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  })

  test('set in the same text counts for each statement', async () => {
    const client = await connect()
    await expect(client.query("set statement_timeout = '1s'; select pg_sleep(600)")).rejects.toMatchObject(TIMED_OUT)
    await client.query("set statement_timeout = '1s'; select pg_sleep(0.7); select pg_sleep(0.7)")
  })

  test('ends a statement that waits for its turn', async () => {
    const [holder, waiting] = [await connect(), await connect({ options: '-c statement_timeout=300' })]
    await holder.query('begin')
    await expect(waiting.query('select 1')).rejects.toMatchObject({ ...TIMED_OUT, hint: expect.any(String) })
    await holder.query('commit')
    expect((await waiting.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  })

  test('of the role applies to requests of the API', async () => {
    const run = database.db.run({
      settings: { statement_timeout: '300' },
      statements: [{ text: 'select pg_sleep(600)', values: [] }],
    })
    await expect(run).rejects.toMatchObject(TIMED_OUT)
  })
})

test('lock_timeout ends a statement that waits for its turn, and no other', async () => {
  const [holder, waiting] = [await connect(), await connect()]
  await waiting.query("set lock_timeout = '300ms'")
  await waiting.query('select pg_sleep(0.5)')
  await holder.query('begin')
  await expect(waiting.query('select 1')).rejects.toMatchObject({
    code: '55P03',
    message: 'canceling statement due to lock timeout',
  })
  await holder.query('commit')
  expect((await waiting.query('select 1 as one')).rows).toEqual([{ one: 1 }])
})

test('transaction_timeout of a client does not end the engine', async () => {
  const client = await connect()
  await client.query("set transaction_timeout = '20ms'")
  await client.query('begin')
  await client.query('select pg_sleep(0.05)').catch(() => undefined)
  await client.query('rollback')
})
