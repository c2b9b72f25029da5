import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql, statement } from '../../kernel/sql.ts'
import { openTestDatabase, type TestDatabase } from '../../testing/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const column = async (query: Parameters<typeof statement>[0]) =>
  (await database.db.query(statement(query))).rows.map((row) => Object.values(row)[0])

test('a new project has the roles, schemas and extensions that migrations expect', async () => {
  expect(
    await column(
      sql`select rolname from pg_roles where rolname = any(${['anon', 'authenticated', 'service_role', 'authenticator', 'supabase_admin', 'supabase_auth_admin', 'supabase_storage_admin', 'supabase_realtime_admin', 'dashboard_user']})`,
    ),
  ).toHaveLength(9)
  expect(
    await column(
      sql`select nspname from pg_namespace where nspname = any(${['auth', 'storage', 'realtime', 'extensions', 'graphql_public']})`,
    ),
  ).toHaveLength(5)
  expect(await column(sql`show search_path`)).toEqual(['"$user", public, extensions'])
  expect(await column(sql`select extensions.crypt('secret', extensions.gen_salt('bf')) is not null`)).toEqual([true])
})

test("text search and number formats match a Supabase container's", async () => {
  expect(await column(sql`select to_tsvector('two cats')::text`)).toEqual(["'cat':2 'two':1"])
  // Non-ASCII letters are letters; symbols aren't.
  expect(await column(sql`select to_tsvector('simple', 'ÄRGER 😀lamp')::text`)).toEqual(["'lamp':2 'ärger':1"])
  expect(await column(sql`select to_json(0.1::float8 + 0.2::float8)::text`)).toEqual(['0.3'])
})

test('objects created in public are accessible to the API roles under row security', async () => {
  await database.db.exec(`
    create table public.secrets (id int primary key, owner uuid default auth.uid());
    alter table public.secrets enable row level security;
    create policy own on public.secrets for select to authenticated using (owner = (select auth.uid()));
    insert into public.secrets values (1, '00000000-0000-0000-0000-000000000001'), (2, null);
  `)
  const seenBy = async (role: string, sub: string) => {
    const settings = { role, 'request.jwt.claims': JSON.stringify({ role, sub }) }
    const [result] = await database.db.run({
      settings,
      statements: [statement(sql`select id from secrets order by id`)],
    })
    return result?.rows.map(({ id }) => id)
  }
  expect(await seenBy('authenticated', '00000000-0000-0000-0000-000000000001')).toEqual([1])
  expect(await seenBy('anon', '')).toEqual([])
  expect(await seenBy('service_role', '')).toEqual([1, 2])
})

test('pgmq has the function signatures of hosted projects', async () => {
  await database.db.runAs(
    'postgres',
    `create extension pgmq; grant execute on function pgmq.pop(text) to service_role;
     select pgmq.create('jobs'); select pgmq.send('jobs', '{"a": 1}'); select pgmq.send('jobs', '{"a": 2}')`,
  )
  expect(await column(sql`select message->'a' from pgmq.pop('jobs')`)).toEqual([1])
  expect(await column(sql`select message->'a' from pgmq.pop('jobs', 1)`)).toEqual([2])
  await database.db.runAs('postgres', 'drop extension pgmq cascade; create extension pgmq; drop extension pgmq')
})
