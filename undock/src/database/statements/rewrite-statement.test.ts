import { expect, test } from 'vitest'
import { rewriteStatement } from './privileged.ts'

test.each([
  [
    'a given version',
    "create extension if not exists vector with schema extensions version '0.4'",
    'create extension if not exists vector with schema extensions',
  ],
  ['an update to a version', 'alter extension vector update to "0.5"', 'alter extension vector update'],
  [
    'any other statement',
    "select 'create event trigger', 'alter publication'",
    "select 'create event trigger', 'alter publication'",
  ],
  ['a table of the same name', 'alter table publication add a int', 'alter table publication add a int'],
  [
    'a Postgres setting',
    "alter role anon set statement_timeout = '1s'",
    "alter role anon set statement_timeout = '1s'",
  ],
])('%s', (_name, text, expected) => expect(rewriteStatement(text)).toBe(expected))

test.each([
  [
    '-- why\ncreate event trigger e on ddl_command_end when tag in (\'CREATE TABLE\', $$ALTER TABLE$$) execute function "My".f()',
    `call _undock.create_event_trigger('e', 'ddl_command_end', array['CREATE TABLE', 'ALTER TABLE']::text[], '"My"."f"()'::regprocedure)`,
  ],
  ['create publication p for all tables', `call _undock.publish_all_tables('p', null)`],
  [
    `create publication "P" for all tables with (publish = 'insert, update', publish_via_partition_root)`,
    `call _undock.publish_all_tables('P', array['publish=insert, update', 'publish_via_partition_root=true']::text[])`,
  ],
  [
    'create publication p for tables in schema a, "B", table c (x, y) where (x > 1) with (publish = insert)',
    `create publication "p" for table c (x, y) where (x > 1) with (publish = insert); call _undock.publish_schemas('p', array['a', 'B']::text[], false)`,
  ],
  [
    'alter publication p set tables in schema current_schema',
    `call _undock.publish_schemas('p', array[current_schema()::text]::text[], true)`,
  ],
  [
    `create foreign data wrapper w handler stripe_fdw_handler validator x.y options (a 'b')`,
    `call _undock.create_wrapper('w', '"stripe_fdw_handler"'::regproc, '"x"."y"'::regproc, array['a=b']::text[])`,
  ],
  [`alter extension "pg_trgm" set schema extensions`, `call _undock.move_extension('pg_trgm', 'extensions')`],
  [
    `alter role authenticator set pgrst.db_schemas = 'a, b'`,
    `call _undock.set_parameter('authenticator', null, 'pgrst.db_schemas', array['a, b']::text[])`,
  ],
  // Plain strings have no backslash escapes.
  [
    `alter role authenticator set pgrst.db_schemas = 'a\\b'`,
    `call _undock.set_parameter('authenticator', null, 'pgrst.db_schemas', array[ E'a\\\\b']::text[])`,
  ],
  [
    `alter database postgres set "app.settings.x" to E'it''s \\\\'`,
    `call _undock.set_parameter(null, 'postgres', 'app.settings.x', array[ E'it''s \\\\']::text[])`,
  ],
  [
    `do $$ begin if not exists (select from a) then create publication p for all tables; end if;
      alter event trigger e owner to postgres; raise notice 'create publication p for all tables;'; end $$`,
    `do $$ begin if not exists (select from a) then call _undock.publish_all_tables('p', null); end if;
      null; raise notice 'create publication p for all tables;'; end $$`,
  ],
  [`alter role a in database b reset c.d`, `call _undock.set_parameter('a', 'b', 'c.d', null)`],
])('rewrites %s to the call that hosted projects allow', (text, expected) =>
  expect(rewriteStatement(text)).toBe(expected),
)

test.each([
  'alter publication supabase_realtime add table a',
  'drop event trigger e',
  'create event trigger e on ddl_command_end execute function f(); alter role postgres superuser',
  'create event trigger e on ddl_command_end execute function f(1)',
  'create event trigger U&"e" on ddl_command_end execute function f()',
  'create publication p for all tables, tables in schema x',
  "alter role a set b.c = 'd' superuser",
  'alter role a set b.c from current',
  "alter role all set b.c = '1', 2 + 3",
  '/* /* */ create publication p for all tables',
])('leaves %s unchanged', (text) => expect(rewriteStatement(text)).toBe(text))
