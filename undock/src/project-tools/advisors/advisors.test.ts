import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { type Finding, LINTS, type Read, readAdvisors } from './index.ts'

let database: TestDatabase
let found: Finding[]
const read: Read = async (text, values) => (await database.db.query({ text, values })).rows as Record<string, unknown>[]

/** For each lint, the objects it finds by name, next to correct ones. */
const OFFENDERS: Readonly<
  Record<string, { readonly script: string; readonly finds: readonly string[]; readonly passes: string }>
> = {
  policy_exists_rls_disabled: {
    script: `create table app.off (id int primary key); create policy p on app.off using (false);
      create table app.on_ (id int primary key); create policy p on app.on_ using (false);
      alter table app.on_ enable row level security;`,
    finds: ['off'],
    passes: 'on_',
  },
  rls_enabled_no_policy: {
    script: `create table app.closed (id int primary key); alter table app.closed enable row level security;`,
    finds: ['closed'],
    passes: 'on_',
  },
  rls_disabled_in_public: {
    script: `create table public.open (id int primary key); grant select on public.open to anon;
      create table public.ungranted (id int primary key); revoke all on public.ungranted from anon, authenticated;`,
    finds: ['open'],
    passes: 'ungranted',
  },
  rls_references_user_metadata: {
    script: `create policy meta on app.on_ for select using ((select auth.jwt()) -> 'user_metadata' ->> 'x' = 'y' and false);
      create table app.by_app_metadata (id int primary key); alter table app.by_app_metadata enable row level security;
      create policy m on app.by_app_metadata for select using ((select auth.jwt()) -> 'app_metadata' ->> 'x' = 'y');`,
    finds: ['on_'],
    passes: 'by_app_metadata',
  },
  sensitive_columns_exposed: {
    script: `create table public.logins (id int primary key, "Api-Key" text, password text, note text); grant select on public.logins to anon;
      create table public.logins_safe (id int primary key, password text); grant select on public.logins_safe to anon;
      alter table public.logins_safe enable row level security; create policy p on public.logins_safe for select using (false);`,
    finds: ['logins'],
    passes: 'logins_safe',
  },
  rls_policy_always_true: {
    script: `create table app.loose (id int primary key); alter table app.loose enable row level security;
      create policy loose on app.loose for insert to authenticated with check ( 1 = 1 );
      create table app.readable (id int primary key); alter table app.readable enable row level security;
      create policy p on app.readable for select using (true);`,
    finds: ['loose'],
    passes: 'readable',
  },
  auth_users_exposed: {
    script: `create view public.people as select id, email from auth.users; grant select on public.people to anon;
      create view public.people_invoker with (security_invoker = on) as select id from auth.users; grant select on public.people_invoker to anon;`,
    finds: ['people'],
    passes: 'people_invoker',
  },
  security_definer_view: {
    script: `create view public.definer as select 1 as one; grant select on public.definer to anon;
      create view public.invoker with (security_invoker = yes) as select 1 as one; grant select on public.invoker to anon;`,
    finds: ['definer', 'people'],
    passes: 'invoker',
  },
  materialized_view_in_api: {
    script: `create materialized view public.shown as select 1 as one; grant select on public.shown to authenticated;
      create materialized view app.hidden as select 1 as one; grant select on app.hidden to authenticated;`,
    finds: ['shown'],
    passes: 'hidden',
  },
  foreign_table_in_api: {
    script: `create foreign data wrapper nothing; create server nowhere foreign data wrapper nothing;
      create foreign table public.far (id int) server nowhere; grant select on public.far to anon;
      create foreign table public.far_hidden (id int) server nowhere; revoke all on public.far_hidden from anon, authenticated;`,
    finds: ['far'],
    passes: 'far_hidden',
  },
  insecure_queue_exposed_in_api: {
    script: `create schema if not exists pgmq; create table pgmq.q_open (id int); grant select on pgmq.q_open to anon;
      create table pgmq.q_closed (id int); grant select on pgmq.q_closed to anon; alter table pgmq.q_closed enable row level security;`,
    finds: ['q_open'],
    passes: 'q_closed',
  },
  public_bucket_allows_listing: {
    script: `insert into storage.buckets (id, name, public) values ('it''s', 'it''s', true), ('private', 'private', false), ('closed', 'closed', true);
      create policy listing on storage.objects for select to anon using (bucket_id = 'it''s');
      create policy own on storage.objects for select to authenticated using (bucket_id = 'closed' and owner = (select auth.uid()));
      create policy inside on storage.objects for select to anon using (bucket_id = 'private');`,
    finds: ["it's"],
    passes: 'closed',
  },
  pg_graphql_anon_table_exposed: {
    script: `create extension if not exists pg_graphql; create table app.graph (id int primary key, secret_note text); grant select (id) on app.graph to anon;`,
    finds: ['graph'],
    passes: 'loose',
  },
  pg_graphql_authenticated_table_exposed: {
    script: `create table app.graph_members (id int primary key); grant select on app.graph_members to authenticated;`,
    finds: ['graph_members'],
    passes: 'graph',
  },
  anon_security_definer_function_executable: {
    script: `create function public.anyone(x int) returns int language sql security definer set search_path = '' return x;
      create function public.caller_rights(x int) returns int language sql set search_path = '' return x;`,
    finds: ['anyone'],
    passes: 'caller_rights',
  },
  authenticated_security_definer_function_executable: {
    script: `create function public.members() returns int language sql security definer set search_path = '' return 1;
      revoke execute on function public.members from public, anon; grant execute on function public.members to authenticated;`,
    finds: ['members'],
    passes: 'caller_rights',
  },
  function_search_path_mutable: {
    script: `create function app.loose_path() returns int language sql return 1;`,
    finds: ['loose_path'],
    passes: 'caller_rights',
  },
  extension_in_public: {
    script: `create extension if not exists citext with schema public version '1.4'; create extension if not exists hstore with schema extensions;`,
    finds: ['citext'],
    passes: 'hstore',
  },
  extension_versions_outdated: { script: '', finds: ['citext'], passes: 'hstore' },
  unsupported_reg_types: {
    script: `create table app.regs (id int primary key, handler regproc); create table app.regs_fine (id int primary key, handler regclass);`,
    finds: ['regs'],
    passes: 'regs_fine',
  },
  fkey_to_auth_unique: {
    script: `create table app.by_phone (id int primary key, phone text references auth.users (phone));
      create table app.by_id (id uuid primary key references auth.users (id));`,
    finds: ['by_phone'],
    passes: 'by_id',
  },
  unindexed_foreign_keys: {
    script: `create table app.child (id int primary key, a int, b int, foreign key (b) references app.off (id));
      create table app.child_indexed (id int primary key, b int references app.off (id)); create unique index on app.child_indexed (b, id);`,
    finds: ['child'],
    passes: 'child_indexed',
  },
  auth_rls_initplan: {
    script: `create table app.per_row (id uuid primary key); alter table app.per_row enable row level security;
      create policy mine on app.per_row using (id = auth.uid() and current_setting('a.b', true) = 'x') with check (id = (select auth.uid()));
      create table app.per_statement (id uuid primary key); alter table app.per_statement enable row level security;
      create policy mine on app.per_statement using (id = (select auth.uid()));`,
    finds: ['per_row'],
    passes: 'per_statement',
  },
  no_primary_key: {
    script: `create table app.heap (id int unique);`,
    finds: ['heap', 'bloated'],
    passes: 'child',
  },
  unused_index: {
    script: `create table app.searched (id int primary key, word text); create index on app.searched (word);`,
    finds: ['searched', 'doubled'],
    passes: 'heap',
  },
  multiple_permissive_policies: {
    script: `create table app.twice (id int primary key); alter table app.twice enable row level security;
      create policy a on app.twice for select to anon using (id = 1); create policy b on app.twice to anon using (id = 2);
      create policy c on app.twice as restrictive for insert to anon with check (id = 2);`,
    finds: ['twice', 'on_'],
    passes: 'loose',
  },
  duplicate_index: {
    script: `create table app.doubled (id int primary key, word text); create index one on app.doubled (word); create index two on app.doubled (word);`,
    finds: ['doubled'],
    passes: 'searched',
  },
  table_bloat: {
    script: `create table app.bloated with (autovacuum_enabled = off) as select i, repeat('x', 250) as text from generate_series(1, 120000) i;
      delete from app.bloated where i > 100; analyze app.bloated;`,
    finds: ['bloated'],
    passes: 'heap',
  },
}

beforeAll(async () => {
  database = await openTestDatabase('create schema app; grant usage on schema app to anon, authenticated;')
  for (const { script } of Object.values(OFFENDERS)) if (script) await database.db.exec(script)
  found = await readAdvisors(read, ['public', 'pgmq_public'])
}, 120_000)
afterAll(() => database.close())

const names = (lint: string): string[] => found.filter(({ name }) => name === lint).map(({ metadata }) => metadata.name)

test('the test database violates every lint', () => {
  expect(Object.keys(OFFENDERS).toSorted()).toEqual(LINTS.map(({ name }) => name).toSorted())
})

test.each(Object.entries(OFFENDERS))('%s finds the violation and nothing else', (lint, { finds, passes }) => {
  expect(names(lint)).toEqual(expect.arrayContaining([...finds]))
  expect(names(lint)).not.toContain(passes)
})

test("a finding has the Supabase CLI's shape and a sentence", () => {
  expect(found.find(({ name }) => name === 'rls_disabled_in_public')).toEqual({
    name: 'rls_disabled_in_public',
    title: 'Exposed table without row security',
    level: 'ERROR',
    facing: 'EXTERNAL',
    categories: ['SECURITY'],
    description: expect.stringMatching(/\.$/),
    detail: expect.stringMatching(/^The table public\.\w+ is exposed, and its row security is off\.$/),
    remediation: 'https://supabase.com/docs/guides/database/database-linter?lint=0013_rls_disabled_in_public',
    metadata: { schema: 'public', name: expect.any(String), type: 'table' },
    cache_key: expect.stringMatching(/^rls_disabled_in_public_public_/),
    fix: expect.stringMatching(/^alter table public\.\w+ enable row level security;$/),
  })
  expect(found.map(({ level }) => level)).toEqual(found.map(({ level }) => level).toSorted((a, b) => rank(b) - rank(a)))
  for (const { detail } of found) expect(detail).toMatch(/\.$/)
})
const rank = (level: string): number => ['INFO', 'WARN', 'ERROR'].indexOf(level)

test('lists each finding once', () => {
  const keys = found.map(({ cache_key }) => cache_key)
  expect(keys).toEqual([...new Set(keys)])
})

test('filters by category', async () => {
  const performance = await readAdvisors(read, ['public'], 'PERFORMANCE')
  expect(performance.length).toBeGreaterThan(0)
  expect(performance.every(({ categories }) => categories.includes('PERFORMANCE'))).toBe(true)
})

describe('the suggested SQL', () => {
  test('runs and resolves the finding', async () => {
    // An index that was dropped as a duplicate can't be dropped as unused, too.
    const fixes = found.filter(({ fix, cache_key }) => fix && cache_key !== 'unused_index_app_doubled_two')
    const failed: string[] = []
    for (const { fix, cache_key } of fixes)
      await database.db.exec(fix ?? '').catch((error: Error) => failed.push(`${cache_key}: ${error.message}`))
    expect(failed).toEqual([])
    const after = new Set((await readAdvisors(read, ['public', 'pgmq_public'])).map(({ cache_key }) => cache_key))
    expect(fixes.map(({ cache_key }) => cache_key).filter((key) => after.has(key))).toEqual([])
  })
})
