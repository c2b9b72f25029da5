import { ListBucketsCommand, S3Client } from '@aws-sdk/client-s3'
import { createClient, type RealtimeChannel, type SupabaseClient } from '@supabase/supabase-js'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LOCAL_CREDENTIALS } from '../../src/storage/s3/authenticate.ts'
import type { Credentials } from '../../src/storage/s3/signer.ts'
import { eventually } from '../../src/testing/eventually.ts'
import { startS3Store, type TestStore } from '../../src/testing/s3-store.ts'
import { type Balancer, startBalancer } from '../support/balancer.ts'
import { makeServedProject, type ServedNode, type ServedProject, storeVariables } from '../support/nodes.ts'
import { type OtlpCollector, startOtlpCollector } from '../support/otlp-collector.ts'
import { type PlainServer, startPlainServer } from '../support/plain-server.ts'
import { endRunning } from '../support/undock.ts'

const CONFIG = `project_id = "shop"
[storage.buckets.files]
public = false
[auth]
site_url = "https://shop.example"
[auth.email]
enable_confirmations = false
[auth.rate_limit]
token_verifications = 30
`

const MIGRATION = `
create table public.items (id bigint generated always as identity primary key, name text);
alter table public.items enable row level security;
create policy anyone on public.items using (true) with check (true);
alter publication supabase_realtime add table public.items;
-- A comment belongs to the statement after it.
create extension if not exists pg_cron with schema pg_catalog;
create table public.ticks (at timestamptz default clock_timestamp());
select cron.schedule('tick', '1 second', 'insert into public.ticks default values');
`

const FUNCTION = `Deno.serve(async (request) => {
  const { name } = await request.json()
  const headers = { apikey: Deno.env.get('SUPABASE_SERVICE_ROLE_KEY') }
  const { status } = await fetch(Deno.env.get('SUPABASE_URL') + '/rest/v1/items?limit=1', { headers })
  return Response.json({ greeting: 'Hello ' + name, status })
})`

let server: PlainServer
let store: TestStore
let collector: OtlpCollector
let served: ServedProject
let nodes: ServedNode[]
let balancer: Balancer
let admin: pg.Client

beforeAll(async () => {
  server = await startPlainServer()
  store = await startS3Store()
  collector = await startOtlpCollector()
  served = await makeServedProject(
    {
      'config.toml': CONFIG,
      'migrations/20260101000000_items.sql': MIGRATION,
      'functions/hello/index.ts': FUNCTION,
    },
    {
      ...storeVariables(store),
      UNDOCK_DATABASE_URL: server.url,
      UNDOCK_SERVE_DRAIN_DELAY: '1',
      UNDOCK_SERVE_TRUSTED_PROXIES: '127.0.0.0/8',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    },
  )
  // Both prepare it concurrently, like during a rollout of two nodes.
  const prepared = await Promise.all([served.command(['--migrate']), served.command(['--migrate'])])
  expect(prepared.map(({ code, stderr }) => (code === 0 ? '' : stderr))).toEqual(['', ''])
  nodes = await Promise.all([served.start(), served.start()])
  balancer = await startBalancer(nodes)
  admin = new pg.Client({ connectionString: server.url })
  await admin.connect()
})
afterAll(async () => {
  await balancer?.close()
  await endRunning()
  await admin?.end()
  await server?.close()
  await store?.close()
  await collector?.close()
  await served?.remove()
})

const clientOf = (url: string, key = served.keys.publishable) =>
  createClient(url, key, { auth: { persistSession: false, autoRefreshToken: false } })

const joined = (channel: RealtimeChannel): Promise<void> =>
  new Promise((resolve, reject) => {
    channel.subscribe((status, error) => {
      if (status === 'SUBSCRIBED') resolve()
      else reject(error ?? new Error(status))
    })
  })

describe('a node rejects', () => {
  test('a database without the latest migrations', async () => {
    await served.project.write('migrations/20260102000000_more.sql', 'create table public.more (id int)')
    const { code, stderr } = await served.command(['--check'])
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('20260102000000_more.sql') })
    expect((await served.command(['--migrate'])).code).toBe(0)
    expect(await served.command(['--check'])).toMatchObject({ code: 0 })
    // The running nodes already know the table.
    for (const { url } of nodes)
      await eventually(async () => expect((await clientOf(url).from('more').select()).error).toBeNull())
  })

  test('a database without event triggers until a superuser creates them', async () => {
    await admin.query('drop event trigger realtime_follow_publication')
    expect((await served.command(['--check'])).stderr).toContain('no triggers that notify Realtime')
    expect((await served.command(['--migrate'])).code).toBe(0)
    expect(await served.command(['--check'])).toMatchObject({ code: 0 })
  })

  test('a cluster with a different file store', async () => {
    const { rows } = await admin.query('table _undock.cluster')
    await admin.query(`update _undock.cluster set storage = 's3://other/'`)
    const { stderr } = await served.command(['--check'])
    await admin.query('update _undock.cluster set storage = $1', [rows[0].storage])
    expect(stderr).toContain('keep files in s3://other/')
  })

  test('vector buckets on a server without pgvector', async () => {
    const { stderr } = await served.command(['--check'], { SUPABASE_STORAGE_VECTOR_ENABLED: 'true' })
    expect(stderr).toContain('lacks the extension `vector`')
  })

  test('an untrusted load balancer with --check', async () => {
    const { code, stderr } = await served.command(['--check'], { UNDOCK_SERVE_TRUSTED_PROXIES: '' })
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('No load balancer is trusted') })
  })
})

test('nodes expose no development routes', async () => {
  const { url, adminUrl } = nodes[0] as ServedNode
  for (const path of ['/undock/v1/status', '/mcp', '/pg/tables', '/undock/v1/reset'])
    expect([path, (await fetch(url + path, { headers: { apikey: served.keys.secret } })).status]).toEqual([
      path,
      expect.toSatisfy((status) => status === 404 || status === 503),
    ])
  expect((await fetch(`${url}/metrics`)).status).toBe(404)
  expect(await (await fetch(`${adminUrl}/metrics`)).text()).toContain('undock_requests_total{service="pg"')
  expect((await fetch(`${adminUrl}/secrets`)).status).toBe(404)
})

test('no project role has the REPLICATION attribute, which could load server files', async () => {
  const { rows } = await admin.query('select rolname from pg_roles where rolreplication and not rolsuper')
  expect(rows).toEqual([])
})

test('a user signs up on one node and uses the others', async () => {
  const client = clientOf(balancer.url)
  expect((await client.auth.signUp({ email: 'ada@example.com', password: 'correct horse' })).error).toBeNull()
  for (let index = 0; index < 4; index++) expect((await client.auth.getUser()).data.user?.email).toBe('ada@example.com')
  expect((await client.from('items').insert({ name: 'one' })).error).toBeNull()
  for (let index = 0; index < 4; index++)
    expect((await client.from('items').select('name')).data).toEqual([{ name: 'one' }])
  expect((await client.auth.refreshSession()).error).toBeNull()
})

test('concurrent refreshes of one token on two nodes return the same successor', async () => {
  const { data } = await clientOf(balancer.url).auth.signUp({ email: 'twice@example.com', password: 'correct horse' })
  const token = data.session?.refresh_token ?? ''
  const answers = await Promise.all(
    [...nodes, ...nodes].map(({ url }) => clientOf(url).auth.refreshSession({ refresh_token: token })),
  )
  expect(answers.map(({ error }) => error)).toEqual(answers.map(() => null))
  const { rows } = await admin.query(
    `select count(*)::int as live from auth.refresh_tokens t join auth.users u on u.id::text = t.user_id
     where u.email = 'twice@example.com' and not t.revoked`,
  )
  expect(rows).toEqual([{ live: 1 }])
  expect(new Set(answers.map(({ data }) => data.session?.refresh_token)).size).toBe(1)
})

test('rate limits are shared by the nodes and count the client behind the load balancer', async () => {
  const ask = (index: number, address: string) =>
    fetch(`${nodes[index % 2]?.url}/auth/v1/verify`, {
      method: 'POST',
      headers: { apikey: served.keys.publishable, 'x-forwarded-for': `198.51.100.9, ${address}` },
      body: JSON.stringify({ type: 'email', email: 'x@example.com', token: '123456' }),
    }).then(({ status }) => status)
  const statuses: number[] = []
  for (let index = 0; index < 36; index++) statuses.push(await ask(index, '203.0.113.7'))
  const passed = statuses.filter((status) => status !== 429).length
  // One token is refilled every ten seconds.
  expect(passed).toBeGreaterThanOrEqual(30)
  expect(passed).toBeLessThan(36)
  expect(await ask(0, '203.0.113.8')).not.toBe(429)
})

test('edge functions run next to each node and call the backend', async () => {
  for (const { url } of nodes) {
    const { data, error } = await clientOf(url).functions.invoke('hello', { body: { name: 'Ada' } })
    expect([data, error]).toEqual([{ greeting: 'Hello Ada', status: 200 }, null])
  }
})

test('edge functions can run elsewhere, such as next to another node', async () => {
  const endpoint = { UNDOCK_SERVE_FUNCTIONS_ENDPOINT: `${nodes[0]?.url}/functions/v1` }
  expect(await served.command(['--check'], endpoint)).toMatchObject({ code: 0 })
  const away = await served.command(['--check'], { UNDOCK_SERVE_FUNCTIONS_ENDPOINT: 'http://127.0.0.1:9' })
  expect(away).toMatchObject({ code: 1, stderr: expect.stringContaining("Couldn't call functions at") })
  const node = await served.start(endpoint)
  const { data, error } = await clientOf(node.url).functions.invoke('hello', { body: { name: 'Ada' } })
  expect([data, error]).toEqual([{ greeting: 'Hello Ada', status: 200 }, null])
  await node.end('SIGKILL')
})

test('all nodes log and export the requests of a trace', async () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
  let log = ''
  for (const { process } of nodes)
    process.stdout?.on('data', (chunk) => {
      log += chunk
    })
  for (const { url } of nodes)
    await fetch(`${url}/rest/v1/items?limit=1`, {
      headers: { apikey: served.keys.secret, traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
    })
  const ports = nodes.map(({ url }) => new URL(url).port).toSorted()
  const portOf = (node: string) => node.split(':').at(-1)
  await eventually(() => {
    const spans = collector.spans.filter((span) => span.traceId === traceId && span.name === 'GET /rest/v1/items')
    expect(spans.map(({ instance }) => portOf(instance)).toSorted()).toEqual(ports)
    const lines = log.split('\n').filter((line) => line.includes(traceId) && line.endsWith('}'))
    const fields = lines.map((line) => JSON.parse(line).fields)
    expect(fields.map(({ node }) => portOf(node)).toSorted()).toEqual(ports)
    expect(fields[0]).toMatchObject({ service: 'rest', requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) })
  })
})

test('a cron job runs once per due time', async () => {
  await admin.query('truncate public.ticks')
  await eventually(async () => {
    const { rows } = await admin.query('select count(*)::int as ticks from public.ticks')
    expect(rows[0].ticks).toBeGreaterThan(4)
  })
  const { rows } =
    await admin.query(`select count(*)::int as runs, count(distinct date_trunc('second', start_time))::int as times
    from cron.job_run_details where status = 'succeeded'`)
  expect(rows[0].runs).toBeLessThanOrEqual(rows[0].times + 2)
})

test('a webhook is sent once on a server without pg_net', async () => {
  const ids = await admin.query(`select net.http_get('${nodes[0]?.url}/rest/v1/') as id from generate_series(1, 20)`)
  await eventually(async () => {
    const { rows } = await admin.query(
      'select count(*)::int as sent, count(distinct id)::int as ids from net._http_response',
    )
    expect(rows).toEqual([{ sent: ids.rows.length, ids: ids.rows.length }])
  })
})

test('a file uploaded to one node is available on the others', async () => {
  const [one, other] = nodes.map(({ url }) => clientOf(url, served.keys.secret).storage.from('files'))
  expect((await one?.upload('a/b.txt', new Blob(['hello'])))?.error).toBeNull()
  expect(await (await other?.download('a/b.txt'))?.data?.text()).toBe('hello')
  expect((await other?.remove(['a/b.txt']))?.error).toBeNull()
  expect((await one?.download('a/b.txt'))?.error).not.toBeNull()
})

test("the S3 protocol needs the cluster's own keys", async () => {
  const { url } = nodes[0] as ServedNode
  const clientWith = ({ accessKey, secretKey, region }: Credentials) =>
    new S3Client({
      endpoint: `${url}/storage/v1/s3`,
      region,
      forcePathStyle: true,
      credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
    })
  const listed = await clientWith(served.s3Credentials).send(new ListBucketsCommand())
  expect(listed.Buckets?.map(({ Name }) => Name)).toEqual(['files'])
  await expect(clientWith(LOCAL_CREDENTIALS).send(new ListBucketsCommand())).rejects.toThrow('Invalid Access Key')
})

test('a client on one node receives broadcasts, presence and changes from another', async () => {
  const [one, other] = nodes.map(({ url }) => clientOf(url)) as [SupabaseClient, SupabaseClient]
  const heard: unknown[] = []
  const listens = Promise.withResolvers<void>()
  const room = other
    .channel('room')
    // Row changes start a while after a channel is joined.
    .on('system', {}, ({ status }) => status === 'ok' && listens.resolve())
    .on('presence', { event: 'sync' }, () => undefined)
    .on('broadcast', { event: 'hi' }, ({ payload }) => heard.push(payload))
    .on('postgres_changes', { event: 'INSERT', schema: 'public', table: 'items' }, ({ new: row }) =>
      heard.push(row.name),
    )
  await joined(room)
  await listens.promise
  const here = one.channel('room')
  await joined(here)
  await here.send({ type: 'broadcast', event: 'hi', payload: { from: 'one' } })
  await here.track({ name: 'ada' })
  expect((await one.from('items').insert({ name: 'changed' })).error).toBeNull()
  await eventually(() => expect(heard).toEqual([{ from: 'one' }, 'changed']))
  await eventually(() => expect(Object.values(room.presenceState()).flat()).toMatchObject([{ name: 'ada' }]))
  await Promise.all([one.removeAllChannels(), other.removeAllChannels()])
})

test('replaces a node under load without losing a request', async () => {
  const client = clientOf(balancer.url)
  const failures: unknown[] = []
  let isOver = false
  let inserted = 0
  const load = Array.from({ length: 4 }, async () => {
    while (!isOver) {
      const { error, status } = await client.from('items').insert({ name: 'load' })
      if (error) failures.push({ status, error })
      else inserted += 1
    }
  })
  const fresh = await served.start()
  balancer.nodes = [...balancer.nodes, fresh]
  const [old] = nodes as [ServedNode]
  expect(await old.end()).toBe(0)
  balancer.nodes = balancer.nodes.filter((one) => one !== old)
  nodes = nodes.with(0, fresh)
  isOver = true
  await Promise.all(load)
  expect(failures).toEqual([])
  const { rows } = await admin.query(`select count(*)::int as stored from public.items where name = 'load'`)
  expect(rows).toEqual([{ stored: inserted }])
  expect(inserted).toBeGreaterThan(10)
})

test("a killed node doesn't affect the others", async () => {
  const client = clientOf((nodes[1] as ServedNode).url)
  await (nodes[0] as ServedNode).end('SIGKILL')
  expect((await client.from('items').insert({ name: 'after' })).error).toBeNull()
  const before = await admin.query('select count(*)::int as ticks from public.ticks')
  await eventually(async () => {
    const { rows } = await admin.query('select count(*)::int as ticks from public.ticks')
    expect(rows[0].ticks).toBeGreaterThan(before.rows[0].ticks + 1)
  })
})
