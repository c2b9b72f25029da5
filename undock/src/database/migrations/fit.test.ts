import { expect, test } from 'vitest'
import { fitStatement } from './fit.ts'

test.each([
  [
    'a version that is named',
    "create extension if not exists vector with schema extensions version '0.4'",
    'create extension if not exists vector with schema extensions',
  ],
  ['an update to a version', 'alter extension vector update to "0.5"', 'alter extension vector update'],
  [
    'attributes of a collation',
    "create collation ci (provider = icu, locale = 'und-u-ks-level2-kn', deterministic = false)",
    "create collation ci (provider = icu, locale = 'und@colStrength=secondary;colNumeric=yes', deterministic = false)",
  ],
  [
    'a collation without',
    "create collation de (provider = icu, locale = 'de-DE')",
    "create collation de (provider = icu, locale = 'de-DE')",
  ],
  [
    'any other statement',
    "select 'create event trigger', 'alter publication'",
    "select 'create event trigger', 'alter publication'",
  ],
  ['a table of that name', 'alter table publication add a int', 'alter table publication add a int'],
  [
    'a setting of Postgres',
    "alter role anon set statement_timeout = '1s'",
    "alter role anon set statement_timeout = '1s'",
  ],
])('%s', (_name, text, expected) => expect(fitStatement(text)).toBe(expected))

test.each([
  '-- why\ncreate event trigger e on ddl_command_end execute function f()',
  'create publication p for all tables',
  'alter publication supabase_realtime add table a',
  'create foreign data wrapper w handler stripe_fdw_handler',
  `alter role authenticator set pgrst.db_schemas = 'a'`,
  `alter database postgres set "app.settings.x" to 'y'`,
])('%s is run as a hosted project lets it', (text) =>
  expect(fitStatement(text)).toBe(
    `do $undock$ begin perform _undock.run_privileged($privileged$${text.replace('-- why\n', '')}$privileged$); end $undock$`,
  ),
)
