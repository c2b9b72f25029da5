import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { loadConfig } from '../../config/load.ts'
import { openTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { type OpeningEvent, readContent } from './project-content.ts'

let database: TestDatabase
let folder: string
const CONFIG = `
project_id = "content"
[auth]
jwt_secret = "a secret of its own with 'quotes' in it"
[db.migrations]
schema_paths = ["./schemas/first.sql", "./schemas/*.sql"]
`
const FILES = {
  'roles.sql': 'create role reader;',
  'schemas/b.sql': 'create table public.b (a int references public.a);',
  'schemas/first.sql': 'create table public.a (id int primary key);',
  'migrations/1_m.sql': 'create table public.m (id int);',
  'seed.sql': '\\restrict x\nselect 1;\n\\unrestrict x\n',
}

beforeAll(async () => {
  database = await openTestDatabase()
  folder = await mkdtemp(join(tmpdir(), 'undock-content-'))
  for (const [path, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
})
afterAll(async () => {
  await database.close()
  await rm(folder, { recursive: true })
})

test('auto_expose_new_tables = false revokes exactly what the CLI revokes', async () => {
  const own = await openTestDatabase()
  onTestFinished(() => own.close())
  const { config } = loadConfig({ toml: '[api]\nauto_expose_new_tables = false', file: 'config.toml', env: {}, folder })
  const content = await readContent({
    supabaseFolder: join(folder, 'empty'),
    config,
    missingExtensions: 'error',
    experimental: false,
    tell: () => undefined,
  })
  await content.apply(own.engine)
  await own.db.runAs(
    'postgres',
    'create table public.t (id serial primary key, a int); grant insert on public.t to anon',
  )
  await own.db.runAs('anon', 'insert into public.t (a) values (1)')
  await expect(own.db.runAs('anon', 'select * from public.t')).rejects.toThrow('permission denied')
})

test('reads roles, then migrations or the declared schemas, then the seed', async () => {
  const { config } = loadConfig({ toml: CONFIG, file: 'config.toml', env: {}, folder })
  const told: OpeningEvent[] = []
  const source = {
    supabaseFolder: folder,
    config,
    missingExtensions: 'error',
    tell: (event: OpeningEvent) => told.push(event),
  } as const
  const [declared, migrated] = await Promise.all([
    readContent({ ...source, experimental: true }),
    readContent({ ...source, experimental: false }),
  ])
  expect([declared.migrations.length, migrated.migrations.length]).toEqual([0, 1])
  expect(declared.key).not.toBe(migrated.key)
  await declared.apply(database.engine)
  const { rows } = await database.db.query({
    text: `select to_regrole('reader')::text as role, to_regclass('public.b')::text as declared, to_regclass('public.m') as migrated,
      (select tableowner from pg_tables where tablename = 'b') as owner`,
    values: [],
  })
  expect(rows).toEqual([{ role: 'reader', declared: 'b', migrated: null, owner: 'postgres' }])
  expect(told).toContainEqual({ kind: 'seed', path: 'supabase/seed.sql' })
})

test("the database has the CLI's settings", async () => {
  const { rows } = await database.db.query({
    text: 'select unnest(setconfig) as setting from pg_db_role_setting where setrole = 0',
    values: [],
  })
  expect(rows.map(({ setting }) => setting)).toEqual(
    expect.arrayContaining([
      "app.settings.jwt_secret=a secret of its own with 'quotes' in it",
      'app.settings.jwt_exp=3600',
    ]),
  )
})

test.each([
  { version: 15, begins: true },
  { version: 17, begins: false },
])('installs pgsodium for a Postgres $version project whose seed uses it: $begins', async ({ version, begins }) => {
  const project = await mkdtemp(join(tmpdir(), 'undock-content-'))
  const fresh = await openTestDatabase()
  try {
    const seed = `select pg_catalog.setval('"pgsodium"."key_key_id_seq"', 1, false);`
    await writeFile(join(project, 'seed.sql'), begins ? seed : 'select 1')
    const toml = `project_id = "content"\n[db]\nmajor_version = ${version}\n`
    const { config } = loadConfig({ toml, file: 'config.toml', env: {}, folder: project })
    const content = await readContent({
      supabaseFolder: project,
      config,
      experimental: false,
      missingExtensions: 'error',
      tell: () => undefined,
    })
    await content.apply(fresh.engine)
    const { rows } = await fresh.db.query({
      text: `select to_regclass('pgsodium.key') is not null as begins`,
      values: [],
    })
    expect(rows).toEqual([{ begins }])
  } finally {
    await fresh.close()
    await rm(project, { recursive: true })
  }
})

test('counts applied statements that a hosted project would reject', async () => {
  const project = await mkdtemp(join(tmpdir(), 'undock-content-'))
  const fresh = await openTestDatabase()
  try {
    await mkdir(join(project, 'migrations'))
    await writeFile(
      join(project, 'migrations', '1_a.sql'),
      'create table public.fine (id int); alter table storage.objects enable row level security;',
    )
    const { config } = loadConfig({ toml: '[db.seed]\nenabled = false', file: 'config.toml', env: {}, folder: project })
    const told: OpeningEvent[] = []
    const source = { supabaseFolder: project, config, experimental: false, missingExtensions: 'error' } as const
    await (await readContent({ ...source, tell: (event) => told.push(event) })).apply(fresh.engine)
    expect(told).toContainEqual({ kind: 'hosted-refusals', count: 1 })
  } finally {
    await fresh.close()
    await rm(project, { recursive: true })
  }
})

test('re-enables the services’ event triggers after migrations, even failed ones, and catches up', async () => {
  const project = await mkdtemp(join(tmpdir(), 'undock-content-'))
  const fresh = await openTestDatabase()
  const value = async (text: string) =>
    (await fresh.db.query({ text: `select (${text}) as value`, values: [] })).rows[0]?.value
  const off = () => value("select count(*)::int from pg_event_trigger where evtenabled = 'D'")
  try {
    const { config } = loadConfig({ toml: '', file: 'config.toml', env: {}, folder: project })
    const apply = async (seed: string) => {
      await writeFile(join(project, 'seed.sql'), seed)
      const source = { supabaseFolder: project, config, experimental: false, missingExtensions: 'error' } as const
      await (await readContent({ ...source, tell: () => undefined })).apply(fresh.engine)
    }
    await expect(apply('select 1 / 0')).rejects.toThrow('division by zero')
    expect(await off()).toBe(0)
    const told: string[] = []
    const stop = await fresh.db.listen('pgrst', (text) => told.push(text))
    await apply(
      'create table public.heard (id int primary key); alter publication supabase_realtime add table public.heard',
    )
    expect(await off()).toBe(0)
    expect(await value('select _realtime.is_in_step()')).toBe(true)
    expect(await value("select count(*)::int from pg_trigger where tgrelid = 'public.heard'::regclass")).toBe(1)
    await expect.poll(() => told).toEqual(['reload schema'])
    await stop()
  } finally {
    await fresh.close()
    await rm(project, { recursive: true })
  }
})
