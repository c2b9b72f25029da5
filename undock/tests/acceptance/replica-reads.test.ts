import { once } from 'node:events'
import { createClient } from '@supabase/supabase-js'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Db } from '../../src/database/db.ts'
import { createDb } from '../../src/database/engine-db.ts'
import { openServerEngine, type ServerEngine } from '../../src/database/postgres/server-engine.ts'
import { withReplicaReads } from '../../src/database/replica-reads.ts'
import { sql, statement } from '../../src/kernel/sql.ts'
import { eventually } from '../../src/testing/eventually.ts'
import { makeServedProject } from '../support/nodes.ts'
import { type PlainServer, startPlainServer } from '../support/plain-server.ts'
import { freePort } from '../support/project.ts'

// Reads from a real streaming replica: a read sees everything committed before it, on any node.

let server: PlainServer
let replica: PlainServer
let admin: pg.Client
let follower: pg.Client
const engines: ServerEngine[] = []
const logged: string[] = []
let primary: Db
let db: Db

const connect = async (url: string): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

async function open(url: string): Promise<Db> {
  const engine = await openServerEngine({ url, statementLimit: 60_000, waitLimit: 10_000 })
  engines.push(engine)
  return createDb(engine)
}

beforeAll(async () => {
  server = await startPlainServer()
  admin = await connect(server.url)
  await admin.query('create table items (id int)')
  replica = await server.follow(await freePort(), server.port)
  follower = await eventually(() => connect(replica.url))
  primary = await open(server.url)
  const replicaDb = await open(replica.url)
  const log = { info: () => undefined, warn: (message: string) => void logged.push(message), error: () => undefined }
  db = withReplicaReads(primary, () => replicaDb, log)
})
afterAll(async () => {
  for (const engine of engines) await engine.close()
  await follower?.end()
  await admin?.end()
  await replica?.close()
  await server?.close()
})

const COUNT = 'select count(*)::int as items, pg_is_in_recovery() as standby from items'

/** Reads like the Data API. */
async function read(text = COUNT): Promise<{ items: number; standby: boolean }> {
  const [result] = await db.run({ access: 'read only', timedBy: text, statements: [{ text, values: [] }] })
  return result?.rows[0] as { items: number; standby: boolean }
}

test('reads go to the replica, and everything else to the primary', async () => {
  await eventually(async () => expect((await read()).standby).toBe(true))
  const [write] = await db.run({ statements: [{ text: COUNT, values: [] }] })
  expect(write?.rows[0]?.standby).toBe(false)
  expect((await db.query<{ standby: boolean }>(statement(sql`select pg_is_in_recovery() as standby`))).rows).toEqual([
    { standby: false },
  ])
})

test('a read sees every row committed before it', async () => {
  let expected = (await read()).items
  for (let round = 0; round < 200; round++) {
    // On another node, which this one doesn't know about.
    await admin.query('insert into items values (1)')
    expected += 1
    expect((await read()).items).toBe(expected)
    if (round % 20 === 0) await eventually(async () => expect((await read()).standby).toBe(true))
  }
})

test('skips a replica that stopped replaying until it continues', async () => {
  await follower.query('select pg_wal_replay_pause()')
  await admin.query('insert into items values (2)')
  const { items, standby } = await read()
  expect({ standby, items }).toEqual({
    standby: false,
    items: (await admin.query('select count(*)::int as c from items')).rows[0].c,
  })
  await follower.query('select pg_wal_replay_resume()')
  await eventually(async () => expect((await read()).standby).toBe(true))
})

test('returns an error to the caller like the primary', async () => {
  await expect(read('select 1 / 0 as items')).rejects.toMatchObject({ code: '22012' })
  expect(logged).toEqual([])
})

test.runIf(process.env.NIGHTLY)(
  'a node reads tables from the replica, and calls functions and writes on the primary',
  async () => {
    const served = await makeServedProject(
      {
        'config.toml': 'project_id = "shop"\n[storage]\nenabled = false\n[edge_runtime]\nenabled = false\n',
        'migrations/20260101000000_notes.sql': `
        create table public.notes (text text);
        create view public.place as select pg_is_in_recovery() as standby, (select count(*)::int from public.notes) as notes;
        create function public.place_of_function() returns boolean language sql stable as 'select pg_is_in_recovery()';`,
      },
      { UNDOCK_DATABASE_URL: server.url, UNDOCK_SERVE_DRAIN_DELAY: '0' },
    )
    expect((await served.command(['--migrate'])).stderr).toContain('all migrations are applied')
    const wrong = await served.command(['--check'], { UNDOCK_SERVE_REPLICA_URL: server.url })
    expect(wrong).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('UNDOCK_SERVE_REPLICA_URL is not a replica'),
    })
    const node = await served.start({ UNDOCK_SERVE_REPLICA_URL: replica.url })
    const client = createClient(node.url, served.keys.secret, { auth: { persistSession: false } })
    await eventually(async () =>
      expect((await client.from('place').select().single()).data).toEqual({ standby: true, notes: 0 }),
    )
    expect((await client.rpc('place_of_function', {}, { get: true })).data).toBe(false)
    expect((await client.from('notes').insert({ text: 'x' })).error).toBeNull()
    expect((await client.from('place').select('notes').single()).data).toEqual({ notes: 1 })
    expect(await node.end()).toBe(0)
    await served.remove()
  },
  120_000,
)

test('reads continue on the primary without the replica', async () => {
  replica.process.kill('SIGINT')
  await once(replica.process, 'exit')
  for (let round = 0; round < 10; round++) expect((await read()).standby).toBe(false)
  expect(logged).toEqual([expect.stringContaining('Reads go to the primary')])
})
