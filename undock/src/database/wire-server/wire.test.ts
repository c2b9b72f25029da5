import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { testCertificate } from '../../testing/certificate.ts'
import { type EmbeddedTestDatabase, openEmbeddedTestDatabase } from '../../testing/database.ts'
import { startWireServer, type WireServer, type WireServerOptions } from './listener.ts'

const log = { info() {}, warn() {}, error: (...told: unknown[]) => faults.push(told) }
const faults: unknown[] = []

const settings = {
  host: '127.0.0.1',
  port: 0,
  password: 'postgres',
  idleInTransactionTimeout: 60,
  maxConnections: 20,
  maxMessageSize: 64 * 1024 ** 2,
  certificate: testCertificate,
  log,
} satisfies Partial<WireServerOptions>

let database: EmbeddedTestDatabase
let wire: WireServer
const open = new Set<pg.Client>()

beforeAll(async () => {
  database = await openEmbeddedTestDatabase('create table public.notes (id int primary key, body text)')
  wire = await startWireServer({ ...database, ...settings })
})
afterEach(async () => {
  await Promise.all([...open].map((client) => client.end()))
})
afterAll(async () => {
  await wire.close()
  await database.close()
  expect(faults).toEqual([])
})

async function connect(options: pg.ClientConfig = {}): Promise<pg.Client> {
  const client = new pg.Client({
    host: '127.0.0.1',
    port: wire.port,
    user: 'postgres',
    password: 'postgres',
    database: 'postgres',
    ...options,
  })
  await client.connect()
  client.on('error', () => {})
  open.add(client)
  client.on('end', () => open.delete(client))
  return client
}

const value = async (client: pg.Client, text: string, values: unknown[] = []) =>
  Object.values((await client.query(text, values)).rows[0] ?? {})[0]

describe('logging in', () => {
  test.each([
    [{ password: 'wrong' }, '28P01', 'password authentication failed for user "postgres"'],
    [{ user: 'nobody' }, '28P01', 'password authentication failed for user "nobody"'],
    [{ user: 'anon' }, '28000', 'role "anon" is not permitted to log in'],
    [
      { user: 'supabase_admin' },
      '28000',
      'role "supabase_admin" is a superuser, and superusers are not permitted to log in',
    ],
    [{ database: 'other' }, '3D000', 'database "other" does not exist'],
    [{ options: '-c no_such_setting=1' }, '42704', 'unrecognized configuration parameter "no_such_setting"'],
    [
      { replication: 'database' } as pg.ClientConfig,
      '0A000',
      'replication connections are not supported by the embedded engine',
    ],
  ])('%j is refused with %s', async (options, code, message) => {
    await expect(connect(options)).rejects.toMatchObject({ code, message })
  })

  test('a role with a password of its own requires that password', async () => {
    await database.db.exec("create role keeper login password 'secret'")
    await expect(connect({ user: 'keeper' })).rejects.toMatchObject({ code: '28P01' })
    const client = await connect({ user: 'keeper', password: 'secret' })
    expect(await value(client, 'select session_user')).toBe('keeper')
  })

  test('other users log in as themselves, with the settings of their role, and nobody else does', async () => {
    const auth = await connect({ user: 'supabase_auth_admin' })
    const postgres = await connect()
    expect(
      await value(auth, "select array[session_user, current_user, current_setting('search_path')]::text[]"),
    ).toEqual(['supabase_auth_admin', 'supabase_auth_admin', 'auth'])
    expect(await value(postgres, 'select session_user')).toBe('postgres')
    expect((await database.db.query({ text: 'select session_user as u', values: [] })).rows).toEqual([
      { u: 'supabase_admin' },
    ])
  })

  test('settings of a connection apply only to it', async () => {
    const a = await connect({ application_name: 'a', options: '-c search_path=auth -c statement_timeout=7s' })
    const b = await connect()
    const show = async (client: pg.Client) => [
      await value(client, 'show application_name'),
      await value(client, 'show search_path'),
      await value(client, 'show statement_timeout'),
    ]
    expect(await show(a)).toEqual(['a', 'auth', '7s'])
    expect(await show(b)).toEqual(['', '"$user", public, extensions', '0'])
  })
})

describe('statements', () => {
  test('run as simple queries, with parameters, several at once, and report errors', async () => {
    const client = await connect()
    expect(await value(client, 'select $1::int + 1', [41])).toBe(42)
    expect(
      ((await client.query('select 1 as a; select 2 as b')) as unknown as pg.QueryResult[]).map(({ rows }) => rows),
    ).toEqual([[{ a: 1 }], [{ b: 2 }]])
    await expect(client.query('select nope')).rejects.toMatchObject({ code: '42703' })
    await expect(client.query('select 1/$1::int', [0])).rejects.toMatchObject({ code: '22012' })
    await expect(client.query('select 1; select nope; select 2')).rejects.toMatchObject({ code: '42703' })
    expect(await value(client, 'show server_version')).toMatch(/^1[78]/)
    expect((await client.query('')).rows).toEqual([])
  })

  test('prepared under the same name by two clients are different', async () => {
    const [a, b] = [await connect(), await connect()]
    const run = (client: pg.Client, text: string) =>
      client.query({ name: 'same', text, values: [5] }).then(({ rows }) => rows)
    expect(await run(a, 'select $1::int * 2 as n')).toEqual([{ n: 10 }])
    expect(await run(b, 'select $1::int * 3 as n')).toEqual([{ n: 15 }])
    expect(await run(a, 'select $1::int * 2 as n')).toEqual([{ n: 10 }])
  })

  test('prepared by SQL under the same name by two clients are different, and end with their client', async () => {
    const [a, b, c] = [await connect(), await connect(), await connect()]
    await a.query('prepare "One" (int) as select $1 * 2 as n')
    await expect(b.query('execute "One"(5)')).rejects.toMatchObject({
      code: '26000',
      message: 'prepared statement "One" does not exist',
    })
    await b.query('/* mine */ PREPARE "One" (int) AS SELECT $1 * 3 AS n; select 1')
    expect(await value(a, 'execute "One"(5)')).toBe(10)
    expect(await value(b, 'execute "One"(5)')).toBe(15)
    expect(await value(a, 'explain (costs off) execute "One"(5)')).toBe('Result')
    await a.query('create temp table made as execute "One"(4)')
    expect(await value(a, 'select n from made')).toBe(8)
    await a.query({ name: 'driver', text: 'select $1::int + 1 as n', values: [1] })
    expect(await value(a, 'execute driver(41)')).toBe(42)
    await a.query('deallocate prepare "One"')
    await expect(a.query('execute "One"(5)')).rejects.toMatchObject({ code: '26000' })
    await b.end()
    expect(await value(c, "select count(*)::int from pg_prepared_statements where statement ~* '^prepare'")).toBe(0)
  })

  test('that fail to parse are not prepared; errors use the names that the client gave', async () => {
    const client = await connect()
    const run = (text: string, values: unknown[] = []) => client.query({ name: 'again', text, values })
    await expect(run('select nope')).rejects.toMatchObject({ code: '42703' })
    expect((await run('select $1::int as n', [1])).rows).toEqual([{ n: 1 }])
    await client.query('deallocate again')
    await expect(run('select $1::int as n', [1])).rejects.toMatchObject({
      code: '26000',
      message: 'prepared statement "again" does not exist',
    })
  })

  test('survive DEALLOCATE ALL and DISCARD ALL of another client', async () => {
    const [a, b] = [await connect(), await connect()]
    const run = () => a.query({ name: 'kept', text: 'select $1::int as n', values: [1] }).then(({ rows }) => rows)
    expect(await run()).toEqual([{ n: 1 }])
    await b.query('deallocate all')
    expect(await run()).toEqual([{ n: 1 }])
    await b.query('discard all')
    expect(await run()).toEqual([{ n: 1 }])
    expect((await database.db.query({ text: 'select 1 as n', values: [] })).rows).toEqual([{ n: 1 }])
  })

  test('that are prepared first after the session has lost all of them are prepared once', async () => {
    const [a, b] = [await connect(), await connect()]
    const ask = (text: string, name?: string) => a.query({ text, values: [7], ...(name ? { name } : {}) })
    await ask('select $1::int as before')
    await b.query('deallocate all')
    expect((await ask('select $1::int as after')).rows).toEqual([{ after: 7 }])
    await b.query('deallocate all')
    expect((await ask('select $1::int as named', 'first')).rows).toEqual([{ named: 7 }])
  })

  test('run for many clients at once, together with the API', async () => {
    const clients = await Promise.all(
      Array.from({ length: 8 }, (_, index) => connect({ application_name: `c${index}` })),
    )
    const answers = await Promise.all(
      clients.flatMap((client, index) =>
        Array.from({ length: 10 }, (_, round) =>
          Promise.all([
            value(client, "select current_setting('application_name') || $1::text", [`-${round}`]),
            database.db.query({ text: 'select $1::int as n', values: [round] }),
          ]).then(([name, { rows }]) => name === `c${index}-${round}` && rows[0]?.n === round),
        ),
      ),
    )
    expect(answers.every(Boolean)).toBe(true)
  })
})

describe('transactions', () => {
  test('commit, roll back, and are isolated from others', async () => {
    const [a, b] = [await connect(), await connect()]
    await a.query('begin')
    await a.query("insert into notes values (1, 'a')")
    const seen = value(b, 'select count(*)::int from notes')
    await a.query('rollback')
    expect(await seen).toBe(0)
    await a.query('begin')
    await a.query("insert into notes values (1, 'a')")
    await expect(a.query('select nope')).rejects.toMatchObject({ code: '42703' })
    await expect(a.query('select 1')).rejects.toMatchObject({ code: '25P02' })
    expect((await a.query('commit')).command).toBe('ROLLBACK')
    expect(await value(b, 'select count(*)::int from notes')).toBe(0)
  })

  test('are rolled back when the client disconnects', async () => {
    const a = await connect()
    await a.query('begin; set local role anon; set search_path = nowhere')
    await a.query('reset role')
    await a.query("insert into public.notes values (2, 'gone')")
    await a.end()
    const { rows } = await database.db.query({
      text: "select (select count(*)::int from notes) as n, current_setting('search_path') as path, current_user::text as who",
      values: [],
    })
    expect(rows).toEqual([{ n: 0, path: '"$user", public, extensions', who: 'supabase_admin' }])
  })

  test.each([
    [
      'in a transaction',
      async (client: pg.Client) => void (await client.query("begin; insert into notes values (3, 'held')")),
    ],
    [
      'in half a batch',
      async ({ connection }: pg.Client) => {
        connection.parse({ name: '', text: 'insert into notes values (3)', types: [] }, true)
        connection.flush()
      },
    ],
  ])('of a client that stays %s are ended, and the API continues', async (_name, begin) => {
    const hasty = await startWireServer({ ...database, ...settings, idleInTransactionTimeout: 0.05 })
    const client = await connect({ port: hasty.port })
    // node-postgres complains first of an answer to a message that it did not send itself.
    const error = new Promise((resolve) => client.on('error', (told) => 'code' in told && resolve(told)))
    await begin(client)
    expect(await error).toMatchObject({ code: '25P03' })
    const { rows } = await database.db.query({ text: 'select count(*)::int as n from notes', values: [] })
    expect(rows).toEqual([{ n: 0 }])
    await hasty.close()
  })

  test('are encrypted when a client asks for it', async () => {
    const secure = await connect({ ssl: { rejectUnauthorized: false } })
    const { rows } = await secure.query("select repeat('long', 100_000) as text")
    expect(rows[0].text).toHaveLength(400_000)
    await expect(connect({ ssl: { rejectUnauthorized: true } })).rejects.toMatchObject({
      code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
    })
    await secure.end()
  })

  test('are available to a limited number of clients', async () => {
    const narrow = await startWireServer({ ...database, ...settings, maxConnections: 1 })
    await connect({ port: narrow.port })
    await expect(connect({ port: narrow.port })).rejects.toMatchObject({ code: '53300' })
    await narrow.close()
  })
})

describe('the session', () => {
  test.each([
    ['set search_path = auth', 'show search_path', 'auth', '"$user", public, extensions'],
    ["select set_config('my.key', 'x', false)", "select coalesce(current_setting('my.key', true), '')", 'x', ''],
    ['set role anon', 'select current_user', 'anon', 'postgres'],
    ["set timezone = 'Asia/Tokyo'", 'show timezone', 'Asia/Tokyo', expect.not.stringMatching('Tokyo')],
    ["prepare p as select 1; set work_mem = '5MB'", 'show work_mem', '5MB', '4MB'],
  ])('%s is visible only to its client', async (change, look, own, others) => {
    const [a, b] = [await connect(), await connect()]
    await a.query(change)
    expect(await value(b, look)).toEqual(others)
    expect(await value(a, look)).toBe(own)
    const { rows } = await database.db.query({
      text: 'select current_user::text as who, session_user::text as session',
      values: [],
    })
    expect(rows).toEqual([{ who: 'supabase_admin', session: 'supabase_admin' }])
    await a.query('reset all')
    await a.query('reset session authorization')
  })

  test('a setting that a function changes does not reach other clients', async () => {
    await database.db.exec(
      "create function public.hide() returns text language sql as $$ select set_config('search_path', 'nowhere', false) $$",
    )
    const [a, b] = [await connect(), await connect()]
    await a.query('select public.hide()')
    const path = '"$user", public, extensions'
    expect(await value(b, 'show search_path')).toBe(path)
    const { rows } = await database.db.query({ text: "select current_setting('search_path') as path", values: [] })
    expect(rows).toEqual([{ path }])
  })

  test('the user is restored', async () => {
    const client = await connect()
    await client.query('set session authorization postgres; set role anon')
    await client.query('set session authorization default')
    expect(await value(client, 'select session_user')).toBe('postgres')
  })

  test('changed settings are reported to the client', async () => {
    const client = await connect()
    const told: string[][] = []
    client.connection.on('parameterStatus', ({ parameterName, parameterValue }) =>
      told.push([parameterName, parameterValue]),
    )
    await client.query("set timezone = 'Asia/Tokyo'")
    expect(told).toEqual([['TimeZone', 'Asia/Tokyo']])
  })
})

describe('LISTEN and NOTIFY', () => {
  test('reach the listening clients', async () => {
    const [a, b, c] = [await connect(), await connect(), await connect()]
    const heard: string[] = []
    a.on('notification', ({ channel, payload }) => heard.push(`a ${channel} ${payload}`))
    b.on('notification', ({ channel, payload }) => heard.push(`b ${channel} ${payload}`))
    await a.query('listen "One"; listen two')
    await b.query('LISTEN Two')
    await c.query(`notify "One", 'x'`)
    await c.query("notify two, 'y'")
    await a.query('unlisten *')
    await c.query("select pg_notify('two', 'z')")
    await a.query('select 1')
    await b.query('select 1')
    expect(heard.sort()).toEqual(['a One x', 'a two y', 'b two y', 'b two z'])
  })

  test('do not affect the listeners of the API by UNLISTEN', async () => {
    const heard: string[] = []
    const stop = await database.db.listen('api', (payload) => heard.push(payload))
    const client = await connect()
    await client.query('discard all')
    await client.query("notify api, 'still here'")
    expect(heard).toEqual(['still here'])
    await stop()
  })
})
