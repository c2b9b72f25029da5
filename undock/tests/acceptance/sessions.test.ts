// What PostgreSQL clients expect of their sessions. PGlite has only one session and can't provide it.
import pg from 'pg'
import postgres from 'postgres'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Stack, startStack } from '../../src/runtime/stack/stack.ts'
import { makeProject, type TestProject } from '../support/project.ts'

let project: TestProject
let stack: Stack
/** Two clients of the database port. */
let [ada, ben]: [pg.Client, pg.Client] = [] as never

beforeAll(async () => {
  project = await makeProject({
    'config.toml':
      'project_id = "sessions"\n[edge_runtime]\nenabled = false\n[db.pooler]\nenabled = true\n[db.settings]\nmax_locks_per_transaction = 100\n',
    'migrations/1_jobs.sql': `
      create table public.jobs (id int primary key, state text not null default 'new');
      insert into public.jobs select generate_series(1, 10);`,
  })
  stack = await startStack({ workdir: project.folder, ports: 'free', state: 'memory' })
})
afterAll(async () => {
  await stack?.stop()
  await project?.remove()
})
beforeEach(async () => {
  ada = await connect()
  ben = await connect()
})
afterEach(() => Promise.all([ada.end(), ben.end()]))

async function connect(options: Partial<pg.ClientConfig> = {}): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: stack.dbUrl, ...options })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

const column = async (client: pg.Client, text: string): Promise<unknown[]> =>
  (await client.query({ text, rowMode: 'array' })).rows.map(([first]) => first)
const value = async (client: pg.Client, text: string): Promise<unknown> => (await column(client, text))[0]

test("hashes passwords with the iterations RFC 7677 requires, or Bun can't log in", async () => {
  const text = String.raw`select count(*)::int as roles, count(*) filter (
    where substring(rolpassword from '^SCRAM-SHA-256\$(\d+):')::int >= 4096)::int as hashed
    from pg_authid where rolcanlogin and rolpassword is not null`
  const { rows } = await stack.db.query<{ roles: number; hashed: number }>({ text, values: [] })
  expect(rows[0]?.roles).toBeGreaterThan(1)
  expect(rows[0]?.hashed).toBe(rows[0]?.roles)
  expect(await value(ada, 'show scram_iterations')).toBe('4096')
})

test('reads continue during an open transaction and see its changes after commit', async () => {
  await ada.query("begin; update jobs set state = 'taken' where id = 1")
  expect(await value(ben, 'select state from jobs where id = 1')).toBe('new')
  await ada.query('commit')
  expect(await value(ben, 'select state from jobs where id = 1')).toBe('taken')
  await ada.query("update jobs set state = 'new'")
})

test('queues: nowait fails immediately, skip locked takes the next rows', async () => {
  await ada.query('begin')
  expect(await column(ada, 'select id from jobs order by id limit 2 for update')).toEqual([1, 2])
  await expect(ben.query('select id from jobs where id = 1 for update nowait')).rejects.toMatchObject({ code: '55P03' })
  expect(await column(ben, 'select id from jobs order by id limit 2 for update skip locked')).toEqual([3, 4])
  await ada.query('rollback')
})

test('conflicting serializable transactions fail with 40001', async () => {
  for (const one of [ada, ben]) {
    await one.query('begin isolation level serializable')
    await one.query("select count(*) from jobs where state = 'new'")
  }
  await ada.query("update jobs set state = 'a' where id = 1")
  await ben.query("update jobs set state = 'b' where id = 2")
  await ada.query('commit')
  await expect(ben.query('commit')).rejects.toMatchObject({ code: '40001' })
  await ada.query("update jobs set state = 'new'")
})

test('a deadlock ends one transaction with 40P01', async () => {
  await ada.query('begin; select from jobs where id = 1 for update')
  await ben.query('begin; select from jobs where id = 2 for update')
  const ends = await Promise.allSettled([
    ada.query('select from jobs where id = 2 for update').finally(() => ada.query('rollback')),
    ben.query('select from jobs where id = 1 for update').finally(() => ben.query('rollback')),
  ])
  const refused = ends.filter((one) => one.status === 'rejected')
  expect(refused).toMatchObject([{ reason: { code: '40P01' } }])
})

test('advisory locks are exclusive and end with their session', async () => {
  const ask = 'select pg_try_advisory_lock(42)'
  expect(await value(ada, ask)).toBe(true)
  expect(await value(ben, ask)).toBe(false)
  await ada.end()
  await expect.poll(() => value(ben, ask)).toBe(true)
  ada = await connect()
})

test('statement_timeout and lock_timeout cancel a statement', async () => {
  await ada.query("set statement_timeout = '50ms'")
  await expect(ada.query('select pg_sleep(10)')).rejects.toMatchObject({ code: '57014' })
  await ben.query('begin; lock table jobs')
  await ada.query("set statement_timeout = 0; set lock_timeout = '50ms'")
  await expect(ada.query('select count(*) from jobs')).rejects.toMatchObject({ code: '55P03' })
  await ben.query('rollback')
})

test('a statement can be cancelled by another session and by its own client', async () => {
  const pid = await value(ada, 'select pg_backend_pid()')
  expect(pid).not.toBe(await value(ben, 'select pg_backend_pid()'))
  // A session is active once its statement is parsed, but PostgreSQL ignores cancel requests until it runs.
  const sleepers = () => value(ben, "select count(*)::int from pg_stat_activity where wait_event = 'PgSleep'")
  const sleeping = expect(ada.query('select pg_sleep(60)')).rejects.toMatchObject({ code: '57014' })
  await expect.poll(sleepers).toBe(1)
  expect(await value(ben, `select pg_cancel_backend(${pid})`)).toBe(true)
  await sleeping
  const sql = postgres(stack.dbUrl, { max: 1 })
  const query = sql`select pg_sleep(60)`.execute()
  await expect.poll(sleepers).toBe(1)
  query.cancel()
  await expect(query).rejects.toMatchObject({ code: '57014' })
  await sql.end()
})

test('pg_stat_activity shows session names and wait events', async () => {
  const named = await connect({ application_name: 'the worker' })
  await named.query('begin')
  expect(await value(ada, "select state from pg_stat_activity where application_name = 'the worker'")).toBe(
    'idle in transaction',
  )
  await named.end()
})

test('temporary tables, settings and prepared statements belong to their session', async () => {
  await ada.query(
    "create temp table mine (id int); set app.who = 'ada'; prepare one as select 1; insert into mine values (1)",
  )
  await expect(ben.query('select * from mine')).rejects.toMatchObject({ code: '42P01' })
  await expect(ben.query('execute one')).rejects.toMatchObject({ code: '26000' })
  expect(await value(ben, "select current_setting('app.who', true)")).not.toBe('ada')
  await ben.query('create temp table mine (name text)')
  expect(await value(ada, 'select id from mine')).toBe(1)
})

test("a pool that queries during a transaction doesn't deadlock", async () => {
  const pool = new pg.Pool({ connectionString: stack.dbUrl, max: 2 })
  const client = await pool.connect()
  await client.query('begin')
  expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  await client.query('commit')
  client.release()
  await pool.end()
})

test('fifty connections work concurrently', async () => {
  const clients = await Promise.all(Array.from({ length: 50 }, () => connect()))
  const pids = await Promise.all(clients.map((client) => value(client, 'select pg_backend_pid() from pg_sleep(0.05)')))
  expect(new Set(pids).size).toBe(50)
  await Promise.all(clients.map((client) => client.end()))
})

test('databases can be created, used and dropped', async () => {
  await ada.query('create database other')
  const other = await connect({ connectionString: stack.dbUrl.replace(/postgres$/, 'other') })
  await other.query('create table t (id int)')
  expect(await value(other, 'select current_database()')).toBe('other')
  // Operations restricted to the project's own database stay denied there.
  await expect(other.query('create publication p for all tables')).rejects.toMatchObject({ code: '42501' })
  await other.end()
  await ada.query('drop database other')
})

test('the server uses the settings of config.toml, and postgres can set those of the Data API', async () => {
  expect(await value(ada, 'show max_locks_per_transaction')).toBe('100')
  await ada.query("alter role authenticator set pgrst.db_max_rows = '7'")
  expect(
    await value(ada, "select rolconfig::text ~ 'pgrst.db_max_rows=7' from pg_roles where rolname = 'authenticator'"),
  ).toBe(true)
  await ada.query('alter role authenticator reset pgrst.db_max_rows')
})

test('vectors can be indexed and searched', async () => {
  await ada.query(`create extension vector with schema extensions; create table points (at vector(2));
    insert into points select array[x, y]::real[]::vector from generate_series(1, 20) x, generate_series(1, 20) y;
    create index on points using hnsw (at vector_l2_ops)`)
  expect(await value(ada, "select at::text from points order by at <-> '[7.2, 3.1]' limit 1")).toBe('[7,3]')
})

test('changes are replicated by a logical slot and by postgres.js subscribe', async () => {
  await ada.query('create publication alltables for all tables')
  expect(await value(ada, "select pubowner::regrole::text from pg_publication where pubname = 'alltables'")).toBe(
    'postgres',
  )
  await ada.query("select pg_create_logical_replication_slot('watch', 'pgoutput')")
  await ada.query("select pg_drop_replication_slot('watch')")
  const sql = postgres(stack.dbUrl, { max: 1, publications: 'alltables' })
  const heard: unknown[] = []
  const { unsubscribe } = await sql.subscribe('update:public.jobs=3', (row, { command }) =>
    heard.push([command, row?.state]),
  )
  await ada.query("update jobs set state = 'done' where id = 3")
  await expect.poll(() => heard).toEqual([['update', 'done']])
  await unsubscribe()
  await sql.end()
})

test('the pooler port accepts user names with a tenant', async () => {
  expect(stack.poolerUrl).toContain('//postgres.sessions:postgres@')
  const pooled = await connect({ connectionString: stack.poolerUrl ?? '' })
  expect(await value(pooled, 'select current_user::text')).toBe('postgres')
  await pooled.end()
})

test('supports TLS when a client asks for it', async () => {
  const secure = await connect({ ssl: { rejectUnauthorized: false } })
  expect(await value(secure, 'select ssl from pg_stat_ssl where pid = pg_backend_pid()')).toBe(true)
  await secure.end()
  expect(await value(ada, 'select ssl from pg_stat_ssl where pid = pg_backend_pid()')).toBe(false)
})
