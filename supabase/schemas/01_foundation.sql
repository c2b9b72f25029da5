-- Nothing in `public` is reachable until a file here grants it; helpers live in `private`, which the Data API never exposes.

-- Functions name tables and functions of later files, so their bodies are not checked while the files load (29_schedule ends it).
set check_function_bodies = off;

-- Before the rest: an extension's functions are made for everyone, and would fall under the defaults below as well.
create extension if not exists vector with schema extensions;
create extension if not exists fuzzystrmatch with schema extensions;
create extension if not exists pg_trgm with schema extensions;

alter default privileges for role postgres in schema public revoke all on tables from anon, authenticated, service_role;
alter default privileges for role postgres in schema public revoke all on sequences from anon, authenticated, service_role;
alter default privileges for role postgres in schema public revoke all on functions from anon, authenticated, service_role;

-- Postgres lets everyone execute a new function; only a default without a schema can take that back.
alter default privileges for role postgres revoke execute on functions from public;

/* The function `api` takes this role for each request, after private.enter_api_key() has said whose request it is. Nobody has it by a
   token: the Data API cannot take it. What is not granted to it here, of tables and functions to come as well, is out of its reach. */
do $$
begin
  create role api_key nologin noinherit;
exception when duplicate_object then
  null; -- A role belongs to the whole server, which may have other databases with these migrations.
end
$$;
grant api_key to postgres;

create schema private;
grant usage on schema private to authenticated, service_role;
-- The service role is the project itself: its edge functions call functions of `public` that read and write what is here, with their own
-- rights. So a function needs the rights of its owner only for what people may not do.
alter default privileges for role postgres in schema private grant all on tables to service_role;
alter default privileges for role postgres in schema private grant all on sequences to service_role;
alter default privileges for role postgres in schema private grant execute on functions to service_role;

-- Who asks. For functions that the role `api_key` runs: it cannot be given the schema `auth`, which auth.uid() is in.
create function private.caller_id() returns uuid
  language sql stable set search_path = ''
  return auth.uid();
grant execute on function private.caller_id to authenticated, api_key;

-- The caller's browser: whoever signs in gets a session.
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
