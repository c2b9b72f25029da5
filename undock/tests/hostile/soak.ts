// `node tests/hostile/soak.ts [minutes]`: mixed load on every service, by default for an hour. Exits with code 1 if memory or
// anything else grows.
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { createClient } from '@supabase/supabase-js'
import pg from 'pg'
import { startTarget, type Target } from './start-target.ts'
import type { TargetReport } from './target.ts'

const [minutes = '60'] = process.argv.slice(2)

/** Milliseconds between samples, and the share of the time before measuring, while caches fill and code is compiled. */
const EVERY = 10_000
const WARM_UP = 0.25
/** Bytes per hour that memory may grow after warming up. */
const MAX_GROWTH_BYTES = 1024 * 1024

type Sample = TargetReport & { readonly at: number; readonly database: Readonly<Record<string, number>> }

const target = await startTarget('disk')
const until = performance.now() + Number(minutes) * 60_000
const isOn = () => performance.now() < until
const counts: Record<string, number> = {}
const failures: Record<string, number> = {}
const did = (what: string, failed: unknown): void => {
  counts[what] = (counts[what] ?? 0) + 1
  if (failed)
    failures[`${what}: ${(failed as Error).message ?? failed}`] =
      (failures[`${what}: ${(failed as Error).message ?? failed}`] ?? 0) + 1
}

const samples: Sample[] = []
await Promise.all([...[0, 1, 2].map(person), sockets(), direct(), sampleUntilOver()])
await wait(5_000)
const after = await sample()
await target.stop()
report()

/** One user's actions in an app, repeated: signs in, reads, writes, uploads, calls a function, signs out. */
async function person(): Promise<void> {
  const service = client(target.secret)
  while (isOn()) {
    const email = `${randomUUID()}@example.com`
    const own = client(target.publishable)
    const made = await service.auth.admin.createUser({ email, password: 'four unrelated lamps', email_confirm: true })
    did('auth', made.error)
    did('auth', (await own.auth.signInWithPassword({ email, password: 'four unrelated lamps' })).error)
    for (let round = 0; round < 20 && isOn(); round += 1) {
      const row = await own
        .from('books')
        .insert({ title: `by ${email}`, data: { round } })
        .select('id')
        .single()
      did('rest', row.error)
      did(
        'rest',
        (await own.from('books').select('id, title, authors(name)').order('id', { ascending: false }).limit(20)).error,
      )
      did(
        'rest',
        (
          await own
            .from('books')
            .update({ price: round })
            .eq('id', row.data?.id ?? 0)
        ).error,
      )
      did('rest', (await own.rpc('find_books', { query: String(round) })).error)
      const files = own.storage.from('closed')
      const path = `${email}/${round}.txt`
      did('storage', (await files.upload(path, new Blob(['x'.repeat(2_000)], { type: 'text/plain' }))).error)
      did('storage', (await files.list(email)).error)
      did('storage', (await files.download(path)).error)
      did('storage', (await files.remove([path])).error)
      did('functions', (await own.functions.invoke('echo', { body: { round } })).error)
      did('auth', (await own.auth.refreshSession()).error)
      await wait(20)
    }
    did('auth', (await own.auth.signOut()).error)
    if (made.data.user) did('auth', (await service.auth.admin.deleteUser(made.data.user.id)).error)
    // Accumulating database rows belong to the project and aren't a leak.
    did('rest', (await service.from('books').delete().like('title', `by ${email}`)).error)
  }
}

/** Channels that open and close, with changes, broadcasts and presence. */
async function sockets(): Promise<void> {
  while (isOn()) {
    const own = client(target.publishable)
    const channel = own.channel(randomUUID(), { config: { broadcast: { self: true }, presence: { key: 'me' } } })
    channel.on('postgres_changes', { event: '*', schema: 'public', table: 'books' }, () => did('changes heard', null))
    channel.on('broadcast', { event: 'said' }, () => did('broadcasts heard', null))
    await new Promise<void>((resolve) => void channel.subscribe((status) => status !== 'CLOSED' && resolve()))
    for (let left = 50; left > 0 && isOn(); left -= 1) {
      await channel.send({ type: 'broadcast', event: 'said', payload: { left } })
      if (left % 25 === 0) await channel.track({ left })
      await wait(40)
    }
    await own.removeAllChannels()
    own.realtime.disconnect()
    did('realtime', null)
  }
}

/** Clients of the database port. */
async function direct(): Promise<void> {
  while (isOn()) {
    const db = new pg.Client({ connectionString: target.dbUrl })
    db.on('error', () => undefined)
    try {
      await db.connect()
      for (let left = 20; left > 0; left -= 1) {
        await db.query({ name: `named_${left}`, text: `select ${left} + $1::int as sum`, values: [left] })
        await wait(20)
      }
      await db.query('create temporary table if not exists scratch (id int); listen something')
      await db.end()
      did('wire', null)
    } catch (error) {
      did('wire', error)
    }
  }
}

function client(key: string) {
  return createClient(target.url, key, { auth: { persistSession: false, autoRefreshToken: false } })
}

async function sampleUntilOver(): Promise<void> {
  while (isOn()) {
    const next = performance.now() + EVERY
    samples.push(await sample())
    const { heap, rss } = samples.at(-1) as Sample
    if (samples.length % 6 === 0)
      console.log(`${Math.round((until - performance.now()) / 60_000)} min left, heap ${mb(heap)}, resident ${mb(rss)}`)
    await wait(Math.max(0, next - performance.now()))
  }
}

async function sample(): Promise<Sample> {
  return { ...(await target.report()), at: performance.now(), database: await databaseCounts(target) }
}

/** Database resources that clients should have released. */
async function databaseCounts({ dbUrl }: Target): Promise<Record<string, number>> {
  const db = new pg.Client({ connectionString: dbUrl })
  db.on('error', () => undefined)
  await db.connect()
  const { rows } = await db.query(`select
    (select count(*)::int from pg_class where relpersistence = 't') as "temporary tables",
    (select count(*)::int from pg_prepared_statements) as "prepared statements",
    (select count(*)::int from pg_listening_channels()) as "channels",
    (select count(*)::int from pg_stat_activity where datname = current_database()) as "connections",
    (select count(*)::int from auth.sessions) as "sessions"`)
  await db.end()
  return rows[0] as Record<string, number>
}

/** Bytes per hour by least squares over the samples after warming up. */
function growth(of: (sample: Sample) => number): number {
  const warm = samples.slice(Math.floor(samples.length * WARM_UP))
  const [meanAt, meanOf] = [(one: Sample) => one.at, of].map(
    (value) => warm.reduce((sum, one) => sum + value(one), 0) / warm.length,
  ) as [number, number]
  const covariance = warm.reduce((sum, one) => sum + (one.at - meanAt) * (of(one) - meanOf), 0)
  const variance = warm.reduce((sum, one) => sum + (one.at - meanAt) ** 2, 0)
  return (covariance / variance) * 3_600_000
}

function report(): void {
  const first = samples[0] as Sample
  const last = samples.at(-1) as Sample
  const grown = {
    heap: growth(({ heap }) => heap),
    resident: growth(({ rss }) => rss),
    engine: growth(({ engine: bytes }) => bytes ?? 0),
  }
  console.log(JSON.stringify({ minutes, counts, failures }, null, 2))
  console.log(`heap ${mb(first.heap)} → ${mb(last.heap)}, ${mb(grown.heap)} an hour once warm`)
  console.log(`resident ${mb(first.rss)} → ${mb(last.rss)}, ${mb(grown.resident)} an hour once warm`)
  console.log(`database ${mb(first.engine ?? 0)} → ${mb(last.engine ?? 0)}, ${mb(grown.engine)} an hour once warm`)
  console.log('in the beginning, in the end and when all had gone:')
  for (const one of [first, last, after]) console.log(JSON.stringify({ ...one.resources, ...one.database }))
  console.log(
    `${samples.flatMap(({ stalls }) => stalls).length} stalls, errors:`,
    samples.flatMap(({ errors }) => errors).slice(0, 10),
  )
  if (grown.heap > MAX_GROWTH_BYTES) {
    console.log('The heap grows.')
    process.exitCode = 1
  }
}

function mb(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
