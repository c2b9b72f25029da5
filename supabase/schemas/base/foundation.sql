-- Users reach nothing in `public` until a file here grants it. Helpers are in `private`, which the Data API never exposes.

-- Function bodies refer to tables and functions in later files, so they aren't checked while loading (events/schedule.sql ends that).
set check_function_bodies = off;

-- The app doesn't use GraphQL, whose schema would list every table and column to each signed-in user.
drop extension if exists pg_graphql;

-- First, because the default privileges below would also apply to the extensions' functions.
create extension if not exists vector with schema extensions;
create extension if not exists fuzzystrmatch with schema extensions;
create extension if not exists pg_trgm with schema extensions;

alter default privileges for role postgres in schema public revoke all on tables from anon, authenticated;
alter default privileges for role postgres in schema public grant all on tables to service_role;
alter default privileges for role postgres in schema public revoke all on sequences from anon, authenticated, service_role;
alter default privileges for role postgres in schema public revoke all on functions from anon, authenticated, service_role;

-- Postgres grants execute on new functions to everyone; only a default without a schema can revoke that.
alter default privileges for role postgres revoke execute on functions from public;

/* The role of the function `api` after private.enter_api_key(). No token can name it, and it reaches only what is granted explicitly. */
do $$
begin
  create role api_key nologin noinherit;
exception when duplicate_object then
  null; -- Roles are shared by all databases of the server.
end
$$;
grant api_key to postgres;

create schema private;
grant usage on schema private to authenticated, service_role;
-- Edge functions call `public` functions as the service role, so definers are only needed to give people more than their own rights.
alter default privileges for role postgres in schema private grant all on tables to service_role;
alter default privileges for role postgres in schema private grant all on sequences to service_role;
alter default privileges for role postgres in schema private grant execute on functions to service_role;

-- The caller's id. The role `api_key` can't have the schema `auth`, which contains auth.uid().
create function private.caller_id() returns uuid
  language sql stable set search_path = ''
  return auth.uid();
grant execute on function private.caller_id to authenticated, api_key;

-- The caller's session, one per sign-in.
create function private.session_id() returns uuid
  language sql stable set search_path = ''
as $$ select ((select auth.jwt()) ->> 'session_id')::uuid $$;

create function private.touch_updated_at() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  new.updated_at := now();
  return new;
end
$$;
