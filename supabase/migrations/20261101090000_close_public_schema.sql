-- Nothing in `public` is reachable until a migration grants it; helpers live in `private`, which the Data API never exposes
-- Before the rest: an extension's functions are made for everyone, and would fall under the defaults below as well.
create extension if not exists vector with schema extensions;

alter default privileges for role postgres in schema public revoke all on tables from anon, authenticated, service_role;
alter default privileges for role postgres in schema public revoke all on sequences from anon, authenticated, service_role;
alter default privileges for role postgres in schema public revoke all on functions from anon, authenticated, service_role;
-- Postgres lets everyone execute a new function; only a default without a schema can take that back.
alter default privileges for role postgres revoke execute on functions from public;

create schema private;
grant usage on schema private to authenticated, service_role;

create function private.touch_updated_at() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  new.updated_at := now();
  return new;
end
$$;
