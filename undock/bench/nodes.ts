import { createClient } from '@supabase/supabase-js'
import pg from 'pg'
import { startS3Store } from '../src/testing/s3-store.ts'
import { makeServedProject, type ServedNode, type ServedProject, storeVariables } from '../tests/support/nodes.ts'
import { type PlainServer, startPlainServer } from '../tests/support/plain-server.ts'
import { endRunning } from '../tests/support/undock.ts'
import { startCrowd } from './crowd-protocol.ts'
import { type Figures, type LoadRequest, medianOf, send } from './load.ts'
import { type CpuTime, cpuEach, cpuTime } from './processes.ts'
import { median, microseconds, rate, table } from './table.ts'

const MAX_NODES = 3
const ROWS = 1_000
const CONNECTIONS = 48
const SECONDS = 2
const ROUNDS = 3
const SOCKETS = 600
const MESSAGES = 60
const WRITERS = 8

const PROJECT = {
  'config.toml': `project_id = "nodes"
[edge_runtime]
enabled = false
`,
  'migrations/20260101000000_items.sql': `
create table public.items (id int primary key, title text);
insert into public.items select n, 'Item ' || n from generate_series(1, ${ROWS}) n;
create table public.plain (id bigint generated always as identity primary key, title text);
create table public.heard (id bigint generated always as identity primary key, title text);
alter table public.items enable row level security;
alter table public.plain enable row level security;
alter table public.heard enable row level security;
create policy anyone on public.items for select to anon using (true);
create policy anyone on public.plain for insert to anon with check (true);
create policy anyone on public.heard to anon using (true) with check (true);
alter publication supabase_realtime add table public.heard;
`,
}

let server: PlainServer
let served: ServedProject
const nodes: ServedNode[] = []

/** What one, two and three nodes before one database do, all on this machine: clients share its cores, so it is the processor time that
 *  grows or does not. Each node gets its share of the clients directly. */
export async function benchNodes(): Promise<string> {
  server = await startPlainServer()
  const store = await startS3Store()
  served = await makeServedProject(PROJECT, { ...storeVariables(store), UNDOCK_DATABASE_URL: server.url })
  try {
    const { code, stderr } = await served.command(['--migrate'])
    if (code !== 0) throw new Error(stderr)
    const requests: string[][] = []
    const sockets: string[][] = []
    const commits: string[][] = []
    while (nodes.length < MAX_NODES) {
      nodes.push(await served.start())
      requests.push(...(await requestRows()))
      sockets.push(await socketRow())
      commits.push(await commitRow(0))
    }
    for (const idle of [10, 50]) commits.push(await commitRow(idle))
    return [
      table(['', 'nodes', 'requests a second', "nodes' processor time a request", "the database's"], requests),
      table(
        ['', 'nodes', 'deliveries a second', "nodes' processor time a delivery", "the database's a message"],
        sockets,
      ),
      table(['listening', 'rows nobody hears of', 'rows that a socket at each node hears of'], commits),
      `The last table: rows inserted a second by ${WRITERS} clients of the database itself, a commit each.`,
    ].join('\n\n')
  } finally {
    await endRunning()
    await store.close()
    await server.close()
    await served.remove()
    nodes.length = 0
  }
}

async function requestRows(): Promise<string[][]> {
  const headers = { apikey: served.keys.publishable }
  const requests: Record<string, LoadRequest> = {
    'read one row by key': { method: 'GET', path: '/rest/v1/items?id=eq.{n}', count: ROWS, headers },
    'insert one row': {
      method: 'POST',
      path: '/rest/v1/plain',
      headers: { ...headers, 'content-type': 'application/json', prefer: 'return=minimal' },
      body: '{"title":"one more"}',
    },
  }
  const rows: string[][] = []
  for (const [name, request] of Object.entries(requests)) {
    await sendToAll(request)
    const rounds: Figures[] = []
    for (let round = 0; round < ROUNDS; round++) rounds.push(await sendToAll(request))
    const { perSecond, cpu } = medianOf(rounds)
    rows.push([name, String(nodes.length), rate(perSecond), microseconds(cpu.own), microseconds(cpu.database)])
  }
  return rows
}

/** Loads all nodes at once, each with its share of the clients. */
async function sendToAll(request: LoadRequest): Promise<Figures> {
  const before = await spentSoFar()
  const all = await Promise.all(nodes.map(({ url }) => send(url, request, CONNECTIONS / nodes.length)))
  const answered = all.reduce((sum, one) => sum + (one?.requests ?? Number.NaN), 0)
  if (Number.isNaN(answered)) throw new Error('Some requests failed')
  const perSecond = all.reduce((sum, one) => sum + (one?.perSecond ?? 0), 0)
  return { perSecond, cpu: cpuEach(before, await spentSoFar(), answered) }
}

async function socketRow(): Promise<string[]> {
  const { ask, end } = startCrowd()
  try {
    for (const { url } of nodes)
      await ask({
        do: 'join',
        url,
        apikey: served.keys.publishable,
        count: SOCKETS / nodes.length,
        config: { broadcast: {}, postgres_changes: [] },
      })
    await ask({ do: 'broadcast', messages: 5, interval: 50 })
    const before = await spentSoFar()
    const figures = await ask({ do: 'broadcast', messages: MESSAGES, interval: 0 })
    const after = await spentSoFar()
    if (!figures || figures.deliveries < figures.expected)
      throw new Error(`${figures?.deliveries} of ${figures?.expected} deliveries`)
    return [
      `broadcast to ${SOCKETS} sockets`,
      String(nodes.length),
      rate(figures.deliveries / figures.seconds),
      microseconds(cpuEach(before, after, figures.deliveries).own),
      microseconds(cpuEach(before, after, MESSAGES).database),
    ]
  } finally {
    end()
  }
}

/** @param idle Sessions that listen to what nodes listen to, beside the nodes, and do nothing. */
async function commitRow(idle: number): Promise<string[]> {
  const listeners = await Promise.all(Array.from({ length: idle }, connect))
  for (const one of listeners) await one.query('listen realtime_changes; listen undock_bus')
  const clients = nodes.map(({ url }) => createClient(url, served.keys.publishable))
  const plain = await commitsOf('plain')
  await Promise.all(
    clients.map(
      (client) =>
        new Promise<void>((resolve) => {
          client
            .channel('heard')
            .on('system', {}, () => resolve())
            .on('postgres_changes', { event: '*', schema: 'public', table: 'heard' }, () => undefined)
            .subscribe()
        }),
    ),
  )
  const heard = await commitsOf('heard')
  await Promise.all(clients.map((client) => client.removeAllChannels()))
  for (const one of listeners) await one.end()
  const listening = idle === 0 ? `${nodes.length} nodes` : `${nodes.length} nodes and ${idle} idle sessions`
  return [listening, rate(plain), rate(heard)]
}

async function commitsOf(name: string): Promise<number> {
  const writers = await Promise.all(Array.from({ length: WRITERS }, connect))
  const rounds: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    let commits = 0
    const until = performance.now() + SECONDS * 1_000
    await Promise.all(
      writers.map(async (writer) => {
        for (; performance.now() < until; commits++)
          await writer.query({ name, text: `insert into public.${name} (title) values ($1)`, values: ['one'] })
      }),
    )
    rounds.push(commits / SECONDS)
  }
  for (const writer of writers) await writer.end()
  return median(rounds)
}

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  return client
}

async function spentSoFar(): Promise<CpuTime> {
  const own = await Promise.all(nodes.map(({ process }) => cpuTime(process.pid ?? 0)))
  const { database } = await cpuTime(server.process.pid ?? 0)
  return { own: own.reduce((sum, one) => sum + one.own, 0), database }
}
