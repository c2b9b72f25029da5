import { SignJWT } from 'jose'
import pg from 'pg'
import { type Inspector, openInspector } from '../tests/support/inspector.ts'
import { freePort, makeProject } from '../tests/support/project.ts'
import { end, startUndock } from '../tests/support/undock.ts'
import { type Crowd, type CrowdFigures, startCrowd } from './crowd-protocol.ts'
import { milliseconds, rate, table } from './table.ts'

const KEY = 'sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH'
const SECRET = new TextEncoder().encode('super-secret-jwt-token-with-at-least-32-characters-long')

const CONFIG = `project_id = "crowd"
[edge_runtime]
enabled = false
[local_smtp]
enabled = false
[storage]
enabled = false
`
const SCHEMA = `
create table public.changes (id bigint generated always as identity primary key, sent_at double precision not null);
alter table public.changes enable row level security;
create policy "everyone signed in" on public.changes for select to authenticated using ((select auth.uid()) is not null);
alter publication supabase_realtime add table public.changes;
`

const PLAIN = { broadcast: {}, postgres_changes: [] }
const WITH_PRESENCE = { broadcast: {}, presence: { enabled: true }, postgres_changes: [] }
const WITH_CHANGES = { broadcast: {}, postgres_changes: [{ event: 'INSERT', schema: 'public', table: 'changes' }] }
/** Milliseconds between two timed broadcasts: each is delivered before the next one is sent. */
const CALM = 250
const CALM_MESSAGES = 20
const BURST_MESSAGES = 100

/** The clients run in a second process on the same machine, so their cost is part of the times; the processor time is
 *  that of the server alone. */
export async function benchRealtime(): Promise<string> {
  const rows: string[][] = []
  for (const sockets of [1_000, 5_000]) rows.push(...(await measure(() => crowdRows(sockets))))
  rows.push(await measure(() => stormRow(1_000)))
  for (const users of [1, 500]) rows.push(await measure(() => changesRow(500, users)))
  return table(['', 'p50', 'p99', 'deliveries', "the server's processor time a delivery"], rows)
}

type Server = {
  readonly url: string
  readonly dbUrl: string
  readonly inspector: Inspector
  readonly crowd: Crowd['ask']
}
let server: Server

/** Each measurement has its own stack and clients. */
async function measure<T>(work: () => Promise<T>): Promise<T> {
  const project = await makeProject({ 'config.toml': CONFIG, 'migrations/1_changes.sql': SCHEMA })
  const inspected = await freePort()
  const child = await startUndock(project, [], [`--inspect=127.0.0.1:${inspected}`])
  const crowd = startCrowd()
  server = {
    url: `http://127.0.0.1:${project.ports.SUPABASE_API_PORT}`,
    dbUrl: `postgresql://postgres:postgres@127.0.0.1:${project.ports.SUPABASE_DB_PORT}/postgres`,
    inspector: await openInspector(inspected),
    crowd: crowd.ask,
  }
  try {
    return await work()
  } finally {
    crowd.end()
    server.inspector.close()
    await end(child, 'SIGTERM')
    await project.remove()
  }
}

const join = (count: number, config: object, tokens: readonly string[] = []) =>
  server.crowd({
    do: 'join',
    url: server.url,
    apikey: KEY,
    count,
    config,
    ...(tokens.length > 0 ? { tokens } : {}),
    untilSystem: config === WITH_CHANGES,
  })

/** @returns a row with the result of `work` and the server's processor time. */
async function timed(name: string, work: () => Promise<CrowdFigures | null>): Promise<string[]> {
  const before = await server.inspector.processorTime()
  const figures = await work()
  const spent = (await server.inspector.processorTime()) - before
  if (!figures || figures.deliveries < figures.expected)
    throw new Error(`${name}: ${figures?.deliveries} of ${figures?.expected} deliveries`)
  const perDelivery = `${((spent * 1_000) / figures.deliveries).toFixed(1)} µs`
  const deliveries = rate(figures.deliveries / figures.seconds)
  return [name, milliseconds(figures.p50), milliseconds(figures.p99), deliveries, perDelivery]
}

async function crowdRows(sockets: number): Promise<string[][]> {
  const before = await server.inspector.memory()
  await join(sockets, PLAIN)
  const after = await server.inspector.memory()
  const bytes = (after.heap + after.buffers - before.heap - before.buffers) / sockets
  const name = sockets.toLocaleString('en')
  const calm = { do: 'broadcast', messages: CALM_MESSAGES, interval: CALM } as const
  const burst = { do: 'broadcast', messages: BURST_MESSAGES, interval: 0 } as const
  await server.crowd({ ...calm, messages: 5 })
  return [
    await timed(`broadcast to ${name} sockets, one at a time`, () => server.crowd(calm)),
    await timed(`broadcast to ${name} sockets, ${BURST_MESSAGES} at once`, () => server.crowd(burst)),
    [`memory of each of ${name} sockets: ${(bytes / 1_024).toFixed(1)} KB`, '', '', '', ''],
  ]
}

async function stormRow(sockets: number): Promise<string[]> {
  await join(sockets, WITH_PRESENCE)
  return timed(`${sockets.toLocaleString('en')} track at once, until each knows all`, () =>
    server.crowd({ do: 'storm' }),
  )
}

const CHANGES_A_SECOND = 200
const SECONDS = 5

async function changesRow(sockets: number, users: number): Promise<string[]> {
  const tokens = await Promise.all(Array.from({ length: users }, (_, index) => tokenOf(index)))
  await join(sockets, WITH_CHANGES, tokens)
  const client = new pg.Client(server.dbUrl)
  await client.connect()
  const insert = () =>
    client.query('insert into public.changes (sent_at) values ($1)', [performance.timeOrigin + performance.now()])
  const changes = CHANGES_A_SECOND * SECONDS
  await server.crowd({ do: 'expect', deliveries: changes * sockets })
  const since = performance.timeOrigin + performance.now()
  const name = `${CHANGES_A_SECOND} changes a second to ${sockets} subscribers under row security, ${users === 1 ? 'all one user' : `${users} users`}`
  const row = await timed(name, async () => {
    for (let sent = 0; sent < changes; sent++) {
      const due = since + (sent * 1_000) / CHANGES_A_SECOND
      const early = due - performance.timeOrigin - performance.now()
      if (early > 0) await new Promise((resolve) => setTimeout(resolve, early))
      await insert()
    }
    return server.crowd({ do: 'figures', since })
  })
  await client.end()
  return row
}

const tokenOf = (index: number): Promise<string> =>
  new SignJWT({ role: 'authenticated', sub: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}` })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime('1h')
    .sign(SECRET)
