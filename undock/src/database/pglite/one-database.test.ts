import { afterAll, beforeAll, expect, test } from 'vitest'
import { type EmbeddedTestDatabase, openEmbeddedTestDatabase } from '../../testing/database.ts'
import { applyMigrations } from '../migrations/apply.ts'

let database: EmbeddedTestDatabase
beforeAll(async () => {
  database = await openEmbeddedTestDatabase('create table public.notes (id int)')
})
afterAll(() => database.close())

const refusal = (command: string) => ({
  code: '0A000',
  message: `${command} does not work on PGlite, which has one database, "postgres"`,
  hint: expect.stringContaining('engine = "native" in supabase/undock.toml'),
})

test.each([
  ['create database other', 'CREATE DATABASE'],
  ['CREATE /* a /* nested */ comment */ DATABASE other', 'CREATE DATABASE'],
  ['-- first\ndrop database if exists other;', 'DROP DATABASE'],
  ["insert into notes values (1); select ';'; create database other", 'CREATE DATABASE'],
])('%s is refused', async (text, command) => {
  await expect(database.db.exec(text)).rejects.toMatchObject(refusal(command))
  expect((await database.db.query({ text: 'select count(*)::int as n from notes', values: [] })).rows).toEqual([
    { n: 0 },
  ])
})

test('so is a migration that contains one', async () => {
  const text = 'create table public.kept (id int);\ncreate database other;'
  const migration = { version: '1', name: 'test', path: 'supabase/migrations/1_test.sql', text }
  await expect(applyMigrations(database.engine, [migration], () => undefined)).rejects.toThrow(
    'supabase/migrations/1_test.sql:2: CREATE DATABASE does not work on PGlite',
  )
})

test('statements that only contain the words run', async () => {
  await database.db.exec("comment on database postgres is 'create database other'; select 'drop database x'")
  await database.db.exec('create table public.database (id int); drop table public.database')
})
