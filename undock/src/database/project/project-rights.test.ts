import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { asProjectUser } from '../as-project-user.ts'
import { runScript } from '../protocol/exchange.ts'
import { rewriteStatement } from '../statements/privileged.ts'
import { splitStatements } from '../statements/split-statements.ts'

// A role with a public password must not affect the server's machine.

let database: TestDatabase
/** Rewritten like the project's scripts, for a server without undock's library. */
const rewritten = (script: string) =>
  splitStatements(script)
    .map(({ text }) => rewriteStatement(text))
    .join(';\n')
beforeAll(async () => {
  database = await openTestDatabase('create table public.made_by_stack (id int)')
  await as('postgres', `create extension pgsodium; ${PROBE}`)
})
afterAll(() => database?.close())

const as = (user: string, script: string) =>
  database.engine.withSessionOf(user, (session) => runScript(session, rewritten(script)))
const value = async (expression: string) =>
  (await database.db.query({ text: `select ${expression} as value`, values: [] })).rows[0]?.value

const WHO = `session_user || '/' || current_user || '/' ||
  (select case when rolsuper then 'on' else 'off' end from pg_catalog.pg_roles where rolname = current_user)`
const PROBE = `
  create table public.probes (who text);
  grant all on public.probes to public;
  create function public.probe() returns void language plpgsql as $$
  begin
    begin perform set_config('session_authorization', 'supabase_admin', true); exception when others then null; end;
    begin perform set_config('role', 'supabase_admin', true); exception when others then null; end;
    insert into public.probes values (${WHO});
  end $$;
  create function public.probe_row() returns trigger language plpgsql as $$ begin perform public.probe(); return coalesce(new, old); end $$;
  create function public.probe_ddl() returns event_trigger language plpgsql as $$ begin perform public.probe(); end $$;
`
const REFUSED = {
  code: expect.stringMatching(/^(42501|28000|42883|0A000|0LP01|22023|42704|58P01|2F003|42601|25001|3F000|42939)$/),
}

const ATTEMPTS: readonly string[] = [
  "copy (select 1) to program 'true'",
  "copy public.made_by_stack from program 'echo 1'",
  "copy (select 1) to '/tmp/undock-stolen'",
  "create temp table f (line text); copy f from '/etc/passwd'",
  "select pg_read_file('/etc/passwd')",
  "select pg_read_binary_file('PG_VERSION')",
  "select pg_ls_dir('/')",
  "select pg_stat_file('/etc/passwd')",
  "select lo_import('/etc/passwd')",
  "select lo_export(lo_from_bytea(0, 'x'), '/tmp/undock-stolen')",
  'grant pg_execute_server_program to postgres',
  'grant pg_read_server_files, pg_write_server_files to postgres',
  'create role mine in role pg_execute_server_program',
  'create role mine superuser',
  'alter role postgres superuser',
  'grant supabase_admin to postgres',
  "alter role supabase_admin password 'x'",
  'set role supabase_admin',
  'set session authorization supabase_admin',
  "alter system set work_mem = '1MB'",
  "load '/tmp/x.so'",
  "create function public.c() returns int language c as '/tmp/x', 'c'",
  "create function public.i() returns int language internal as 'pg_read_file'",
  "set dynamic_library_path = '/tmp'",
  "set local_preload_libraries = '/tmp/x'; set session_preload_libraries = '/tmp/x'",
  "alter role postgres set session_preload_libraries = '/tmp/x'",
  "alter database postgres set session_preload_libraries = '/tmp/x'",
  "alter role postgres set postgis.gdal_enabled_drivers = 'ENABLE_ALL'",
  'alter database postgres set "PostGIS".enable_outdb_rasters = on',
  'create extension plpython3u',
  'create extension plperlu',
  'create extension file_fdw',
  "create tablespace t location '/tmp'",
  'select pg_catalog.pg_reload_conf()',
  "create subscription s connection 'host=/tmp user=supabase_admin' publication p with (connect = true)",
  'set allow_system_table_mods = on',
  'update pg_catalog.pg_authid set rolsuper = true',
  'update pg_catalog.pg_proc set prosecdef = true',
  "call _undock.set_parameter('postgres', null, 'session_preload_libraries', array['/tmp/x'])",
  "call _undock.set_parameter('supabase_admin', null, 'app.x', array['1'])",
  "call _undock.set_parameter('postgres', null, 'app.x = 1; alter role postgres superuser; --', null)",
  "call _undock.set_parameter('postgres superuser', null, 'app.x', array['1'])",
  "call _undock.create_event_trigger('e', 'ddl_command_end execute function f(); drop table x', null, 'pg_catalog.now()'::regprocedure)",
  "call _undock.publish_all_tables('p', array['publish=insert); alter role postgres superuser; --'])",
  "call _undock.create_wrapper('w', null, 'pg_catalog.pg_read_file(text)'::regprocedure::regproc, null)",
  "call _undock.move_extension('plpgsql', 'public')",
  "select _undock.run_privileged('select 1')",
  "select _undock.give_to_project('pg_authid', 'rolname', 10)",
  'drop event trigger undock_bind_event_functions',
  'alter event trigger undock_bind_event_functions disable',
  'alter function _undock.on_function_ddl() owner to postgres',
  "create or replace function _undock.on_function_ddl() returns event_trigger language plpgsql as 'begin end'",
  'create trigger t before insert on pgsodium.key for each row execute function public.t()',
]

test.each(ATTEMPTS)('denies %s', async (text) => {
  await expect(as('postgres', text)).rejects.toMatchObject(REFUSED)
})

const probes = async (): Promise<string[]> => {
  const { rows } = await database.db.query({ text: 'delete from public.probes returning who', values: [] })
  return rows.map(({ who }) => String(who))
}

test('superusers and roles that become one never run project functions', async () => {
  const { db } = database
  const ask = { text: 'select public.probe()', values: [] }
  for (const settings of [
    { role: 'anon' },
    { role: 'service_role' },
    { session_authorization: 'supabase_auth_admin' },
  ]) {
    await db.run({ settings, statements: [ask] })
    await db.transaction({ settings }, (tx) => tx.query(ask))
  }
  await db.runAs('postgres', 'select public.probe()')
  const found = await probes()
  expect(found).toHaveLength(7)
  expect(found.filter((who) => !who.endsWith('/off') || who.includes('supabase_admin'))).toEqual([])
})

test("a project's event trigger runs as the project for every role", async () => {
  await as(
    'postgres',
    `create event trigger aaa on ddl_command_end execute function public.probe_ddl();
     create event trigger bbb on ddl_command_start execute function public.probe_ddl();
     create event trigger ccc on sql_drop execute function public.probe_ddl()`,
  )
  await database.db.exec('create table public.by_superuser (id int); drop table public.by_superuser')
  // The project makes them SECURITY INVOKER again, even while its triggers are off.
  await as(
    'postgres',
    `set session_replication_role = replica;
     create or replace function public.probe_ddl() returns event_trigger language plpgsql security invoker as $$ begin perform public.probe(); end $$;
     alter function public.probe_ddl() security invoker; alter function public.probe_ddl() reset all; set session_replication_role = origin`,
  )
  await database.db.exec('create table public.by_superuser (id int); drop table public.by_superuser')
  await as('postgres', 'create extension if not exists tablefunc')
  const found = await probes()
  expect(found.length).toBeGreaterThan(5)
  expect(found.filter((who) => !/\/postgres\/off$/.test(who))).toEqual([])
  expect(
    await value(
      "(select string_agg(evtowner::regrole::text, ',') from pg_event_trigger where evtname in ('aaa', 'bbb'))",
    ),
  ).toBe('postgres,postgres')
  await as('postgres', 'drop event trigger aaa; drop event trigger bbb; drop event trigger ccc')
})

test('the vault calls no project function', async () => {
  await as(
    'postgres',
    `create function extensions.substr(bytea, integer, integer) returns bytea language plpgsql as $$ begin perform public.probe(); return pg_catalog.substr($1, $2, $3); end $$;
     select vault.create_secret('hidden', 'name'); select * from vault.decrypted_secrets`,
  )
  expect(await probes()).toEqual([])
})

test('no superuser runs a trigger on rows that the stack writes', async () => {
  await as('postgres', 'create extension if not exists pg_cron')
  for (const table of [
    'net._http_response',
    'net.http_request_queue',
    'cron.job_run_details',
    'realtime.messages',
    'storage.objects',
  ]) {
    const name = `probe_${table.replace('.', '_')}`
    await as(
      'postgres',
      `create trigger ${name} before insert or delete on ${table} for each row execute function public.probe_row()`,
    ).catch(() => undefined)
  }
  const allowed = {
    text: "select _realtime.allowed('read', '{broadcast}', 'topic', 'authenticated', '{}', '{}')",
    values: [],
  }
  await database.db.run({
    requiredRole: 'authenticated',
    settings: { session_authorization: 'authenticator' },
    statements: [allowed],
  })
  await asProjectUser(database.db).query({ text: 'insert into net._http_response (id) values (1)', values: [] })
  await asProjectUser(database.db).query({ text: 'insert into cron.job_run_details (jobid) values (1)', values: [] })
  const found = await probes()
  expect(found.length).toBeGreaterThan(1)
  expect(found.filter((who) => !who.endsWith('/off'))).toEqual([])
})

test.each([
  "select cron.schedule_in_database('x', '* * * * *', 'select 1', 'postgres', 'supabase_admin')",
  "select cron._schedule(null, '* * * * *', 'select 1', 'postgres', 'supabase_admin', true)",
  "insert into cron.job (schedule, command, username) values ('* * * * *', 'select 1', 'supabase_admin')",
  "set cron.is_called = on; insert into cron.job (schedule, command, username) values ('* * * * *', 'select 1', 'supabase_admin')",
  "set cron.is_called = on; set session_replication_role = replica; insert into cron.job (schedule, command, username) values ('* * * * *', 'select 1', 'supabase_admin')",
  "select cron.alter_job(cron.schedule('mine', '* * * * *', 'select 1'), username => 'supabase_admin')",
  'alter table cron.job disable trigger all',
])("%s can't schedule a job for another role", async (text) => {
  await as('postgres', 'create extension if not exists pg_cron')
  await expect(as('postgres', text)).rejects.toMatchObject({ code: '42501' })
  expect(await value("(select count(*)::int from cron.job where username <> 'postgres')")).toBe(0)
})

test('the database opens no connection without a password', async () => {
  await as('postgres', 'create extension if not exists dblink')
  const folder = await value("current_setting('unix_socket_directories')")
  const port = await value("current_setting('port')")
  for (const connect of ['dblink_connect', 'dblink_connect_u'])
    await expect(
      as('postgres', `select ${connect}('host=${folder} port=${port} user=supabase_admin dbname=postgres')`),
    ).rejects.toMatchObject({ code: expect.stringMatching(/^(42501|2F003)$/) })
})
