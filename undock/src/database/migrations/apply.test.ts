import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql, statement } from '../../kernel/sql.ts'
import { openTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { applyMigrations, applySeed, pendingMigrations } from './apply.ts'
import type { Migration } from './project-files.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const migration = (version: string, text: string): Migration => ({
  version,
  name: 'test',
  path: `supabase/migrations/${version}_test.sql`,
  text,
})
const apply = (...migrations: Migration[]) => applyMigrations(database.engine, migrations, () => undefined)
const rows = async (query: Parameters<typeof statement>[0]) => (await database.db.query(statement(query))).rows

test('applies each once and records it as the CLI does', async () => {
  const first = migration('001', '-- why\ncreate table a (id int);\ninsert into a values (1);')
  expect(await pendingMigrations(database.engine, [first])).toEqual([first])
  await apply(first)
  await apply(first)
  expect(await rows(sql`select * from a`)).toEqual([{ id: 1 }])
  expect(await rows(sql`select version, name, statements from supabase_migrations.schema_migrations`)).toEqual([
    { version: '001', name: 'test', statements: ['-- why\ncreate table a (id int)', 'insert into a values (1)'] },
  ])
})

test('a failing one says where, and leaves nothing of its file', async () => {
  const broken = migration('002', 'create table b (id int);\n\ninsert into b\n  values (1, nonsense);')
  await expect(apply(broken)).rejects.toThrow(
    'supabase/migrations/002_test.sql:4: column "nonsense" does not exist (SQLSTATE 42703)',
  )
  expect(await rows(sql`select to_regclass('b') as b`)).toEqual([{ b: null }])
  expect(await pendingMigrations(database.engine, [broken])).toHaveLength(1)
})

test('takes what cannot run in a transaction, and transactions of its own', async () => {
  await apply(
    migration('003', 'create index concurrently a_id on a (id);'),
    migration('004', 'begin; insert into a values (2); commit; insert into a values (3);'),
  )
  expect(await rows(sql`select array_agg(id order by id) as ids from a`)).toEqual([{ ids: [1, 2, 3] }])
})

test('settings and roles of one file reach neither the next nor the session', async () => {
  await apply(
    migration('005', 'set search_path = extensions; set role authenticated; set statement_timeout = 1;'),
    migration('006', 'create table c (id int);'),
  ).catch(() => undefined)
  expect(await rows(sql`select current_user, current_setting('search_path') as path`)).toEqual([
    { current_user: 'supabase_admin', path: '"$user", public, extensions' },
  ])
  expect(await rows(sql`select to_regclass('public.c') is not null as made`)).toEqual([{ made: true }])
})

test('a failure outside our transaction, inside one of the file itself, is told and leaves the session free', async () => {
  const mixed = migration('007', 'create index concurrently a_id2 on a (id); begin; select nonsense;')
  await expect(apply(mixed)).rejects.toThrow('column "nonsense" does not exist')
  expect(await rows(sql`select 1 as free`)).toEqual([{ free: 1 }])
})

test('seeds are recorded with their hash', async () => {
  await applySeed(database.engine, [{ path: 'supabase/seed.sql', text: 'insert into a values (9)' }], () => undefined)
  expect(await rows(sql`select path, length(hash) from supabase_migrations.seed_files`)).toEqual([
    { path: 'supabase/seed.sql', length: 64 },
  ])
})
