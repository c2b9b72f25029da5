import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql, statement } from '../../kernel/sql.ts'
import { openTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { applyMigrations, applyScripts, applySeed } from './apply.ts'
import type { Migration } from './project-files.ts'
import { readMigrationState } from './state.ts'

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
const pendingOf = async (...migrations: Migration[]) =>
  (await readMigrationState(database.db, migrations, 'supabase')).pending
const rows = async (query: Parameters<typeof statement>[0]) => (await database.db.query(statement(query))).rows
const first = migration('001', '-- why\ncreate table a (id int);\ninsert into a values (1);')

test('applies each migration once and records it like the CLI', async () => {
  expect(await pendingOf(first)).toEqual([first])
  await apply(first)
  await apply(first)
  expect(await rows(sql`select * from a`)).toEqual([{ id: 1 }])
  expect(await rows(sql`select version, name, statements from supabase_migrations.schema_migrations`)).toEqual([
    { version: '001', name: 'test', statements: ['-- why\ncreate table a (id int)', 'insert into a values (1)'] },
  ])
})

test('a failed migration reports its position and is rolled back', async () => {
  const broken = migration('002', 'create table b (id int);\n\ninsert into b\n  values (1, nonsense);')
  await expect(apply(broken)).rejects.toThrow(
    'supabase/migrations/002_test.sql:4: column "nonsense" does not exist (SQLSTATE 42703)',
  )
  expect(await rows(sql`select to_regclass('b') as b`)).toEqual([{ b: null }])
  expect(await pendingOf(first, broken)).toEqual([broken])
})

test("supports statements that can't run in a transaction, and files with their own transactions", async () => {
  await apply(
    migration('003', 'create index concurrently a_id on a (id);'),
    migration('004', 'begin; insert into a values (2); commit; insert into a values (3);'),
  )
  expect(await rows(sql`select array_agg(id order by id) as ids from a`)).toEqual([{ ids: [1, 2, 3] }])
})

test('applies a file whose DO block or procedure commits', async () => {
  await apply(
    migration(
      '0031',
      'create table done (id int);\ndo $$ begin insert into done values (1); commit; insert into done values (2); end $$;',
    ),
    migration(
      '0032',
      'create procedure p() language plpgsql as $$ begin insert into done values (3); commit; end $$; call p();',
    ),
  )
  expect(await rows(sql`select array_agg(id order by id) as ids from done`)).toEqual([{ ids: [1, 2, 3] }])
})

// As CLI 3.1 does.
test.each([
  ['create table t1 (i int); begin; create table t2 (i int); rollback; create table t3 (i int);', [1, 3]],
  [
    'create table t1 (i int); begin; create table t2 (i int); commit; create table t3 (i int); select 1 / 0;',
    [1, 2, 3],
  ],
  ['create table t1 (i int); rollback; begin; create table t2 (i int); select 1 / 0;', [1]],
  ['create table t1 (i int); create table t2 (i int); select 1 / 0;', []],
])('commits each statement of a file that begins or ends transactions: %s', async (text, made) => {
  await apply(migration('0033', text)).catch(() => undefined)
  const tables = sql`select array_agg(right(relname, 1)::int order by 1) as made from pg_class where relname ~ '^t[123]$'`
  expect((await rows(tables))[0]?.made ?? []).toEqual(made)
  const drop =
    "drop table if exists t1, t2, t3; delete from supabase_migrations.schema_migrations where version = '0033'"
  await applyScripts(database.engine, [{ path: 'roles.sql', text: drop }])
})

test.each([
  ['begin; create table o (i int);', 1],
  ["create type e as enum ('a'); commit;\nstart transaction; create table o (e e);", 2],
  ['begin; savepoint a; rollback to savepoint a; create table o (i int);', 1],
  ['begin; create table o (i int); commit;', null],
  ['begin; create table o (i int); end;', null],
])('warns about a transaction that a file leaves open: %s', async (text, line) => {
  const warnings: string[] = []
  const options = { missingExtensions: 'error', warn: (warning: string) => warnings.push(warning) } as const
  const engine = database.engine
  await applyScripts(
    engine,
    [{ path: 'roles.sql', text: `drop table if exists o; drop type if exists e;\n${text}` }],
    options,
  )
  expect(warnings).toEqual(line === null ? [] : [expect.stringMatching(`roles.sql:${line + 1}: begins a transaction`)])
})

test.each([
  ['savepoint a; release savepoint a;', ['1: works here only: `supabase db push` refuses it outside of']],
  ['select 1;\nlock table l;', ['2: works here only']],
  ['copy l from stdin;\n1\n\\.\n', ['1: works here only: `supabase db push` refuses the rows of COPY']],
  ['set role anon;', ['1: sets a role, with which `supabase db push` fails at the end']],
  ['set role anon; reset role;', []],
  ['set role anon; set role postgres;', []],
  ['begin; savepoint a; lock table l; commit;', []],
])('warns about what a push refuses: %s', async (text, expected) => {
  const warnings: string[] = []
  const options = { missingExtensions: 'error', warn: (warning: string) => warnings.push(warning) } as const
  const { engine } = database
  await applyScripts(engine, [{ path: 'a.sql', text: 'create table if not exists l (i int);' }], options)
  await applyScripts(engine, [{ path: 'b.sql', text }], options)
  expect(warnings).toEqual(expected.map((message) => expect.stringContaining(`b.sql:${message}`)))
})

test("settings and roles set in one file don't leak into the next one or the session", async () => {
  await apply(
    migration('005', 'set search_path = extensions; set role authenticated; set statement_timeout = 1;'),
    migration('006', 'create table c (id int);'),
  ).catch(() => undefined)
  expect(await rows(sql`select current_user, current_setting('search_path') as path`)).toEqual([
    { current_user: 'supabase_admin', path: '"$user", public, extensions' },
  ])
  expect(await rows(sql`select to_regclass('public.c') is not null as made`)).toEqual([{ made: true }])
})

test("reports a failure in a file's own transaction and keeps the session usable", async () => {
  const mixed = migration('007', 'create index concurrently a_id2 on a (id); begin; select nonsense;')
  await expect(apply(mixed)).rejects.toThrow('column "nonsense" does not exist')
  expect(await rows(sql`select 1 as free`)).toEqual([{ free: 1 }])
})

test('records seeds with their hash', async () => {
  await applySeed(database.engine, [{ path: 'supabase/seed.sql', text: 'insert into a values (9)' }], () => undefined)
  expect(await rows(sql`select path, length(hash) from supabase_migrations.seed_files`)).toEqual([
    { path: 'supabase/seed.sql', length: 64 },
  ])
})

test('inserts the rows of COPY in migrations and seeds', async () => {
  await apply(
    migration(
      '008',
      'create table d (id int, t text);\ncopy d (id, t) from stdin;\n1\tone; two\n2\t\\N\n\\.\nselect 1;',
    ),
  )
  await applySeed(
    database.engine,
    [{ path: 'seed.sql', text: 'copy d from stdin (format csv);\n3,three\n\\.\n' }],
    () => undefined,
  )
  expect(await rows(sql`select * from d order by id`)).toEqual([
    { id: 1, t: 'one; two' },
    { id: 2, t: null },
    { id: 3, t: 'three' },
  ])
})

test('reports an invalid COPY row with its line and inserts nothing', async () => {
  const broken = migration('009', 'create table e (id int);\ncopy e from stdin;\nx\n\\.\n')
  await expect(apply(broken)).rejects.toThrow(
    /009_test\.sql:2: invalid input syntax for type integer: "x".*\nWhere: COPY e, line 1/s,
  )
  expect(await rows(sql`select to_regclass('public.e') as e`)).toEqual([{ e: null }])
})

test("runs scripts as postgres, which isn't a superuser but may do what hosted projects allow", async () => {
  await apply(
    migration(
      '010',
      `create table owned as select current_user::text as who, current_setting('is_superuser') as super;
       create function note() returns event_trigger language plpgsql as 'begin return; end';
       create event trigger noted on ddl_command_end when tag in ('CREATE TABLE') execute function note();
       alter event trigger noted owner to postgres;
       alter event trigger noted disable;
       comment on event trigger noted is 'mine';
       alter event trigger noted rename to seen;
       drop event trigger seen;
       create publication everything for all tables with (publish = 'insert');
       alter publication everything rename to all_of_it;
       alter publication all_of_it owner to postgres;
       alter publication all_of_it set (publish = 'update');
       drop publication all_of_it;
       do $$ begin if true then create publication by_block for all tables; end if; end $$;
       drop publication by_block;
       create schema published;
       create publication parts for table owned, tables in schema published;
       alter publication parts set tables in schema published;
       drop publication parts;
       alter database postgres set "app.settings.x" to 'y';
       alter database postgres reset app.settings.x;
       alter publication supabase_realtime add table owned;
       alter role authenticator set pgrst.db_aggregates_enabled = 'true';
       alter role authenticated set statement_timeout = '9s';
       set session_replication_role = replica;
       create policy p on storage.objects for select using (true);`,
    ),
  )
  expect(await rows(sql`select * from owned`)).toEqual([{ who: 'postgres', super: 'off' }])
  for (const [index, refused] of [
    'alter role anon superuser',
    'create role r superuser',
    'alter system set work_mem = 1',
    "copy owned to program 'true'",
  ].entries())
    await expect(apply(migration(`01${index}1`, refused))).rejects.toMatchObject({ cause: { code: '42501' } })
})

test('extensions can be moved to another schema, as the advisor suggests, also from within a block', async () => {
  await apply(
    migration(
      '020',
      `create extension pg_trgm with schema public;
       create extension citext with schema public;
       create extension hstore with schema public;
       create extension unaccent with schema public;
       do $$ begin
         alter extension pg_trgm set schema extensions;
         execute 'alter extension citext set schema extensions';
         alter extension hstore set schema extensions;
       end $$;
       alter extension unaccent set schema extensions;
       alter extension pgcrypto set schema public;
       alter extension pgcrypto set schema extensions;`,
    ),
  )
  expect(await rows(sql`select extname from pg_extension where extnamespace = 'public'::regnamespace`)).toEqual([])
  expect(await rows(sql`select extensions.similarity('word', 'words') > 0.5 as near`)).toEqual([{ near: true }])
})

test('provides PostgreSQL’s language and case-insensitive collations', async () => {
  await expect(
    apply(
      migration(
        '012',
        'create table f (n text collate "de-x-icu"); create collation ci (provider = icu, locale = \'und-u-ks-level2\', deterministic = false);',
      ),
    ),
  ).resolves.toBeDefined()
  expect(await rows(sql`select 'a' = 'A' collate ci as same`)).toEqual([{ same: true }])
})

test('reports a missing extension, or skips it with its statements', async () => {
  const script = `create extension plv8; create table g (id int); create function h() returns int language plv8 as 'return 1';`
  await expect(apply(migration('013', script))).rejects.toThrow(/"plv8" is not available.*missing_extensions = "warn"/s)
  const warned: string[] = []
  const options = { missingExtensions: 'warn', warn: (text: string) => void warned.push(text) } as const
  await applyMigrations(database.engine, [migration('013', script)], () => undefined, options)
  expect(warned).toEqual([
    'supabase/migrations/013_test.sql:1: left out: extension "plv8" is not available',
    'supabase/migrations/013_test.sql:1: left out: language "plv8" does not exist',
  ])
  expect(await rows(sql`select to_regclass('public.g') is not null as made`)).toEqual([{ made: true }])
  await expect(
    applyMigrations(database.engine, [migration('014', 'create extension plv8; select 1/0')], () => undefined, options),
  ).rejects.toThrow('division by zero')
})

test('runs a script that ends its own transaction to the end, also when extensions may be missing', async () => {
  const warned: string[] = []
  const options = { missingExtensions: 'warn', warn: (text: string) => void warned.push(text) } as const
  const script = `begin; create table own (id int primary key deferrable initially deferred); insert into own values (1); commit;
    create extension plv8; create function h() returns int language plv8 as 'return 1'; insert into own values (2);`
  await applyMigrations(database.engine, [migration('016', script)], () => undefined, options)
  expect(warned.filter((text) => text.includes('left out'))).toHaveLength(2)
  expect(await rows(sql`select id from public.own order by id`)).toEqual([{ id: 1 }, { id: 2 }])
  await expect(
    applyMigrations(
      database.engine,
      [migration('017', 'begin; insert into own values (1); commit;')],
      () => undefined,
      options,
    ),
  ).rejects.toThrow('duplicate key')
})

test('reports two migrations with the same version before applying any', async () => {
  const [one, two] = [
    migration('015', 'create table z (id int)'),
    { ...migration('015', 'select 1'), path: 'supabase/migrations/015_b.sql' },
  ]
  await expect(apply(one, two)).rejects.toThrow(
    'supabase/migrations/015_b.sql:1: has the same version as supabase/migrations/015_test.sql',
  )
  expect(await rows(sql`select to_regclass('public.z') as z`)).toEqual([{ z: null }])
})
