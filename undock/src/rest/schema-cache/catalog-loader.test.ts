import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Batch, Db } from '../../database/db.ts'
import type { Log } from '../../kernel/service.ts'
import { openTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { type ApiConfig, mergeSettings } from '../settings.ts'
import { type CatalogLoader, createCatalogLoader } from './catalog-loader.ts'
import { loadSchemaCache } from './load.ts'

const CONFIG: ApiConfig = { schemas: ['public', 'extra'], extra_search_path: ['public', 'extensions'], max_rows: 0 }
const silent: Log = { info: () => undefined, warn: () => undefined, error: () => undefined }

let database: TestDatabase
let loader: CatalogLoader
type Reading = 'relations' | 'functions' | 'everything'
const readings: Reading[] = []

beforeAll(async () => {
  database = await openTestDatabase(`
    create schema extra;
    create table public.authors (id int primary key, name text);
    create table public.books (id int primary key, author_id int references public.authors, title text unique);
    create view public.titles as select id, title, author_id from public.books;
    create table public.spare (id int primary key, author_id int references public.authors);
    create table public.years (at date primary key) partition by range (at);
    create table public.visits (at date references public.years);
    create function public.by_author(public.authors) returns setof public.books language sql stable
      as 'select * from public.books where author_id = $1.id';`)
  const watched: Db = {
    ...database.db,
    run: (batch) => {
      if (batch.settings?.search_path === '') readings.push(readingOf(batch))
      return database.db.run(batch)
    },
  }
  loader = await createCatalogLoader(watched, CONFIG, silent)
  await loader.current()
})
afterAll(async () => {
  await loader.close()
  await database.close()
})

function readingOf({ statements }: Batch): Reading {
  const reads = (part: string): boolean => statements.some(({ text }) => text.includes(part))
  if (reads('pg_catalog.pg_constraint k') && !reads('::pg_catalog.oid[]')) return 'everything'
  return reads('p.provolatile') ? 'functions' : 'relations'
}

const RELATIONS_ONLY: readonly Reading[] = ['relations']
/** Also for altered tables whose rows are arguments or results of functions, because they may have been renamed. */
const FUNCTIONS: readonly Reading[] = ['functions']
const EVERYTHING: readonly Reading[] = ['everything']

test.each([
  [
    'creates a table',
    'create table public.reviews (id int primary key, book_id int references public.books)',
    RELATIONS_ONLY,
  ],
  ['adds a column', 'alter table public.books add column pages int default 5', FUNCTIONS],
  ["changes a column's type", 'alter table public.books alter column pages type bigint', FUNCTIONS],
  ['comments a column', "comment on column public.books.pages is 'how many'", RELATIONS_ONLY],
  [
    'adds a foreign key',
    'alter table public.reviews add column author_id int references public.authors',
    RELATIONS_ONLY,
  ],
  ['drops a primary key', 'alter table public.spare drop constraint spare_pkey', RELATIONS_ONLY],
  [
    'drops a primary key with its foreign keys',
    'alter table public.authors drop constraint authors_pkey cascade',
    FUNCTIONS,
  ],
  ['adds a primary key', 'alter table public.authors add primary key (id)', FUNCTIONS],
  [
    'creates a view',
    'create view public.named as select b.id, a.name from public.books b, public.authors a',
    RELATIONS_ONLY,
  ],
  [
    'replaces a view',
    'create or replace view public.titles as select id, title, author_id, pages from public.books',
    RELATIONS_ONLY,
  ],
  ['creates an index', 'create index on public.books (pages)', RELATIONS_ONLY],
  [
    'creates several tables in one script',
    'create table extra.a (id int primary key); create table extra.b (a_id int references extra.a)',
    RELATIONS_ONLY,
  ],
  ['drops a referenced table', 'drop table extra.a cascade', RELATIONS_ONLY],
  ['drops a table with its view and function', 'drop table public.books cascade', FUNCTIONS],
  ['renames a table', 'alter table public.reviews rename to opinions', RELATIONS_ONLY],
  ['moves a table to another schema', 'alter table public.opinions set schema extra', RELATIONS_ONLY],
  [
    'creates a partition',
    "create table public.y2026 partition of public.years for values from ('2026-01-01') to ('2027-01-01')",
    RELATIONS_ONLY,
  ],
  ['changes a partition', "alter table public.y2026 add constraint early check (at < date '2026-12-01')", EVERYTHING],
  ['detaches a partition', 'alter table public.years detach partition public.y2026', EVERYTHING],
  [
    'attaches a partition',
    "alter table public.years attach partition public.y2026 for values from ('2026-01-01') to ('2027-01-01')",
    EVERYTHING,
  ],
  [
    'drops a partition',
    'alter table public.visits drop constraint visits_at_fkey; drop table public.y2026',
    RELATIONS_ONLY,
  ],
  [
    'creates objects that refer to a table by name',
    `create table public.people (id int primary key, boss int references public.people);
     create table public.teams (id int primary key);
     create table public.memberships (person_id int references public.people, team_id int references public.teams,
       primary key (person_id, team_id));
     create view public.staff as select id, boss from public.people;
     create view public.bosses as select id from public.staff;
     create function public.reports(public.people) returns setof public.people language sql stable
       as 'select * from public.people where boss = $1.id';
     create function public.everybody() returns setof public.people language sql as 'select * from public.people';
     create table public.log (id int generated by default as identity, number serial, who public.people, all_of public.people[])`,
    FUNCTIONS,
  ],
  ['renames it', 'alter table public.people rename to humans', FUNCTIONS],
  ['moves it', 'alter table public.humans set schema extra', FUNCTIONS],
  ['moves it to a hidden schema', 'create schema hidden; alter table extra.humans set schema hidden', FUNCTIONS],
  ['moves it back', 'alter table hidden.humans set schema public', FUNCTIONS],
  ['renames a junction table', 'alter table public.memberships rename to belongings', RELATIONS_ONLY],
  ['renames a view', 'alter view public.staff rename to crew', RELATIONS_ONLY],
  ['renames a column', 'alter table public.teams rename column id to number', RELATIONS_ONLY],
  ["renames a default's sequence", 'alter sequence public.log_number_seq rename to numbers', RELATIONS_ONLY],
  ["renames an identity column's sequence", 'alter sequence public.log_id_seq rename to ids', RELATIONS_ONLY],
  ['creates a function', 'create function public.one() returns int language sql as $$ select 1 $$', FUNCTIONS],
  ['creates an overload', 'create function public.one(a int) returns int language sql as $$ select a $$', FUNCTIONS],
  [
    'creates a computed relationship',
    `create function public.first_spare(public.authors) returns setof public.spare rows 1 language sql stable
       as 'select * from public.spare limit 1'`,
    FUNCTIONS,
  ],
  ['drops a function', 'drop function public.one(int)', FUNCTIONS],
  [
    'creates a function and a table',
    `create function public.two() returns int language sql as 'select 2'; create table public.pair (id int primary key)`,
    FUNCTIONS,
  ],
  ['renames a function', 'alter function public.two() rename to deux', FUNCTIONS],
  [
    'sets a function as default',
    'alter table public.spare alter column author_id set default public.deux()',
    FUNCTIONS,
  ],
  ['renames it', 'alter function public.deux() rename to zwei', FUNCTIONS],
  ['drops the function with the default', 'drop function public.zwei() cascade', FUNCTIONS],
  [
    'creates a media type and its aggregate',
    `create domain public."text/lines" as text;
     create function public.line(text, public.spare) returns public."text/lines" language sql as 'select $1';
     create aggregate public.lines(public.spare) (sfunc = public.line, stype = public."text/lines", initcond = '')`,
    FUNCTIONS,
  ],
  ['drops the aggregate', 'drop aggregate public.lines(public.spare)', FUNCTIONS],
  ['reloads on request without changes', "notify pgrst, 'reload schema'", []],
  [
    'reloads on request after a change without triggers',
    `set session_replication_role = replica;
     create table public.unseen (id int primary key);
     reset session_replication_role;
     notify pgrst, 'reload schema'`,
    EVERYTHING,
  ],
  [
    "creates a domain's representation",
    `create domain public.shade as int;
     create function public.json(public.shade) returns json language sql as $$ select to_json('#' || $1) $$;
     create cast (public.shade as json) with function public.json(public.shade) as implicit`,
    FUNCTIONS,
  ],
  ['creates an enum', "create type public.mood as enum ('calm')", FUNCTIONS],
  [
    'adds a value to an enum in use',
    "alter table public.spare add column mood public.mood; alter type public.mood add value 'wild'",
    FUNCTIONS,
  ],
  [
    'creates a domain over it, and arrays',
    `create domain public.mine as public.mood default 'calm';
     alter table public.spare add column mine public.mine, add column many public.mine[]`,
    FUNCTIONS,
  ],
  ['renames it', 'alter type public.mood rename to humour', FUNCTIONS],
  ['renames an enum value', "alter type public.humour rename value 'calm' to 'still'", FUNCTIONS],
  ["changes a domain's default", "alter domain public.mine set default 'wild'", FUNCTIONS],
  ['moves a domain', 'alter domain public.mine set schema extra', FUNCTIONS],
  ['drops a type with its columns', 'drop type public.humour cascade', FUNCTIONS],
  ['drops a cast', 'drop cast (public.shade as json)', FUNCTIONS],
  ['drops a schema', 'drop schema extra cascade', EVERYTHING],
  [
    'changes privileges and row security',
    'grant select on public.spare to anon; alter table public.spare enable row level security',
    FUNCTIONS,
  ],
  ['changes only privileges', 'revoke select on public.spare from anon', []],
  [
    'changes by a role with access to only one schema',
    `create role builder;
     grant usage, create on schema public to builder;
     set role builder;
     create table public.built (id int primary key);
     create type public.built_type as enum ('a');
     alter type public.built_type add value 'b';
     reset role`,
    FUNCTIONS,
  ],
  [
    'changes by a role with shadowing types',
    `set role builder;
     create domain pg_temp.regclass as int;
     create domain pg_temp.oid as int;
     create table public.built_too (id int primary key);
     drop table public.built_too;
     reset role;
     drop domain pg_temp.regclass, pg_temp.oid`,
    RELATIONS_ONLY,
  ],
  ['creates a temporary table', 'create temporary table passing (id int)', []],
])('%s', async (_name, script, read) => {
  readings.length = 0
  await database.db.exec(script)
  const { cache, settings } = await loader.current()
  expect(readings).toEqual(read)
  const { cache: fresh } = await loadSchemaCache(database.db, settings)
  expect(cache).toEqual(fresh)
  expect([...cache.tables.keys()]).toEqual([...fresh.tables.keys()])
})

test('reads another database completely even if its catalog has the same version', async () => {
  readings.length = 0
  loader.forget()
  await loader.current()
  expect(readings).toEqual(EVERYTHING)
})

test('a reload without changes returns the same catalog, so plans are kept', async () => {
  const before = await loader.current()
  await database.db.exec("notify pgrst, 'reload schema'")
  expect(await loader.current()).toBe(before)
})

test('a change during a load is loaded afterwards', async () => {
  const first = database.db.exec('create table public.first (id int)').then(() => loader.current())
  const second = database.db.exec('create table public.second (id int)').then(() => loader.current())
  await Promise.all([first, second])
  const { cache } = await loader.current()
  expect([...cache.tables.values()].map(({ name }) => name)).toEqual(expect.arrayContaining(['first', 'second']))
  expect(cache).toEqual((await loadSchemaCache(database.db, mergeSettings(CONFIG, new Map()))).cache)
})

test('keeps a change announced while the service starts listening', async () => {
  const eager: Db = {
    ...database.db,
    listen: async (channel, onPayload) => {
      const unlisten = await database.db.listen(channel, onPayload)
      onPayload('')
      return unlisten
    },
  }
  const started = await createCatalogLoader(eager, CONFIG, silent)
  expect((await started.current()).cache.tables.size).toBeGreaterThan(0)
  await started.close()
})

test("a database that closes during the first load isn't reported as an error", async () => {
  const own = await openTestDatabase()
  const errors: unknown[] = []
  const log: Log = { ...silent, error: (_, error) => void errors.push(error) }
  const { promise: closed, resolve: close } = Promise.withResolvers<void>()
  const waiting: Db = { ...own.db, run: (batch) => closed.then(() => own.db.run(batch)) }
  const early = await createCatalogLoader(waiting, CONFIG, log)
  const loading = early.current()
  await early.close()
  await own.close()
  close()
  await expect(loading).rejects.toMatchObject({ code: 'PGRST002' })
  expect(errors).toEqual([])
})

test('a failed reload keeps the catalog, and the next request retries', async () => {
  const own = await openTestDatabase('create table public.kept (id int)')
  let isFailing = false
  const failing: Db = {
    ...own.db,
    run: (batch) => (isFailing ? Promise.reject(new Error('unreachable')) : own.db.run(batch)),
  }
  const errors: unknown[] = []
  const log: Log = { ...silent, error: (message) => void errors.push(message) }
  const tolerant = await createCatalogLoader(failing, CONFIG, log)
  const before = await tolerant.current()
  isFailing = true
  await own.db.exec('create table public.late (id int)')
  expect(await tolerant.current()).toBe(before)
  expect(errors).toEqual(['The schema cache could not be loaded'])
  isFailing = false
  expect([...(await tolerant.current()).cache.tables.values()].map(({ name }) => name)).toEqual(
    expect.arrayContaining(['kept', 'late']),
  )
  await tolerant.close()
  await own.close()
})
