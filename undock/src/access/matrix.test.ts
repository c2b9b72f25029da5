import { afterAll, beforeAll, expect, test } from 'vitest'
import { asProjectUser } from '../database/as-project-user.ts'
import { openTestDatabase, type TestDatabase } from '../testing/database.ts'
import { writeLeakTests } from './leak-tests.ts'
import { type MatrixRow, readMatrix } from './matrix.ts'

const SETUP = [
  'create schema app',
  'grant usage on schema app to anon, authenticated, service_role',
  'create table app.open (id int)',
  'grant select on app.open to anon',
  'insert into app.open values (1)',
  'create table app."Own notes" (id int, owner uuid)',
  'alter table app."Own notes" enable row level security',
  'grant all on app."Own notes" to anon, authenticated, service_role',
  `insert into app."Own notes" values (1, null)`,
  'create policy own on app."Own notes" to authenticated using (owner = auth.uid())',
  'create policy never on app."Own notes" as restrictive for delete to anon using (false)',
  'create table app.columns (id int, title text)',
  'alter table app.columns enable row level security',
  'grant select (id), update (title) on app.columns to authenticated',
  'create policy all_of_it on app.columns to authenticated using (true)',
  'create view app.everything as select * from app."Own notes"',
  'grant select on app.everything to anon',
]

let database: TestDatabase
let rows: readonly MatrixRow[]
beforeAll(async () => {
  database = await openTestDatabase()
  await asProjectUser(database.db).transaction({}, async ({ query }) => {
    for (const text of SETUP) await query({ text, values: [] })
  })
  rows = await readMatrix(database.db, ['app'])
})
afterAll(() => database.close())

const kindsOf = (name: string, role: 'anon' | 'authenticated' | 'service_role') => {
  const access = rows.find((row) => row.name === name)?.access[role]
  return access && Object.values(access).map(({ kind }) => kind)
}

test('grants, policies and their roles decide what a role may do', () => {
  expect(rows.map(({ name }) => name)).toEqual(['Own notes', 'columns', 'everything', 'open'])
  expect(kindsOf('open', 'anon')).toEqual(['all', 'refused', 'refused', 'refused'])
  expect(kindsOf('Own notes', 'anon')).toEqual(['nothing', 'nothing', 'nothing', 'nothing'])
  expect(kindsOf('Own notes', 'authenticated')).toEqual(['policy', 'policy', 'policy', 'policy'])
  expect(kindsOf('Own notes', 'service_role')).toEqual(['all', 'all', 'all', 'all'])
  expect(kindsOf('columns', 'authenticated')).toEqual(['policy', 'refused', 'policy', 'refused'])
  expect(kindsOf('everything', 'anon')).toEqual(['view', 'refused', 'refused', 'refused'])
  expect(rows.find(({ name }) => name === 'columns')?.access.authenticated.select.columns).toEqual(['id'])
})

test("generated tests assert what strangers can't do and ask about the rest", async () => {
  const text = await writeLeakTests(database.db, rows)
  expect(text).toContain('-- without a token: select on app.open finds rows. Is that intended?')
  expect(text).toContain('-- without a token: select on app.everything finds rows. Is that intended?')
  expect(text).toContain(
    `select is_empty('select 1 from app."Own notes" limit 1', 'signed in, owning nothing: select on app.Own notes finds no row');`,
  )
  expect(text).toContain(
    `select throws_ok('insert into app."Own notes" default values', '42501', null, 'without a token: insert on app.Own notes is refused');`,
  )
  const planned = Number(/select plan\((\d+)\)/.exec(text)?.[1])
  expect(text.match(/^select (?:throws_ok|is_empty)/gm)).toHaveLength(planned)
})
