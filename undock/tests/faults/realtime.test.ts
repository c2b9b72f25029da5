import type { ChildProcess } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join as joinPath } from 'node:path'
import { createClient, type RealtimeChannel, type SupabaseClient } from '@supabase/supabase-js'
import { SignJWT } from 'jose'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { type Inspector, openInspector } from '../support/inspector.ts'
import { freePort, makeProject, type TestProject } from '../support/project.ts'
import { clientFrame, openRealtimeSocket, type RealtimeSocket } from '../support/realtime-socket.ts'
import { end, startUndock } from '../support/undock.ts'

const CONFIG = ['edge_runtime', 'local_smtp', 'storage'].map((name) => `[${name}]\nenabled = false\n`).join('')
/** The engine cancels statements that take longer, and restarts. */
const LIMITS = '[limits]\nstatement_timeout = "5s"\n'
const SCHEMA = `
create table public.notes (id int primary key, owner uuid not null, body text);
alter table public.notes enable row level security;
create policy own on public.notes for select to authenticated using (owner = (select auth.uid()));
grant all on public.notes to service_role;
create table public.ticks (id int primary key);
alter publication supabase_realtime add table public.notes, public.ticks;
create table public.members (id uuid primary key);
create policy members on realtime.messages for select to authenticated
  using (realtime.topic() = 'club' and (select auth.uid()) in (select id from public.members));
`
const KEY = 'sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH'
const SECRET_KEY = 'sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz'
const SECRET = new TextEncoder().encode('super-secret-jwt-token-with-at-least-32-characters-long')

let project: TestProject
let url: string
let inspected: number
let undock: ChildProcess
let admin: SupabaseClient
const clients: SupabaseClient[] = []

const start = () => startUndock(project, [], ['--expose-gc', `--inspect=127.0.0.1:${inspected}`])

beforeAll(async () => {
  project = await makeProject({ 'config.toml': CONFIG, 'undock.toml': LIMITS, 'migrations/1_notes.sql': SCHEMA })
  url = `http://127.0.0.1:${project.ports.SUPABASE_API_PORT}`
  inspected = await freePort()
  undock = await start()
  admin = createClient(url, SECRET_KEY)
})
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.realtime.disconnect()))
})
afterAll(async () => {
  if (undock) await end(undock, 'SIGTERM')
  await project?.remove()
})

const userId = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`
const tokenOf = (index: number) =>
  new SignJWT({ role: 'authenticated', sub: userId(index) })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime('1h')
    .sign(SECRET)

/** @param user The user whose token all of the client's channels use. */
function client(user?: number): SupabaseClient {
  const auth = { persistSession: false, autoRefreshToken: false }
  const made = createClient(url, KEY, user === undefined ? { auth } : { auth, accessToken: () => tokenOf(user) })
  clients.push(made)
  return made
}

/** Joins and resolves once changes are subscribed. The client itself retries joins rejected by the rate limit. */
const listening = (channel: RealtimeChannel) =>
  new Promise<void>((resolve) => {
    channel.on('system', {}, ({ status }) => status === 'ok' && resolve()).subscribe()
  })

const eventually = <T>(check: () => T | Promise<T>, timeout = 60_000) => vi.waitFor(check, { timeout, interval: 50 })

/** Errors logged by Realtime. */
async function loggedErrors(): Promise<string[]> {
  const text = await readFile(joinPath(project.folder, 'supabase/.undock/logs/realtime.log'), 'utf8').catch(() => '')
  return text.split('\n').filter((line) => line.includes('"level":"error"'))
}

/** The same numbers in every run, so failures can be reproduced. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const JOIN = { config: { broadcast: { ack: true, self: true }, presence: { enabled: true }, postgres_changes: [] } }
const SEEDS = [
  '["1","1","realtime:fuzz","phx_join",{"config":{"broadcast":{"self":true},"postgres_changes":[{"event":"*","schema":"public","table":"ticks","filter":"id=gt.1"}]}}]',
  '["1","2","realtime:fuzz","broadcast",{"type":"broadcast","event":"e","payload":{"n":1}}]',
  '["1","3","realtime:fuzz","presence",{"type":"presence","event":"track","payload":{"at":1}}]',
  '["1","4","realtime:fuzz","access_token",{"access_token":"eyJhbGciOiJIUzI1NiJ9.e30.c2ln"}]',
  '["1","5","realtime:fuzz","phx_leave",{}]',
  '[null,"6","phoenix","heartbeat",{}]',
].map((text) => Buffer.from(text))

/** A client that sends increasingly invalid messages until it is disconnected or has sent all. */
async function talkNonsense(seed: number): Promise<void> {
  const random = numbersFrom(seed)
  const socket = await openRealtimeSocket(url, KEY).catch(() => null)
  for (let turn = 0; turn < 60 && socket?.network.writable; turn++) {
    const message = Buffer.from(SEEDS[random(SEEDS.length)] as Buffer)
    for (let flips = random(4); flips > 0; flips--) message[random(message.length)] = random(256)
    const text = message.subarray(0, random(5) === 0 ? random(message.length) : message.length)
    const frame = clientFrame(text, random(8) === 0 ? random(16) : 1 + random(2))
    if (random(30) === 0) frame[random(Math.min(14, frame.length))] = random(256)
    socket.sendRaw(random(40) === 0 ? Buffer.from(Array.from({ length: random(200) }, () => random(256))) : frame)
    if (turn % 10 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  socket?.network.destroy()
}

/** A client that sends too many messages of one kind. */
async function flood(kind: number): Promise<void> {
  const socket = await openRealtimeSocket(url, KEY)
  const topic = `realtime:flood ${kind}`
  socket.send('1', '1', topic, 'phx_join', JOIN)
  const large = { type: 'broadcast', event: 'e', payload: { x: 'x'.repeat(200_000) } }
  for (let n = 0; n < (kind === 3 ? 100 : 2_000) && socket.network.writable; n++) {
    if (kind === 0) socket.send('1', `${n}`, topic, 'broadcast', { type: 'broadcast', event: 'e', payload: { n } })
    if (kind === 1) socket.send(`${n}`, `${n}`, `${topic} ${n}`, 'phx_join', JOIN)
    if (kind === 2) socket.send('1', `${n}`, topic, 'presence', { event: 'track', payload: { n } })
    if (kind === 3) socket.send('1', `${n}`, topic, 'broadcast', large)
    if (kind === 4) socket.send(`${n}`, `${n}`, topic, n % 2 ? 'phx_leave' : 'phx_join', JOIN)
    if (kind === 5) socket.send(null, `${n}`, 'phoenix', 'heartbeat', {})
    if (n % 50 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  socket.network.destroy()
}

/** Checks that a new client works. */
async function serves(): Promise<void> {
  const heard = vi.fn()
  const channel = client()
    .channel('as usual', { config: { broadcast: { self: true } } })
    .on('broadcast', { event: 'e' }, ({ payload }) => heard(payload))
    .on('postgres_changes', { event: '*', schema: 'public', table: 'ticks' }, ({ new: row }) => heard(row))
  await listening(channel)
  await channel.send({ type: 'broadcast', event: 'e', payload: { n: 1 } })
  await admin.from('ticks').insert({ id: -1 }).throwOnError()
  await eventually(() => {
    expect(heard).toHaveBeenCalledWith({ n: 1 })
    expect(heard).toHaveBeenCalledWith({ id: -1 })
  })
  await admin.from('ticks').delete().eq('id', -1).throwOnError()
  await Promise.all(clients.splice(0).map((one) => one.realtime.disconnect()))
}

test("invalid messages and floods don't disturb other clients, log errors or leak memory", async () => {
  const inspector = await openInspector(inspected)
  const round = async (seed: number): Promise<void> => {
    for (let first = 0; first < 100; first += 20)
      await Promise.all(Array.from({ length: 20 }, (_, index) => talkNonsense(seed * 1_000 + first + index)))
    await Promise.all([0, 1, 2, 3, 4, 5].map(flood))
    await serves()
  }
  // Memory for code, caches and prepared statements is allocated in the first round.
  await round(1)
  const before = await settledHeap(inspector)
  await round(2)
  await round(3)
  const after = await settledHeap(inspector)
  inspector.close()
  expect(await loggedErrors()).toEqual([])
  expect(after / before).toBeLessThan(1.05)
})

/** The heap size once it stops shrinking: disconnected sockets release their memory slightly later. */
async function settledHeap(inspector: Inspector): Promise<number> {
  for (let last = Number.POSITIVE_INFINITY; ; ) {
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    const { heap } = await inspector.memory()
    if (heap > last * 0.998) return Math.min(heap, last)
    last = heap
  }
}

test('detects vanished clients, including those that neither read nor disconnect', async () => {
  const watcher = await openRealtimeSocket(url, KEY)
  const present = new Set<string>()
  watcher.onText((text) => {
    const [, , , event, payload] = JSON.parse(text) as [unknown, unknown, unknown, string, Record<string, object>]
    if (event !== 'presence_diff') return
    for (const key of Object.keys(payload.joins ?? {})) present.add(key)
    for (const key of Object.keys(payload.leaves ?? {})) present.delete(key)
  })
  watcher.send('1', '1', 'realtime:vanishing', 'phx_join', JOIN)
  const beat = setInterval(() => watcher.send(null, 'h', 'phoenix', 'heartbeat', {}), 10_000)
  const gone = await Promise.all(
    Array.from({ length: 40 }, async (_, index): Promise<RealtimeSocket> => {
      const socket = await openRealtimeSocket(url, KEY)
      const config = { ...JOIN.config, presence: { enabled: true, key: `k${index}` } }
      socket.send('1', '1', 'realtime:vanishing', 'phx_join', { config })
      socket.send('1', '2', 'realtime:vanishing', 'presence', { event: 'track', payload: {} })
      return socket
    }),
  )
  await eventually(() => expect(present.size).toBe(40))
  for (const [index, { network }] of gone.entries())
    if (index % 2 === 0) network.destroy()
    else network.pause()
  await eventually(() => expect(present.size).toBe(20))
  await eventually(() => expect(present.size).toBe(0), 120_000)
  clearInterval(beat)
  for (const { network } of [...gone, watcher]) network.destroy()
})

test.each([
  ['a restart after kill -9', 'SIGKILL'],
  ['a restart after SIGTERM', 'SIGTERM'],
  ['an engine restart', null],
] as const)('%s during a burst: clients rejoin and miss no later message', async (_name, signal) => {
  const [heard, told] = [vi.fn(), vi.fn()]
  const member = client(1)
  await listening(
    member
      .channel('changes')
      .on('postgres_changes', { event: 'INSERT', schema: 'public', table: 'ticks' }, ({ new: row }) => heard(row.id))
      .on('broadcast', { event: 'e' }, ({ payload }) => told(payload)),
  )
  let id = Math.max(0, ...((await admin.from('ticks').select('id').throwOnError()).data?.map((row) => row.id) ?? []))
  let stopped = false
  const acknowledged: number[] = []
  const burst = (async () => {
    while (!stopped) {
      const next = ++id
      const { error } = await admin.from('ticks').insert({ id: next })
      if (error) await new Promise((resolve) => setTimeout(resolve, 50))
      else acknowledged.push(next)
    }
  })()
  await eventually(() => expect(heard.mock.calls.length).toBeGreaterThan(50))
  if (signal) {
    await end(undock, signal)
    undock = await start()
  } else {
    const direct = new pg.Client(`postgresql://postgres:postgres@127.0.0.1:${project.ports.SUPABASE_DB_PORT}/postgres`)
    direct.on('error', () => {})
    await direct.connect()
    // Longer than the statement limit: the engine is stopped, and a new one opens in the same folder.
    await expect(direct.query('select pg_sleep(60)')).rejects.toThrow()
    await direct.end().catch(() => {})
  }
  const heardBefore = heard.mock.calls.length
  await eventually(() => expect(heard.mock.calls.length).toBeGreaterThan(heardBefore + 20))
  stopped = true
  await burst
  const last = ++id
  await admin.from('ticks').insert({ id: last }).throwOnError()
  await eventually(() => expect(heard).toHaveBeenLastCalledWith(last))
  const ids: number[] = heard.mock.calls.map(([one]) => one)
  expect(ids).toEqual(ids.toSorted((a, b) => a - b))
  expect(new Set(ids).size).toBe(ids.length)
  // From the first change after the interruption, every acknowledged change has arrived.
  const resumed = ids[heardBefore] ?? 0
  expect(ids.filter((one) => one > resumed)).toEqual(
    expect.arrayContaining(acknowledged.filter((one) => one > resumed)),
  )
  await client().channel('changes').httpSend('e', { n: 1 })
  await eventually(() => expect(told).toHaveBeenCalledWith({ n: 1 }))
})

test("no client receives changes of rows it can't see, while rows, members and tokens change", async () => {
  const [everyone, clubs] = [[] as string[], [] as string[]]
  const heard = { rows: new Set<number>(), club: new Set<number>() }
  const USERS = 6
  await admin
    .from('members')
    .upsert({ id: userId(0) })
    .throwOnError()
  for (let user = 0; user < USERS; user++) {
    const own = client(user)
    // A channel that joins before the token is set stays anonymous, because the client doesn't send the token later.
    await own.realtime.setAuth()
    await listening(
      own
        .channel(`notes of ${user}`)
        .on('postgres_changes', { event: '*', schema: 'public', table: 'notes' }, ({ new: row, old, eventType }) => {
          const { owner } = row as { owner?: string }
          if (owner === userId(user)) heard.rows.add(user)
          if (eventType !== 'DELETE' && owner !== userId(user)) everyone.push(`${user} heard of ${owner}`)
          if (eventType === 'DELETE' && Object.keys(old).join() !== 'id') everyone.push(`${user} saw an old row`)
        }),
    )
    const club = own.channel('club', { config: { private: true } })
    club.on('broadcast', { event: '*' }, ({ payload }) => {
      heard.club.add(user)
      if (!(payload.members as number[]).includes(user)) clubs.push(`${user} heard the club of ${payload.members}`)
    })
    club.subscribe()
  }
  const random = numbersFrom(7)
  for (let turn = 0; turn < 150; turn++) {
    const id = 1 + random(40)
    const change = random(4)
    const notes = admin.from('notes')
    if (change < 2) await notes.upsert({ id, owner: userId(random(USERS)), body: `turn ${turn}` }).throwOnError()
    else if (change === 2)
      await notes
        .update({ owner: userId(random(USERS)) })
        .eq('id', id)
        .throwOnError()
    else await notes.delete().eq('id', id).throwOnError()
    if (turn % 10 === 0) {
      // Only adds members, who may receive what follows: a removed member is excluded only at the next token.
      const members = Array.from({ length: 1 + turn / 50 }, (_, index) => index)
      for (const index of members)
        await admin
          .from('members')
          .upsert({ id: userId(index) })
          .throwOnError()
      await admin.channel('club', { config: { private: true } }).httpSend('e', { members })
    }
  }
  // A final marker: a client that receives it has received everything before it.
  const fence = vi.fn()
  const last = client()
  await listening(last.channel('fence').on('postgres_changes', { event: '*', schema: 'public', table: 'ticks' }, fence))
  await admin.from('ticks').insert({ id: 1_000_000 }).throwOnError()
  await eventually(() => expect(fence).toHaveBeenCalled())
  await eventually(() => expect(heard.rows.size).toBeGreaterThan(0))
  await eventually(() => expect(heard.club).toContain(0))
  expect([everyone, clubs]).toEqual([[], []])
})
