import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql, statement } from '../kernel/sql.ts'
import { openEmbeddedTestDatabase, type TestDatabase } from '../testing/database.ts'
import { tidy } from './autovacuum.ts'

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
  await tidy(database.db)
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
