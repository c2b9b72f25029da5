import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testCertificate } from '../../testing/certificate.ts'
import { type EmbeddedTestDatabase, openEmbeddedTestDatabase } from '../../testing/database.ts'
import { runScript } from '../protocol/run-script.ts'
import { startWireServer, type WireServer } from './listener.ts'

// All clients share the one session of the embedded engine, which belongs to a superuser. What they may do is what the
// role may do that they logged in as, whatever they send.

let database: EmbeddedTestDatabase
let wire: WireServer

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
})
afterAll(async () => {
  await wire?.close()
  await database?.close()
})

async function withClient<T>(work: (client: pg.Client) => Promise<T>, options: pg.ClientConfig = {}): Promise<T> {
  const place = { host: '127.0.0.1', port: wire.port, database: 'postgres' }
  const client = new pg.Client({ ...place, user: 'postgres', password: 'postgres', ...options })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

const WHO = "select session_user || '/' || current_user || '/' || current_setting('is_superuser') as who"
const who = async (client: pg.Client): Promise<string> => (await client.query(WHO)).rows[0].who

const set = "set_config('session_authorization', 'supabase_admin', false)"
const ATTEMPTS: readonly string[] = [
  'set session authorization supabase_admin',
  "set session authorization 'supabase_admin'",
  'set local session authorization supabase_admin',
  'set/**/session /* x */ authorization -- y\n supabase_admin',
  'SET SESSION AUTHORIZATION U&"supabase\\005fadmin"',
  `select ${set}`,
  `do $$ begin perform ${set}; end $$`,
  "do $$ begin execute 'set session ' || 'authorization supabase_admin'; end $$",
  `create function pg_temp.become() returns text language sql as $$ select ${set} $$; select pg_temp.become()`,
  `create function pg_temp.are() returns text language sql set session_authorization = 'supabase_admin' as 'select current_user'; select pg_temp.are()`,
  `begin; create temp table t (a int) on commit drop; create function pg_temp.f() returns trigger language plpgsql as $$ begin perform ${set}; return null; end $$;
    create constraint trigger t after insert on t deferrable initially deferred for each row execute function pg_temp.f(); insert into t values (1); commit`,
  `copy (select ${set}) to stdout`,
  `explain analyze select ${set}`,
  `prepare p as select ${set}; execute p`,
  `declare c cursor with hold for select ${set}; fetch c`,
  'set role supabase_admin',
  'set session authorization anon',
  'set session authorization authenticator',
  'alter role postgres superuser',
  'create role mine superuser',
  'grant supabase_admin to postgres',
]

test.each(ATTEMPTS)('%s makes nobody a superuser', async (text) => {
  await withClient(async (client) => {
    await expect(client.query(text)).rejects.toMatchObject({ code: expect.stringMatching(/^(42501|22023|42939)$/) })
    await client.query('rollback')
    expect(await who(client)).toBe('postgres/postgres/off')
  })
})

test.each([
  ['with parameters', "select set_config('session_authorization', $1, false)", ['supabase_admin']],
  ['as a prepared statement', { name: 'become', text: `select ${set}` }, []],
])('no superuser by the extended protocol, %s', async (_name, query, values) => {
  await withClient(async (client) => {
    await expect(client.query(query as string, values)).rejects.toMatchObject({ code: '42501' })
    expect(await who(client)).toBe('postgres/postgres/off')
  })
})

test.each([
  ['reset session authorization'],
  ['set session authorization default'],
  ['discard all'],
  ['reset all'],
  ['begin; set local role anon; rollback'],
  ["do $$ begin execute 'reset session authorization'; end $$"],
  ["set role none; do $$ begin execute 'set session authorization default'; end $$"],
  ['begin; savepoint a; set session authorization postgres; rollback to a; rollback'],
])('%s returns to the user that logged in', async (text) => {
  await withClient(async (client) => {
    await client.query(text)
    expect(await who(client)).toBe('postgres/postgres/off')
  })
  const { rows } = await database.db.query({ text: WHO, values: [] })
  expect(rows).toEqual([{ who: 'supabase_admin/supabase_admin/on' }])
})

test.each(['role', 'session_authorization'])('a role with %s among its settings logs in as itself', async (name) => {
  await database.db.exec(`alter role authenticator set ${name} = 'supabase_admin'`)
  try {
    expect(await withClient(who, { user: 'authenticator' })).toBe('authenticator/authenticator/off')
  } finally {
    await database.db.exec(`alter role authenticator reset ${name}`)
  }
})

test.each([
  ['-c session_authorization=supabase_admin', '42501'],
  ['-c role=supabase_admin', '42501'],
  ['-c allow_system_table_mods=on', '42501'],
  ['-c session_preload_libraries=x', '42501'],
])('the option %s requires the right of the user', async (options, code) => {
  await expect(withClient(who, { options })).rejects.toMatchObject({ code })
})

test('the rest of a batch, and other clients meanwhile, keep their roles', async () => {
  await withClient(async (one) =>
    withClient(
      async (other) => {
        await one.query('begin')
        expect(await who(one)).toBe('postgres/postgres/off')
        const waiting = who(other)
        await expect(one.query(`select ${set}`)).rejects.toMatchObject({ code: '42501' })
        await one.query('rollback')
        expect(await waiting).toBe('authenticator/authenticator/off')
        expect(await who(one)).toBe('postgres/postgres/off')
      },
      { user: 'authenticator' },
    ),
  )
})

test('scripts of the project, and jobs, cannot become superusers either', async () => {
  await expect(database.db.runAs('postgres', 'set session authorization supabase_admin')).rejects.toMatchObject({
    code: '42501',
  })
  await expect(database.db.runAs('supabase_admin', 'select 1')).rejects.toMatchObject({ code: '28000' })
  const attempt = database.engine.withProjectSession((session) => runScript(session, `select ${set}`))
  await expect(attempt).rejects.toMatchObject({ code: '42501' })
})
