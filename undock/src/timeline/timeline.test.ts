import { expect, onTestFinished, test, vi } from 'vitest'
import type { Db } from '../database/db.ts'
import type { RequestHandler } from '../kernel/service.ts'
import { spanIdOf } from '../kernel/tracer.ts'
import type { RequestRecord } from './records.ts'
import { createTimeline, type Timeline } from './timeline.ts'
import { traceDb, traceIdentity, traceMailer } from './traced.ts'

const LIMITS = { requests: 100, characters: 100_000 }
const SECRET = 'sb_secret_5up3r53cr3t'

const rows = { rows: [], rowCount: 2, command: 'SELECT' }
const fakeDb = {
  query: async () => rows,
  run: async ({ statements }) => statements.map(() => rows),
  transaction: (_options, work) => work({ query: async () => rows as never }),
} as Partial<Db> as Db

let count = 0
async function ask(timeline: Timeline, handle: RequestHandler, url = '/rest/v1/notes', headers = {}): Promise<string> {
  const requestId = `00000000-0000-4000-8000-${String(++count).padStart(12, '0')}`
  const request = new Request(`http://localhost${url}`, { headers })
  const service = url.split('/')[1] ?? ''
  await timeline.wrapHandler(service, handle)(request, { requestId, address: '127.0.0.1' })
  return requestId
}

const ok = () => new Response('ok')

test("records a request's statements, caller and emails, separate from parallel requests", async () => {
  const timeline = createTimeline(LIMITS)
  const db = traceDb(fakeDb, timeline)
  const principal = { role: 'authenticated', claims: { role: 'authenticated', sub: 'ada', nonce: SECRET } }
  const identity = traceIdentity({ verify: async () => principal } as never, timeline)
  const mailer = traceMailer({ send: async () => undefined }, timeline)
  const work = (text: string) => async () => {
    await identity.verify(SECRET)
    await db.run({ settings: { role: 'authenticated' }, statements: [{ text, values: [7, SECRET] }] })
    await db.transaction({}, async ({ query }) => query({ text: 'select 2', values: [] }))
    await mailer.send({ from: 'x', to: 'Ada <ada@example.org>', subject: 'Confirm', html: SECRET })
    return ok()
  }
  const [one, two] = await Promise.all([ask(timeline, work('select 1')), ask(timeline, work('select one'))])
  expect(timeline.find(one)).toMatchObject({
    status: 200,
    caller: { role: 'authenticated', claims: { sub: 'ada' } },
    spans: [
      {
        kind: 'sql',
        role: 'authenticated',
        statements: [{ text: 'select 1', parameters: ['7', 'text of 21 characters'], rows: 2 }],
      },
      { kind: 'sql', role: null, statements: [{ text: 'select 2', rows: 2 }] },
      { kind: 'mail', to: 'Ada <a…@example.org>', subject: 'Confirm' },
    ],
  })
  expect(timeline.find(two)?.spans[0]).toMatchObject({ statements: [{ text: 'select one' }] })
  expect(JSON.stringify(timeline.list({}, 10))).not.toContain(SECRET)
})

test("doesn't record work outside requests", async () => {
  const timeline = createTimeline(LIMITS)
  await traceDb(fakeDb, timeline).query({ text: 'select 1', values: [] })
  expect(timeline.current()).toBeNull()
  expect(timeline.list({}, 10)).toEqual([])
})

test('records a failure and rethrows it to the caller', async () => {
  const timeline = createTimeline(LIMITS)
  const fault = Object.assign(new Error('no such table'), { code: '42P01' })
  const db = traceDb({ ...fakeDb, query: () => Promise.reject(fault) }, timeline)
  const thrown = ask(timeline, async () => {
    await db.query({ text: 'select', values: [] })
    return ok()
  })
  await expect(thrown).rejects.toBe(fault)
  expect(timeline.list({ failed: true }, 10)).toMatchObject([
    { status: 500, spans: [{ error: '42P01: no such table' }] },
  ])
})

test('nests a request under its parent', async () => {
  const timeline = createTimeline(LIMITS)
  const outer = await ask(timeline, ok, '/functions/v1/hello')
  const traceId = outer.replaceAll('-', '')
  const inner = await ask(timeline, ok, '/rest/v1/notes', { traceparent: `00-${traceId}-${spanIdOf(outer)}-01` })
  timeline.addCall({
    request: outer,
    method: 'GET',
    url: `https://ada:${SECRET}@example.org/x?key=${SECRET}`,
    status: 200,
    error: null,
    began: Date.now(),
    duration: 5,
  })
  expect(timeline.find(outer)).toMatchObject({
    traceId,
    spans: [{ kind: 'call', url: 'https://example.org/x', status: 200 }],
    children: [{ id: inner, traceId, parent: outer, children: [] }],
  })
})

test.each(['00-0-0-01', `00-${'0'.repeat(32)}-${'1'.repeat(16)}-01`, 'x'])(
  'ignores traceparent %s',
  async (traceparent) => {
    const timeline = createTimeline(LIMITS)
    const id = await ask(timeline, ok, '/rest/v1/notes', { traceparent })
    expect(timeline.find(id)).toMatchObject({ traceId: id.replaceAll('-', ''), parent: null })
  },
)

test('keeps only the newest requests, limited by number and size', async () => {
  const few = createTimeline({ requests: 3, characters: 100_000 })
  for (let n = 0; n < 5; n++) await ask(few, ok)
  expect(few.list({}, 10)).toHaveLength(3)

  const small = createTimeline({ requests: 1_000, characters: 10_000 })
  const db = traceDb(fakeDb, small)
  const long = 'x'.repeat(3_000)
  for (let n = 0; n < 20; n++)
    await ask(small, async () => {
      await db.query({ text: long, values: [] })
      return ok()
    })
  expect(small.list({}, 100).length).toBeLessThan(4)
})

test('of more than 1,000 requests a second, records the failed ones, and all if a client follows', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 })
  onTestFinished(() => void vi.useRealTimers())
  const timeline = createTimeline(LIMITS)
  for (let n = 0; n < 999; n++) await ask(timeline, ok)
  expect(timeline.find(await ask(timeline, ok))).not.toBeNull()
  expect(timeline.find(await ask(timeline, ok))).toBeNull()
  const refused = await ask(timeline, () => new Response('no', { status: 400 }))
  expect(timeline.find(refused)).toMatchObject({ status: 400, spans: [] })
  const thrown = () => Promise.reject(new Error('lost'))
  await expect(ask(timeline, thrown)).rejects.toThrow('lost')
  expect(timeline.list({}, 1)).toMatchObject([{ status: 500 }])
  const stop = timeline.follow(() => undefined)
  expect(timeline.find(await ask(timeline, ok))).not.toBeNull()
  stop()
  vi.setSystemTime(1_001_000)
  expect(timeline.find(await ask(timeline, ok))).not.toBeNull()
})

test("limits a request's spans and counts the omitted ones", async () => {
  const timeline = createTimeline(LIMITS)
  const db = traceDb(fakeDb, timeline)
  const id = await ask(timeline, async () => {
    for (let n = 0; n < 300; n++) await db.query({ text: 'select 1', values: [] })
    return ok()
  })
  expect(timeline.find(id)).toMatchObject({ droppedSpans: 100, spans: { length: 200 } })
})

test('notifies followers once per request until they stop', async () => {
  const timeline = createTimeline(LIMITS)
  const seen = vi.fn<(record: RequestRecord) => void>()
  const stop = timeline.follow(seen)
  const id = await ask(timeline, ok)
  stop()
  await ask(timeline, ok)
  expect(seen).toHaveBeenCalledOnce()
  expect(seen.mock.calls[0]?.[0]).toMatchObject({ id, status: 200 })
})

test.each([
  ['/auth/v1/verify?token=SECRET&type=signup', '/auth/v1/verify?token=…&type=signup'],
  ['/auth/v1/callback?code=SECRET&state=SECRET', '/auth/v1/callback?code=…&state=…'],
  ['/storage/v1/object/sign/a/b.png?token=SECRET', '/storage/v1/object/sign/a/b.png?token=…'],
  [
    '/storage/v1/s3/b/k?X-Amz-Signature=SECRET&X-Amz-Credential=SECRET',
    '/storage/v1/s3/b/k?X-Amz-Signature=…&X-Amz-Credential=…',
  ],
  ['/realtime/v1/longpoll?apikey=SECRET&vsn=1', '/realtime/v1/longpoll?apikey=…&vsn=1'],
  ['/rest/v1/notes?id=eq.1&reset_token=eq.SECRET&apikey=SECRET', '/rest/v1/notes?id=eq.1&reset_token=…&apikey=…'],
])('stores the query of %s without secrets', async (path, kept) => {
  const timeline = createTimeline(LIMITS)
  const id = await ask(timeline, ok, path.replaceAll('SECRET', SECRET), { authorization: SECRET, cookie: SECRET })
  const record = timeline.find(id)
  expect(record?.path).toBe(kept)
  expect(JSON.stringify(record)).not.toContain(SECRET)
})

test('records how long a statement waited for its session, once per transaction', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    const timeline = createTimeline(LIMITS)
    const waiting = {
      run: async ({ statements, onSession }) => {
        vi.advanceTimersByTime(7)
        onSession?.()
        vi.advanceTimersByTime(2)
        return statements.map(() => rows)
      },
      transaction: async ({ onSession }, work) => {
        vi.advanceTimersByTime(5)
        onSession?.()
        return work({ query: async () => rows as never })
      },
    } as Partial<Db> as Db
    const db = traceDb(waiting, timeline)
    const id = await ask(timeline, async () => {
      await db.run({ statements: [{ text: 'select 1', values: [] }] })
      await db.transaction({}, async ({ query }) => {
        await query({ text: 'select 2', values: [] })
        await query({ text: 'select 3', values: [] })
      })
      return ok()
    })
    expect(timeline.find(id)?.spans).toMatchObject([
      { start: 0, waited: 7, duration: 9 },
      { start: 9, waited: 5, duration: 5 },
      { start: 14, waited: 0, duration: 0 },
    ])
  } finally {
    vi.useRealTimers()
  }
})

test("attaches the services' events to their request or task", async () => {
  const timeline = createTimeline(LIMITS)
  const { tracer } = timeline
  const hook = { kind: 'hook', name: 'send-sms', target: `https://me:${SECRET}@hooks.test/x?key=${SECRET}` } as const
  const id = await ask(timeline, async () => {
    await tracer.measure(
      async () => undefined,
      () => hook,
    )
    return ok()
  })
  expect(timeline.find(id)?.spans).toMatchObject([{ kind: 'hook', target: 'https://hooks.test/x' }])
  const parts = { event: 'broadcast', topic: 'x', receivers: 1, withheld: [] }
  const join = { service: 'realtime', method: 'JOIN', path: 'realtime:x', parent: id }
  const task = await tracer.task(
    join,
    async (own) => own,
    () => 200,
  )
  tracer.note(() => ({ kind: 'delivery', ...parts }), task)
  tracer.note(() => ({ kind: 'delivery', ...parts }))
  expect(timeline.find(id)?.children).toMatchObject([{ id: task, status: 200, path: 'realtime:x', spans: [parts] }])
})
