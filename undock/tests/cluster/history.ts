import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient, type RealtimeChannel, type SupabaseClient } from '@supabase/supabase-js'
import pg from 'pg'
import { randomFrom } from '../support/random.ts'
import type { TestCluster } from './cluster.ts'

/** The project that histories are played on. */
export const HISTORY_PROJECT = {
  'config.toml': `project_id = "histories"
[auth]
site_url = "https://histories.example"
[auth.email]
enable_confirmations = false
[auth.rate_limit]
token_refresh = 1000000
sign_in_sign_ups = 1000000
token_verifications = 1000000
[storage.buckets.files]
public = false
`,
  'migrations/20260101000000_histories.sql': `
create table public.entries (id uuid primary key, history uuid not null);
alter table public.entries enable row level security;
create policy anyone on public.entries for all to anon, authenticated, service_role using (true) with check (true);
alter publication supabase_realtime add table public.entries;
`,
}

export type HistoryOptions = { readonly seed: number; readonly seconds: number }

/** What a history did, and what of it was not as it must be. */
export type HistoryReport = {
  readonly seed: number
  readonly counts: Readonly<Record<string, number>>
  readonly violations: readonly string[]
}

/** Milliseconds after which nobody may be present who is gone, and everybody else must have heard everything. */
const SETTLED = 10_000
const FAULTS = ['kill', 'pause', 'replace', 'bus'] as const

/** Plays clients and faults for some seconds, then compares what was acknowledged with what is there (Jepsen's method, bounded):
 *  rows and files that were acknowledged exist, a token that is refreshed by several at once has one successor, a code is redeemed
 *  once, a request of pg_net is sent, a socket that stayed has heard each change, nobody is present who is gone. */
export async function playHistory(cluster: TestCluster, { seed, seconds }: HistoryOptions): Promise<HistoryReport> {
  const random = randomFrom(seed)
  const history = randomUUID()
  const admin = new pg.Client({ connectionString: cluster.databaseUrl })
  await admin.connect()
  const counts: Record<string, number> = {}
  const violations: string[] = []
  const count = (what: string): void => {
    counts[what] = (counts[what] ?? 0) + 1
  }
  const { keys } = cluster.served
  const clientOf = (url: string, key = keys.publishable): SupabaseClient =>
    createClient(url, key, { auth: { persistSession: false, autoRefreshToken: false } })
  const service = clientOf(cluster.balancer.url, keys.secret)
  const nodeUrl = (): string => cluster.nodes[Math.floor(random() * cluster.nodes.length)]?.url ?? ''
  let isOver = false
  const until = async (work: () => Promise<void>, pause: number): Promise<void> => {
    while (!isOver) {
      // What a fault interrupts is not acknowledged, so it is nothing to check.
      await work().catch(() => count('interrupted'))
      await sleep(pause * (0.5 + random()))
    }
  }

  const acknowledged = new Set<string>()
  const writeRows = async (): Promise<void> => {
    const id = randomUUID()
    const { error } = await service.from('entries').insert({ id, history })
    if (!error) acknowledged.add(id)
    count(error ? 'interrupted' : 'rows')
  }

  const files = new Map<string, string>()
  const writeFiles = async (): Promise<void> => {
    const path = `${history}/${randomUUID()}`
    const text = randomUUID()
    const { error } = await service.storage.from('files').upload(path, new Blob([text], { type: 'text/plain' }))
    if (!error) files.set(path, text)
    count(error ? 'interrupted' : 'files')
  }

  const refreshTogether = async (): Promise<void> => {
    const email = `${randomUUID()}@example.com`
    const { data } = await clientOf(nodeUrl()).auth.signUp({ email, password: 'correct horse' })
    const refreshToken = data.session?.refresh_token
    if (!refreshToken) return count('interrupted')
    const answers = await Promise.allSettled(
      [nodeUrl(), nodeUrl(), nodeUrl()].map((url) =>
        clientOf(url).auth.refreshSession({ refresh_token: refreshToken }),
      ),
    )
    const successors = answers.flatMap((one) =>
      one.status === 'fulfilled' && one.value.data.session ? [one.value.data.session.refresh_token] : [],
    )
    if (new Set(successors).size > 1) violations.push(`the session of ${email} has several successors`)
    count('refreshed')
  }

  const redeemTogether = async (): Promise<void> => {
    const email = `${randomUUID()}@example.com`
    const { data, error } = await service.auth.admin.generateLink({ type: 'magiclink', email })
    if (error) return count('interrupted')
    const { hashed_token } = data.properties
    const answers = await Promise.allSettled(
      [nodeUrl(), nodeUrl(), nodeUrl()].map((url) =>
        clientOf(url).auth.verifyOtp({ type: 'magiclink', token_hash: hashed_token }),
      ),
    )
    const redeemed = answers.filter((one) => one.status === 'fulfilled' && one.value.data.session).length
    if (redeemed > 1) violations.push(`a code of ${email} was redeemed ${redeemed} times`)
    count('codes')
  }

  const requests = new Set<string>()
  const enqueue = async (): Promise<void> => {
    const { rows } = await admin.query(`select net.http_get('${cluster.balancer.url}/rest/v1/') as id`)
    requests.add(rows[0].id)
    count('webhooks')
  }

  const listeners = await Promise.all(
    cluster.nodes.map((_, index) => listen(clientOf(cluster.nodes[index]?.url ?? ''), history)),
  )

  const fault = async (): Promise<void> => {
    const kind = FAULTS[Math.floor(random() * FAULTS.length)]
    // The first node stays, so that there is always a socket that must have heard everything.
    const index = 1 + Math.floor(random() * (cluster.nodes.length - 1))
    const node = cluster.nodes[index]
    if (!node || !kind) return
    count(kind)
    if (kind === 'bus') return cluster.interruptBus(500 + 1_500 * random())
    if (kind === 'pause') {
      node.process.kill('SIGSTOP')
      await sleep(1_000 + 6_000 * random())
      node.process.kill('SIGCONT')
      return
    }
    await node.end(kind === 'kill' ? 'SIGKILL' : 'SIGTERM')
    await cluster.restart(index)
  }

  const work = [
    until(writeRows, 20),
    until(writeRows, 20),
    until(writeFiles, 100),
    until(refreshTogether, 200),
    until(redeemTogether, 300),
    until(enqueue, 200),
    until(fault, 2_000),
  ]
  await sleep(seconds * 1_000)
  isOver = true
  await Promise.all(work)

  const { rows } = await admin.query('select id from public.entries where history = $1', [history])
  const stored = new Set(rows.map(({ id }) => String(id)))
  for (const id of acknowledged) if (!stored.has(id)) violations.push(`the row ${id} was acknowledged and is not there`)
  for (const [path, text] of files) {
    const { data } = await service.storage.from('files').download(path)
    if ((await data?.text()) !== text) violations.push(`the file ${path} was acknowledged and is not there`)
  }
  const failing = await settle(async () => {
    const answers = await admin.query('select id, count(*)::int as times from net._http_response group by id')
    const sent = new Map(answers.rows.map(({ id, times }) => [String(id), Number(times)]))
    const problems: string[] = []
    // One that a killed node had taken is lost with it, as with pg_net; none is answered twice.
    for (const id of requests) if ((sent.get(id) ?? 0) > 1) problems.push(`the request ${id} was sent twice`)
    for (const { name, heard, hasStayed, here } of listeners) {
      if (!hasStayed()) continue
      const missed = [...stored].filter((id) => !heard.has(id))
      if (missed.length > 0) problems.push(`the socket ${name} stayed and has not heard of ${missed.length} rows`)
      const present = listeners.filter((one) => one.isJoined()).map((one) => one.name)
      const seen = here()
      for (const other of seen) if (!present.includes(other)) problems.push(`${other} is gone and present for ${name}`)
      for (const other of present)
        if (!seen.includes(other)) problems.push(`${other} is there and not present for ${name}`)
    }
    return problems
  })
  violations.push(...failing)
  await Promise.all(listeners.map(({ close }) => close()))
  await admin.end()
  return { seed, counts, violations }
}

/** Asks until nothing is wrong, or the time in which everything must be right is over. */
async function settle(check: () => Promise<string[]>): Promise<string[]> {
  const deadline = Date.now() + SETTLED
  for (;;) {
    const problems = await check()
    if (problems.length === 0 || Date.now() > deadline) return problems
    await sleep(200)
  }
}

type Listener = {
  readonly name: string
  readonly heard: Set<string>
  /** Whether its channel was never closed. */
  hasStayed(): boolean
  isJoined(): boolean
  /** The names of those who are present, as this socket knows them. */
  here(): string[]
  close(): Promise<unknown>
}

/** A socket at one node, that hears of each row and tracks its own presence. */
async function listen(client: SupabaseClient, history: string): Promise<Listener> {
  const name = randomUUID()
  const heard = new Set<string>()
  let closings = 0
  const channel: RealtimeChannel = client
    .channel(`history-${history}`, { config: { presence: { key: name } } })
    .on('presence', { event: 'sync' }, () => undefined)
    .on(
      'postgres_changes',
      { event: 'INSERT', schema: 'public', table: 'entries', filter: `history=eq.${history}` },
      ({ new: row }) => heard.add(String(row.id)),
    )
  await new Promise<void>((resolve) => {
    channel.subscribe((status) => {
      if (status === 'SUBSCRIBED') {
        void channel.track({ name })
        resolve()
      } else closings += 1
    })
  })
  return {
    name,
    heard,
    hasStayed: () => closings === 0,
    isJoined: () => channel.state === 'joined',
    here: () => Object.keys(channel.presenceState()),
    close: () => client.removeAllChannels(),
  }
}
