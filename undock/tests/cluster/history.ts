import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import pg from 'pg'
import { randomFrom } from '../support/random.ts'
import { PROMOTION, type TestCluster } from './cluster.ts'
import { type Fault, playFault } from './faults.ts'
import { listen, startSink } from './hearers.ts'

/** The project of all histories. */
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
create extension if not exists pg_cron with schema pg_catalog;
create table public.ticks (at timestamptz default clock_timestamp());
select cron.schedule('tick', '1 second', 'insert into public.ticks default values');
`,
}

export type HistoryOptions = {
  readonly seed: number
  readonly seconds: number
  /** The first fault; the seed selects the others. */
  readonly first?: Fault
}

/** A history's actions and violations. */
export type HistoryReport = {
  readonly seed: number
  readonly counts: Readonly<Record<string, number>>
  readonly violations: readonly string[]
  /** Acknowledged rows and files lost with a server before its replica received them, and how many milliseconds before the kill
   *  the oldest was acknowledged. Only if commits don't wait for the replica. */
  readonly lost: { readonly count: number; readonly within: number }
}

/** Milliseconds until disconnected clients must be absent and all others must have received everything. */
const SETTLED = 10_000
/** Milliseconds within which each request gets a response in any situation. */
const MAX_RESPONSE_MS = 45_000
/** Milliseconds after the last fault until all nodes must be ready. */
const BACK = 30_000
/** The maximum lag in milliseconds of a replica that commits don't wait for. */
const LAG = 2_000

/** Runs clients and faults for some seconds, then compares acknowledged with actual results (Jepsen's method, bounded):
 *  acknowledged rows and files exist, concurrent refreshes of a token return one successor, a code is redeemed once, a pg_net
 *  request is sent at most once, a connected socket received each change once, disconnected clients aren't present, and each
 *  request got a response. Afterwards all nodes are ready, receive each other's messages and run the database's jobs. */
export async function playHistory(
  cluster: TestCluster,
  { seed, seconds, first }: HistoryOptions,
): Promise<HistoryReport> {
  const random = randomFrom(seed)
  const history = randomUUID()
  const admin = new pg.Pool({ connectionString: cluster.databaseUrl, max: 2, connectionTimeoutMillis: 5_000 })
  admin.on('error', () => undefined)
  const sink = await startSink()
  const counts: Record<string, number> = {}
  const violations: string[] = []
  const count = (what: string): void => {
    counts[what] = (counts[what] ?? 0) + 1
  }
  const answered: typeof fetch = async (input, init) => {
    const late = AbortSignal.timeout(MAX_RESPONSE_MS)
    const signal = init?.signal ? AbortSignal.any([init.signal, late]) : late
    try {
      return await fetch(input, { ...init, signal })
    } catch (error) {
      if (late.aborted) violations.push(`a request to ${input} was not answered`)
      throw error
    }
  }
  const { keys } = cluster.served
  const clientOf = (url: string, key = keys.publishable): SupabaseClient =>
    createClient(url, key, { auth: { persistSession: false, autoRefreshToken: false }, global: { fetch: answered } })
  const service = clientOf(cluster.balancer.url, keys.secret)
  const nodeUrl = (): string => cluster.nodes[Math.floor(random() * cluster.nodes.length)]?.url ?? ''
  /** When database servers were killed. */
  const kills: number[] = []
  let isOver = false
  const until = async (work: () => Promise<void>, pause: number): Promise<void> => {
    while (!isOver) {
      // Interrupted work isn't acknowledged, so there's nothing to check.
      await work().catch(() => count('interrupted'))
      await sleep(pause * (0.5 + random()))
    }
  }

  /** When each was acknowledged. */
  const acknowledged = new Map<string, number>()
  const writeRow = async (client: SupabaseClient): Promise<boolean> => {
    const id = randomUUID()
    const { error } = await client.from('entries').insert({ id, history })
    if (!error) acknowledged.set(id, Date.now())
    count(error ? 'interrupted' : 'rows')
    return !error
  }
  const writeRows = async (): Promise<void> => void (await writeRow(service))

  const files = new Map<string, { readonly text: string; readonly at: number }>()
  const writeFiles = async (): Promise<void> => {
    const path = `${history}/${randomUUID()}`
    const text = randomUUID()
    const { error } = await service.storage.from('files').upload(path, new Blob([text], { type: 'text/plain' }))
    if (!error) files.set(path, { text, at: Date.now() })
    count(error ? 'interrupted' : 'files')
  }

  /** A repeated action is a violation, unless the first one was lost with a server. */
  const refuseTwice = (what: string, killsBefore: number): void => {
    if (cluster.options.replica === 'async' && kills.length > killsBefore) count('undone')
    else violations.push(what)
  }
  const askThree = <T>(ask: (client: SupabaseClient) => Promise<T>): Promise<PromiseSettledResult<T>[]> =>
    Promise.allSettled([nodeUrl(), nodeUrl(), nodeUrl()].map((url) => ask(clientOf(url))))

  const refreshTogether = async (): Promise<void> => {
    const before = kills.length
    const email = `${randomUUID()}@example.com`
    const { data } = await clientOf(nodeUrl()).auth.signUp({ email, password: 'correct horse' })
    const refreshToken = data.session?.refresh_token
    if (!refreshToken) return count('interrupted')
    const answers = await askThree(({ auth }) => auth.refreshSession({ refresh_token: refreshToken }))
    const successors = answers.flatMap((one) =>
      one.status === 'fulfilled' && one.value.data.session ? [one.value.data.session.refresh_token] : [],
    )
    if (new Set(successors).size > 1) refuseTwice(`the session of ${email} has several successors`, before)
    count('refreshed')
  }

  const redeemTogether = async (): Promise<void> => {
    const before = kills.length
    const email = `${randomUUID()}@example.com`
    const { data, error } = await service.auth.admin.generateLink({ type: 'magiclink', email })
    if (error) return count('interrupted')
    const { hashed_token } = data.properties
    const answers = await askThree(({ auth }) => auth.verifyOtp({ type: 'magiclink', token_hash: hashed_token }))
    const redeemed = answers.filter((one) => one.status === 'fulfilled' && one.value.data.session).length
    if (redeemed > 1) refuseTwice(`a code of ${email} was redeemed ${redeemed} times`, before)
    count('codes')
  }

  const enqueue = async (): Promise<string> => {
    const name = randomUUID()
    await admin.query(`select net.http_get('${sink.url}/${name}')`)
    count('webhooks')
    return name
  }

  const listeners = await Promise.all(cluster.nodes.map(({ url }) => listen(clientOf(url), history)))

  let kind = first
  const fault = async (): Promise<void> => {
    count(await playFault(cluster, random, { kind, longest: (seconds * 1_000) / 3, kills }))
    kind = undefined
  }
  const work = [
    until(writeRows, 20),
    until(writeRows, 20),
    until(writeFiles, 100),
    until(refreshTogether, 200),
    until(redeemTogether, 300),
    until(async () => void (await enqueue()), 200),
    until(fault, 2_000),
  ]
  await sleep(seconds * 1_000)
  isOver = true
  await Promise.all(work)

  const awayIn = async (): Promise<string[]> => {
    const answers = await Promise.all(
      cluster.nodes.map(({ adminUrl }) => fetch(`${adminUrl}/ready`).then((one) => one.text(), String)),
    )
    return answers.flatMap((text, index) => (text === 'ready\n' ? [] : [`node ${index} is not back: ${text.trim()}`]))
  }
  violations.push(...(await settle(awayIn, BACK)))
  for (const { url } of cluster.nodes)
    if (!(await writeRow(clientOf(url, keys.secret)))) violations.push(`${url} takes no row although it is ready`)
  const last = await enqueue().catch(({ message }: Error) => {
    violations.push(`a request cannot be asked for although all nodes are there: ${message}`)
    return null
  })
  const ticks = async (): Promise<number> => (await admin.query('select from public.ticks')).rowCount ?? 0
  const ticked = await ticks()

  const { rows } = await admin.query('select id from public.entries where history = $1', [history])
  const stored = new Set(rows.map(({ id }) => String(id)))
  const missing = [...acknowledged].flatMap(([id, at]) => (stored.has(id) ? [] : [{ what: `the row ${id}`, at }]))
  const unread = new Map(files)
  const reasons = await settle(async () => {
    const problems: string[] = []
    for (const [path, { text }] of unread) {
      const { data, error } = await service.storage.from('files').download(path)
      if ((await data?.text()) === text) unread.delete(path)
      else problems.push(error?.message ?? 'it has other bytes')
    }
    return problems
  }, BACK)
  for (const [path, { at }] of unread) missing.push({ what: `the file ${path} (${reasons.shift()})`, at })
  const agesOfLost: number[] = []
  for (const { what, at } of missing) {
    // Until another server takes over, clients see what the killed one acknowledged.
    const ages = kills.map((killedAt) => killedAt - at).filter((one) => one >= -PROMOTION)
    const age = Math.max(0, Math.min(...ages))
    if (cluster.options.replica === 'async' && age < LAG) agesOfLost.push(age)
    else violations.push(`${what} was acknowledged and is not there`)
  }

  const unsettled = async (): Promise<string[]> => {
    const problems: string[] = []
    // Like in pg_net, a request taken by a killed node is lost; none is sent twice.
    for (const [name, times] of sink.received)
      if (times > 1) problems.push(`the request ${name} was sent ${times} times`)
    if (last !== null && !sink.received.has(last)) problems.push('a request was not sent although all nodes are there')
    if ((await ticks()) <= ticked) problems.push('a job is not run although all nodes are there')
    const present = listeners.filter((one) => one.isJoined())
    for (const one of present) one.probe()
    for (const one of listeners) {
      if (one.hasStayed()) {
        const missed = [...stored].filter((id) => !one.heard.has(id))
        if (missed.length > 0) problems.push(`the socket ${one.name} stayed and has not heard of ${missed.length} rows`)
        const twice = [...one.heard.values()].filter((times) => times > 1).length
        if (twice > 0 && cluster.options.replica !== 'async')
          problems.push(`the socket ${one.name} stayed and has heard of ${twice} rows twice`)
      }
      if (!one.isJoined()) continue
      const seen = one.here()
      for (const other of seen)
        if (!present.some(({ name }) => name === other)) problems.push(`${other} is gone and present for ${one.name}`)
      for (const other of present) {
        if (!seen.includes(other.name)) problems.push(`${other.name} is there and not present for ${one.name}`)
        if (other !== one && !one.probed.has(other.name)) problems.push(`${one.name} hears nothing of ${other.name}`)
      }
    }
    return problems
  }
  violations.push(...(await settle(unsettled, SETTLED)))
  counts.stayed = listeners.filter((one) => one.hasStayed()).length
  await Promise.all(listeners.map(({ close }) => close()))
  await sink.close()
  await admin.end()
  return { seed, counts, violations, lost: { count: agesOfLost.length, within: Math.max(0, ...agesOfLost) } }
}

/** Checks until there are no violations or the time limit is reached. */
async function settle(check: () => Promise<string[]>, limit: number): Promise<string[]> {
  const deadline = Date.now() + limit
  for (;;) {
    const problems = await check()
    if (problems.length === 0 || Date.now() > deadline) return problems
    await sleep(200)
  }
}
