import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Statement, sql, statement } from '../../kernel/sql.ts'
import { openEmbeddedTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { startAutovacuum, vacuumTables } from './autovacuum.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openEmbeddedTestDatabase(`
    create schema "od""d";
    create table "od""d".grown as select i as id from generate_series(1, 1000) i;
    create table public.shrunk as select i as id from generate_series(1, 1000) i;
    create table public.small as select 1 as id;
    delete from public.shrunk where id > 500;
  `)
})
afterAll(() => database.close())

test('analyzes what has grown, vacuums what has shrunk, and leaves the rest', async () => {
  await vacuumTables(database.db)
  const { rows } = await database.db.query(
    statement(sql`
      select relname, analyze_count > 0 as analyzed, vacuum_count > 0 as vacuumed, n_dead_tup::int as dead
      from pg_stat_user_tables where relname = any(${['grown', 'shrunk', 'small']}) order by relname`),
  )
  expect(rows).toEqual([
    { relname: 'grown', analyzed: true, vacuumed: false, dead: 0 },
    { relname: 'shrunk', analyzed: true, vacuumed: true, dead: 0 },
    { relname: 'small', analyzed: false, vacuumed: false, dead: 0 },
  ])
})

test('autovacuum runs by itself, and checks the tables only after writes', async () => {
  const { db } = database
  const asked: string[] = []
  const watched = {
    ...db,
    query: <R>(one: Statement) => {
      asked.push(one.text)
      return db.query<R>(one)
    },
  }
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const autovacuum = startAutovacuum(watched, { info: vi.fn(), warn: vi.fn(), error: expect.unreachable })
  /** @returns whether the tables were looked at. */
  const look = async (): Promise<boolean> => {
    asked.length = 0
    vi.advanceTimersByTime(5_000)
    await vi.waitFor(() => expect(asked.some((text) => text.includes('pg_stat_database'))).toBe(true))
    // Each step of it goes ahead of one of these.
    for (let step = 0; step < 3; step++) await db.query(statement(sql`select 1`))
    return asked.some((text) => text.includes('pg_stat_user_tables'))
  }
  try {
    await vi.waitFor(async () => expect(await look()).toBe(false))
    await db.exec('insert into public.small select i from generate_series(1, 1000) i')
    expect(await look()).toBe(true)
    await vi.waitFor(async () => expect(await look()).toBe(false))
    const { rows } = await db.query(
      statement(sql`select analyze_count::int as analyzed from pg_stat_user_tables where relname = 'small'`),
    )
    expect(rows).toEqual([{ analyzed: 1 }])
  } finally {
    await autovacuum.close()
    vi.useRealTimers()
  }
})
