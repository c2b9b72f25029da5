import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../testing/database.ts'
import type { Batch, Result } from '../db.ts'
import { PreparedStatements } from '../protocol/prepared-statements.ts'
import { SessionLanes } from './session-lanes.ts'

describe('lanes', () => {
  afterEach(() => vi.useRealTimers())

  async function open() {
    vi.useFakeTimers({ toFake: ['performance'] })
    const sessions: { isClean: boolean; readonly close: () => Promise<void> }[] = []
    const lanes = new SessionLanes(async () => {
      const close = vi.fn(async () => undefined)
      const session = { isClean: true, close, prepared: new PreparedStatements(), exchange: vi.fn() }
      sessions.push(session)
      return session
    })
    await lanes.measure('quick', async () => undefined)
    const lay = () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      return { laid: lanes.lay('quick', () => promise), end: resolve }
    }
    return { lanes, sessions, lay }
  }
  const turn = () => new Promise((resolve) => setImmediate(resolve))

  test('accept only statements that are fast on average', async () => {
    const { lanes } = await open()
    const work = vi.fn(async () => undefined)
    expect(lanes.lay('unknown', work)).toBeNull()
    const takes = (milliseconds: number) => lanes.measure('slow', async () => vi.advanceTimersByTime(milliseconds))
    await takes(1)
    await lanes.lay('slow', work)
    expect(work).toHaveBeenCalledTimes(1)
    await takes(1_000)
    expect(lanes.lay('slow', work)).toBeNull()
    for (let time = 0; time < 30; time++) await takes(1)
    await lanes.lay('slow', work)
    expect(work).toHaveBeenCalledTimes(2)
  })

  test('open two sessions and pipeline further work', async () => {
    const { lanes, sessions, lay } = await open()
    const works = Array.from({ length: 5 }, lay)
    await turn()
    expect([sessions.length, lanes.isIdle]).toEqual([2, false])
    for (const { end } of works) end()
    await Promise.all(works.map(({ laid }) => laid))
    expect(lanes.isIdle).toBe(true)
  })

  test('accept nothing while a response is overdue', async () => {
    const { lay } = await open()
    const works = [lay(), lay()]
    vi.advanceTimersByTime(40)
    expect(lay().laid).not.toBeNull()
    vi.advanceTimersByTime(20)
    expect(lay().laid).toBeNull()
    works[0]?.end()
    await works[0]?.laid
    expect(lay().laid).not.toBeNull()
  })

  test('queue at most sixteen statements each', async () => {
    const { lay } = await open()
    const laid = Array.from({ length: 40 }, () => lay().laid)
    expect(laid.filter((one) => one !== null)).toHaveLength(32)
  })

  test('replace a session that was lost or left in a transaction', async () => {
    const { sessions, lay } = await open()
    const first = lay()
    await turn()
    const [session] = sessions
    if (session) session.isClean = false
    first.end()
    await first.laid
    const second = lay()
    second.end()
    await second.laid
    expect(sessions).toHaveLength(2)
    expect(session?.close).toHaveBeenCalled()
  })
})

describe('on a server', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await openTestDatabase()
    await database.db.exec(`
      create table public.notes (id int primary key, owner text);
      insert into public.notes select n, 'user ' || n from generate_series(1, 50) n;
      alter table public.notes enable row level security;
      create policy own on public.notes to authenticated using (owner = current_setting('app.user'));
      grant select on public.notes to authenticated;
    `)
    for (let time = 0; time < 20; time++) await Promise.all([own(1), slow(0), bad('1')])
  })
  afterAll(() => database?.close())

  const run = (text: string, values: readonly unknown[], settings: Batch['settings'] = {}): Promise<Result[]> =>
    database.db.run({
      settings: { role: 'authenticated', ...settings },
      statements: [{ text, values }],
      timedBy: text,
    })
  const own = (n: number) =>
    run('select id, pg_backend_pid() as session, current_user as role from public.notes', [], {
      'app.user': `user ${n}`,
    })
  const slow = (seconds: number) => run('select pg_sleep($1)', [seconds])
  const bad = (value: string) => run('select 1 / $1::int', [value])
  const rowOf = (results: readonly Result[]) => results[0]?.rows[0]

  test("an error ends only its own transaction, and roles and settings don't leak between callers", async () => {
    const works = Array.from({ length: 30 }, (_, n) => [own(n + 1), bad('0'), run('select current_user as role', [])])
    const ended = await Promise.allSettled(works.flat())
    const sessions = new Set<unknown>()
    for (let n = 0; n < 30; n++) {
      const [row, error, plain] = ended.slice(3 * n, 3 * n + 3)
      expect(row?.status === 'fulfilled' && rowOf(row.value)).toMatchObject({ id: n + 1, role: 'authenticated' })
      expect(error).toMatchObject({ status: 'rejected', reason: { code: '22012' } })
      expect(plain?.status === 'fulfilled' && rowOf(plain.value)).toEqual({ role: 'authenticated' })
      if (row?.status === 'fulfilled') sessions.add(rowOf(row.value)?.session)
    }
    expect(sessions.size).toBeLessThan(12)
    expect((await database.db.query({ text: 'select current_user::text as role', values: [] })).rows[0]).toEqual({
      role: 'supabase_admin',
    })
  })

  test('a slow statement delays only the ones pipelined behind it', async () => {
    // The statement has been fast so far, so it shares a lane; both lanes are busy.
    const waits = Promise.race([slow(2), slow(2)]).then(() => 'slow')
    await new Promise((resolve) => setTimeout(resolve, 100))
    const rows = Promise.all([own(1), own(2), own(3)])
    expect(await Promise.race([waits, rows.then(() => 'quick')])).toBe('quick')
    expect((await rows).map((one) => rowOf(one)?.id)).toEqual([1, 2, 3])
    await waits
  })

  test("a cancelled statement doesn't affect the ones behind it", async () => {
    const cancelled = run('select pg_sleep($1)', [5], { statement_timeout: '50' })
    const behind = [own(1), own(2), own(3), own(4)]
    await expect(cancelled).rejects.toMatchObject({ code: '57014' })
    expect((await Promise.all(behind)).map((one) => rowOf(one)?.id)).toEqual([1, 2, 3, 4])
  })
})
