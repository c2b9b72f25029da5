import { expect, test } from 'vitest'
import { findHostedRefusals } from './hosted-refusals.ts'

const reasonsOf = (text: string, major = 17): string[] =>
  findHostedRefusals([{ path: 'supabase/migrations/1_a.sql', text }], major).map(
    ({ line, reason }) => `${line}: ${reason}`,
  )

test('finds changes to the platform’s schemas, with their lines', () => {
  expect(
    reasonsOf(`-- what hosted refuses
alter table storage.objects enable row level security;
create table if not exists "auth"."notes" (id int);
CREATE OR REPLACE FUNCTION auth.tenant() returns text language sql as $$ select 1; $$;
create unique index concurrently on auth.users (email);
create index by_name on storage.objects (name);
drop table realtime.messages;`),
  ).toEqual([
    '2: the table storage.objects belongs to the platform, and only its owner can alter it',
    '3: hosted projects refuse to create a table in the schema auth',
    '4: hosted projects refuse to create a function in the schema auth',
    '5: the table auth.users belongs to the platform, and only its owner can create an index on it',
    '6: the table storage.objects belongs to the platform, and only its owner can create an index on it',
    '7: the table realtime.messages belongs to the platform, and only its owner can drop it',
  ])
})

test('ignores statements that hosted projects allow', () => {
  expect(
    reasonsOf(`create policy own on storage.objects for select using (true);
create trigger on_user after insert on auth.users for each row execute function public.on_user();
create table public.auth (id int references auth.users);
create function public.f() returns void language sql as $$ alter table auth.users add column x int $$;
insert into storage.buckets (id, name) values ('a', 'a');
create extension if not exists "uuid-ossp"; create extension vector with schema extensions;`),
  ).toEqual([])
})

test('knows the extensions of the project’s PostgreSQL version', () => {
  expect(reasonsOf('create extension pg_uuidv7')).toEqual(['1: hosted projects do not have the extension pg_uuidv7'])
  expect(reasonsOf('create extension plv8')).toEqual([
    '1: hosted projects have the extension plv8 up to PostgreSQL 15 only',
  ])
  expect(reasonsOf('create extension plv8', 15)).toEqual([])
})
