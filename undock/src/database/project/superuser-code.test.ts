import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { runScript } from '../protocol/exchange.ts'
import { rewriteStatement } from '../statements/privileged.ts'
import { splitStatements } from '../statements/split-statements.ts'

// Calls every function that runs as a superuser as `postgres`, whose password is public, in a database full of project
// code: event triggers, triggers on all tables, casts, operators, expressions in indexes and constraints, and functions
// named like Postgres' own. None of it may run as a superuser.

let database: TestDatabase
/** Rewritten like the project's scripts, for a server without undock's library. */
const rewritten = (script: string) =>
  splitStatements(script)
    .map(({ text }) => rewriteStatement(text))
    .join(';\n')
const as = (user: string, script: string) =>
  database.engine.withSessionOf(user, (session) => runScript(session, rewritten(script)))
const rows = async (text: string) => (await database.db.query({ text, values: [] })).rows

const EXTENSIONS = [
  ...['pg_cron', 'pgmq', 'pgsodium'],
  ...['dblink', 'http', 'pg_jsonschema', 'postgres_fdw'].map((name) => `${name} with schema extensions`),
]

/** Counts all runs and those as a superuser; a rollback doesn't undo sequences. */
const SPY = `
  create sequence public.runs; create sequence public.superuser_runs; grant all on public.runs, public.superuser_runs to public;
  create function public.spy() returns boolean language plpgsql as $$
  begin
    perform nextval('public.runs');
    begin perform set_config('session_authorization', 'supabase_admin', true); exception when others then null; end;
    begin perform set_config('role', 'supabase_admin', true); exception when others then null; end;
    if (select rolsuper from pg_catalog.pg_roles where rolname = current_user) then
      perform nextval('public.superuser_runs');
    end if;
    return true;
  end $$;
  create function public.spy_constant() returns text language plpgsql immutable as $$
    begin perform public.spy(); return 'x'; end $$;
  create function public.spy_row() returns trigger language plpgsql as $$
    begin perform public.spy(); return coalesce(new, old); end $$;
  create function public.spy_ddl() returns event_trigger language plpgsql as $$ begin perform public.spy(); end $$;
  create function public.spy_late() returns event_trigger language plpgsql as $$
    begin
      insert into public.late values (1);
      execute format('declare spy_%s cursor with hold for select public.spy()', nextval('public.runs'));
    end $$;
  -- Its trigger runs when the transaction ends.
  create table public.late (id int);
  create constraint trigger late after insert on public.late deferrable initially deferred
    for each row execute function public.spy_row();
`

/** Triggers on every table that allows them, firing even while others are off. */
const TRIGGERS = `
  do $$
  declare one record;
  begin
    for one in
      select c.oid::regclass as name, c.relname from pg_class c
      where c.relkind in ('r', 'p') and has_table_privilege(c.oid, 'trigger') and not c.relispartition
        and c.relnamespace::regnamespace::text not in ('pg_catalog', 'information_schema')
    loop
      begin
        execute format('create trigger %I before insert or update or delete on %s for each row execute function public.spy_row()',
          'aa_spy_' || one.relname, one.name);
        execute format('alter table %s enable always trigger %I', one.name, 'aa_spy_' || one.relname);
      exception when insufficient_privilege or undefined_table then null;
      end;
    end loop;
  end $$;`

const EXPRESSIONS = `
  create index on realtime.messages ((topic || public.spy_constant()));
  alter table realtime.messages add constraint spying check (public.spy_constant() is not null) not valid;
  create table public.rows (id int primary key, name text check (public.spy()));
  create function public.spy_cast(public.rows) returns text language sql as 'select public.spy()::text';
  create cast (public.rows as text) with function public.spy_cast(public.rows);
  create domain public.spied as text check (public.spy());
`

/** Functions in the project's schema that match a call better than Postgres's own. */
const OVERLOADS = `
  create schema mine;
  create function mine.format(text, text) returns text language sql as 'select public.spy()::text';
  create function mine.format(text, text, text) returns text language sql as 'select public.spy()::text';
  create function mine.format(text, text, text, text) returns text language sql as 'select public.spy()::text';
  create function mine.now() returns timestamptz language plpgsql as 'begin perform public.spy(); return null; end';
  create function mine.pg_backend_pid() returns int language plpgsql as 'begin perform public.spy(); return 1; end';
  create function mine.to_regrole(text) returns regrole language plpgsql as 'begin perform public.spy(); return null; end';
`

const EVENTS = ['ddl_command_start', 'ddl_command_end', 'sql_drop', 'table_rewrite']
const EVENT_TRIGGERS = EVENTS.map(
  (event) => `
    create event trigger aa_spy_${event} on ${event} execute function public.spy_ddl();
    create event trigger zz_spy_${event} on ${event} execute function public.spy_ddl();
    create event trigger aa_late_${event} on ${event} when tag in ('CREATE TABLE', 'ALTER PUBLICATION')
      execute function public.spy_late();`,
)
  .join('')
  .replace(/create event trigger aa_late_table_rewrite[^;]*;/, '')

beforeAll(async () => {
  database = await openTestDatabase()
  await database.db.exec(
    'grant usage on schema _undock to postgres; grant execute on procedure _undock.confine() to postgres',
  )
  for (const name of EXTENSIONS) await as('postgres', `create extension if not exists ${name} cascade`)
  await as('postgres', SPY)
  await as('postgres', `${EXPRESSIONS}${OVERLOADS}${TRIGGERS}`)
  await as('postgres', EVENT_TRIGGERS)
  // The project makes them SECURITY INVOKER again, which would run its event triggers.
  await as(
    'postgres',
    'set session_replication_role = replica; alter function public.spy_ddl() security invoker reset all',
  )
})
afterAll(() => database?.close())

const PUBLISHED = `
  create table if not exists public.published (id int primary key);
  insert into realtime.subscription (subscription_id, entity, claims)
    values (gen_random_uuid(), 'public.published', '{"role": "anon"}');
  alter publication supabase_realtime add table public.published;
  drop table public.published;`
const WRAPPER = `
  create foreign data wrapper spied_wrapper handler extensions.postgres_fdw_handler validator extensions.postgres_fdw_validator;
  drop foreign data wrapper spied_wrapper;`
const ask = (call: string) => `do $$ begin perform ${call}; exception when others then null; end $$`
const CREATED = 'drop extension postgres_fdw; create extension postgres_fdw with schema extensions;'

const CASES: Readonly<Record<string, string>> = {
  '_realtime.arm_captures()': PUBLISHED,
  '_realtime.follow_publication()': PUBLISHED,
  '_realtime.is_in_step()': 'select _realtime.is_in_step()',
  '_realtime.on_ddl()': 'create table public.seen (id int); drop table public.seen',
  '_realtime.publication_changed()': PUBLISHED,
  '_realtime.subscription_changed()': `insert into _realtime.requests values (gen_random_uuid(), '*', '*'); delete from _realtime.requests`,
  '_undock.bind_event_functions()':
    'create or replace function public.bound() returns event_trigger language plpgsql as $$ begin end $$',
  '_undock.complete_pgmq()': 'drop extension pgmq; create extension pgmq',
  '_undock.confine()': 'begin; call _undock.confine(); rollback',
  '_undock.create_event_trigger(text,text,text[],regprocedure)':
    'create event trigger aa_spied on ddl_command_start execute function public.spy_ddl(); drop event trigger aa_spied',
  '_undock.create_wrapper(text,regproc,regproc,text[])': WRAPPER,
  '_undock.give_members()': 'drop extension if exists citext; create extension citext with schema extensions',
  '_undock.grant_wrappers()': CREATED,
  '_undock.move_extension(text,text)':
    'alter extension citext set schema public; alter extension citext set schema extensions',
  '_undock.on_function_ddl()': 'alter function public.spy_ddl() security invoker reset all',
  '_undock.provide_collation(text,text)': `select _undock.provide_collation('xx_XX.utf8', 'C')`,
  '_undock.publish_all_tables(text,text[])': 'create publication spied for all tables; drop publication spied',
  '_undock.publish_schemas(text,text[],boolean)':
    'create publication spied for tables in schema public; alter publication spied set tables in schema mine; drop publication spied',
  '_undock.revoke_unsafe()': 'drop extension dblink; create extension dblink with schema extensions',
  '_undock.set_parameter(text,text,text,text[])': `alter role postgres set app.spied = 'x'; alter role postgres reset app.spied`,
  'extensions._http_exchange(text)': ask(`extensions.http_get('http://127.0.0.1:1/')`),
  'extensions.dblink_connect_u(text)': ask(`extensions.dblink_connect_u('host=127.0.0.1')`),
  'extensions.dblink_connect_u(text,text)': ask(`extensions.dblink_connect_u('name', 'host=127.0.0.1')`),
  'extensions.pgrst_ddl_watch()':
    'create table public.seen (id int); alter table public.seen add x int; drop table public.seen',
  'extensions.pgrst_drop_watch()': 'create table public.seen (id int); drop table public.seen',
  'pgsodium.create_key(pgsodium.key_type,text,bytea,bytea,uuid,bytea,timestamp with time zone,text)':
    'select pgsodium.create_key()',
  'vault._key()': `select vault.create_secret('x', 'y'); select * from vault.decrypted_secrets; delete from vault.secrets`,
}

const FUNCTIONS = `
  select format('%I.%I(%s)', n.nspname, p.proname, (
    select string_agg(format_type(t, null), ',' order by at) from unnest(p.proargtypes) with ordinality as types (t, at)
  )) as name
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace join pg_roles r on r.oid = p.proowner
  where p.prosecdef and r.rolsuper order by 1`

test('the cases cover every function that runs as a superuser', async () => {
  const present = (await rows(FUNCTIONS)).map(({ name }) => String(name))
  expect(present.length).toBeGreaterThan(20)
  expect(present.filter((name) => !(name in CASES))).toEqual([])
})

const count = async (sequence: string) =>
  Number((await rows(`select case when is_called then last_value else 0 end as n from public.${sequence}`))[0]?.n)

test.each(Object.entries(CASES))('%s runs no project code as a superuser', async (_name, script) => {
  const before = await count('superuser_runs')
  await as('postgres', `set search_path = mine, pg_catalog, public, extensions; ${script}`)
  expect(await count('superuser_runs')).toBe(before)
})

test('other statements of the stack run no project code as a superuser', async () => {
  const { db } = database
  const asPostgres = { settings: { session_authorization: 'postgres' } }
  await db.run({ ...asPostgres, statements: [{ text: `select net.http_get('http://127.0.0.1:1/')`, values: [] }] })
  await db.run({ ...asPostgres, statements: [{ text: `select net.http_post('http://127.0.0.1:1/')`, values: [] }] })
  await db.run({ ...asPostgres, statements: [{ text: `select net.http_delete('http://127.0.0.1:1/')`, values: [] }] })
  await db.run({ ...asPostgres, statements: [{ text: `select _realtime.keep_partitions('2031-01-01')`, values: [] }] })
  await db.query({ text: 'select _realtime.follow_publication()', values: [] })
  expect(await count('superuser_runs')).toBe(0)
  expect(await count('runs')).toBeGreaterThan(50)
})

test('an extension in a project schema calls none of its functions as a superuser', async () => {
  for (const name of ['dblink', 'http', 'pg_jsonschema', 'postgres_fdw'])
    await as(
      'postgres',
      `drop extension if exists ${name} cascade; create extension ${name} with schema mine; drop extension ${name}`,
    )
  expect(await count('superuser_runs')).toBe(0)
})

test("a transaction that can't see an event trigger can't unbind its function", async () => {
  const unbound = `select proname from pg_proc p join pg_roles r on r.oid = p.proowner
    where prorettype = 'event_trigger'::regtype and not prosecdef and not rolsuper`
  await as(
    'postgres',
    `begin isolation level repeatable read; select; create function public.unseen() returns event_trigger language plpgsql as 'begin end';
     alter function public.unseen() security invoker; commit`,
  )
  expect(await rows(unbound)).toEqual([])
})

test("the key of the stack’s logins isn't stored in the database", async () => {
  await as('postgres', 'create extension if not exists dblink with schema extensions')
  const [place] = await rows(
    `select current_setting('unix_socket_directories') as folder, current_setting('port') as port`,
  )
  const address = `host=${place?.folder} port=${place?.port} dbname=postgres`
  for (const user of ['supabase_admin', 'postgres', 'authenticator'])
    for (const password of ['', 'password=postgres'])
      for (const connect of ['dblink_connect', 'dblink_connect_u'])
        await expect(
          // A superuser may connect without a password if the server allows it.
          database.db.exec(`select extensions.${connect}('${address} user=${user} ${password}')`),
        ).rejects.toMatchObject({ code: '08001' })
})

test("a foreign data wrapper can't connect without a password", async () => {
  const wrapper = (validator: string) =>
    `create foreign data wrapper bare handler extensions.postgres_fdw_handler ${validator}`
  await as('postgres', 'create extension if not exists postgres_fdw with schema extensions')
  for (const validator of ['', 'no validator', 'validator extensions.dblink_fdw_validator']) {
    await as('postgres', 'create extension if not exists dblink with schema extensions')
    await expect(as('postgres', wrapper(validator))).rejects.toMatchObject({ code: '42501' })
  }
  await as('postgres', wrapper('validator extensions.postgres_fdw_validator'))
  await as('postgres', `create server bare foreign data wrapper bare options (host '/tmp', dbname 'postgres')`)
  await expect(
    as(
      'postgres',
      `create user mapping for postgres server bare options (user 'supabase_admin', password_required 'false')`,
    ),
  ).rejects.toMatchObject({ code: '42501' })
})

test('all event triggers of the stack fire in every session_replication_role', async () => {
  expect(
    await rows(`select evtname from pg_event_trigger where evtowner = 'supabase_admin'::regrole and evtenabled <> 'A'`),
  ).toEqual([])
})
