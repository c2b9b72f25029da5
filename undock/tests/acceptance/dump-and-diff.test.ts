import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeProject, type TestProject } from '../support/project.ts'
import { endRunning, startUndock, undock } from '../support/undock.ts'

let project: TestProject
let client: pg.Client

beforeAll(async () => {
  project = await makeProject({
    'config.toml': '[edge_runtime]\nenabled = false',
    'migrations/20260101000000_items.sql': `
      create table public.items (id int primary key, name text not null);
      alter table public.items enable row level security;
      create policy "all read" on public.items for select using (true);`,
    'roles.sql': `create role reporter;`,
    'seed.sql': `insert into public.items values (1, 'it''s one');`,
  })
  await startUndock(project)
  client = new pg.Client(`postgresql://postgres:postgres@127.0.0.1:${project.ports.SUPABASE_DB_PORT}/postgres`)
  await client.connect()
})
afterAll(async () => {
  await client?.end()
  await endRunning()
  await project?.remove()
})

test('db diff makes a migration from manual changes, without platform objects', async () => {
  const none = await undock(project, 'db', 'diff')
  expect([none.code, none.stdout]).toEqual([0, ''])
  await client.query(`alter table public.items add column done boolean not null default false;
    create table public.more (id int primary key, item int references public.items)`)
  const { code, stderr } = await undock(project, 'db', 'diff', '-f', 'more')
  expect([code, stderr]).toEqual([0, expect.stringContaining('_more.sql')])
  const folder = join(project.folder, 'supabase', 'migrations')
  const name = (await readdir(folder)).find((one) => /^\d{14}_more\.sql$/.test(one)) ?? ''
  const text = await readFile(join(folder, name), 'utf8')
  expect(text).toContain('ALTER TABLE "public"."items" ADD COLUMN "done" boolean NOT NULL DEFAULT false')
  expect(text).not.toMatch(/undock|_realtime|pgrst|"auth"|"storage"/)
  // The migrations now create what the database contains.
  const again = await undock(project, 'db', 'diff')
  expect([again.code, again.stdout]).toEqual([0, ''])
})

test('db diff of one schema creates the schema, with its rights and comments', async () => {
  await client.query(`create schema shop; grant usage on schema shop to anon; create table shop.goods (id int);
    comment on table shop.goods is 'For sale'; create function shop.one() returns int language sql as 'select 1';
    revoke execute on function shop.one() from public; create table public.elsewhere ()`)
  const { stdout } = await undock(project, 'db', 'diff', '-s', 'shop')
  await client.query('drop schema shop cascade; drop table public.elsewhere')
  await client.query(stdout)
  const { rows } = await client.query(`select has_schema_privilege('anon', 'shop', 'usage') as usage,
    has_function_privilege('anon', 'shop.one()', 'execute') as runs, obj_description('shop.goods'::regclass) as note,
    to_regclass('public.elsewhere') as elsewhere`)
  expect(rows).toEqual([{ usage: true, runs: false, note: 'For sale', elsewhere: null }])
  await client.query('drop schema shop cascade')
})

test('db diff names the objects that it leaves out, unless the migrations have them too', async () => {
  const unchanged = await undock(project, 'db', 'diff')
  expect(unchanged.stderr).not.toContain('Left out')
  await client.query(`create statistics public.together on id, name from public.items;
    create text search configuration public.plain (copy = simple)`)
  const { code, stdout, stderr } = await undock(project, 'db', 'diff')
  await client.query('drop statistics public.together; drop text search configuration public.plain')
  expect([code, stdout]).toEqual([0, ''])
  expect(stderr).toContain(
    "Left out, because undock can't compare them: text search configuration plain; statistics object together.",
  )
})

test('dumps schema, rows and roles separately, and restores the same database', async () => {
  const schema = await undock(project, 'db', 'dump')
  expect(schema.code).toBe(0)
  expect(schema.stdout).toContain('CREATE TABLE IF NOT EXISTS "public"."items"')
  expect(schema.stdout).not.toMatch(/^(?!--).*(?:undock|"_realtime"|pgrst|CREATE EVENT TRIGGER|it's one)/m)
  const data = await undock(project, 'db', 'dump', '--data-only', '-x', 'public.more')
  expect(data.stdout).toContain(`INSERT INTO "public"."items" ("id", "name"`)
  const roles = await undock(project, 'db', 'dump', '--role-only')
  expect(roles.stdout).toContain('CREATE ROLE "reporter";')
  expect(roles.stdout).not.toContain('CREATE ROLE "anon"')

  await client.query('drop table public.more, public.items')
  await client.query(schema.stdout)
  await client.query(data.stdout)
  const { rows } = await client.query('select id, name, done from public.items')
  expect(rows).toEqual([{ id: 1, name: "it's one", done: false }])
})
