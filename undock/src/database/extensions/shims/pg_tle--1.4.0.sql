-- pg_tle's functions by name. Extensions stored in tables need a hook in `create extension`, which the engine lacks:
-- installing one reports that. Facts: aws/pg_tle, pg_tle--1.4.0.sql.

do $$
begin
  if to_regrole('pgtle_admin') is null then create role pgtle_admin; end if;
end
$$;

create function pgtle._cannot() returns boolean language plpgsql as $$
begin
  raise exception 'pg_tle cannot run in undock: the engine takes extensions from files only' using
    errcode = '0A000',
    hint = 'Put the extension''s SQL into a migration of its own.';
end
$$;
create function pgtle.install_extension(
  name text, version text, description text, ext text, requires text[] default null, schema text default null
) returns boolean language sql as 'select pgtle._cannot()';
create function pgtle.install_extension_version_sql(name text, version text, ext text) returns boolean
language sql as 'select pgtle._cannot()';
create function pgtle.install_update_path(name text, fromvers text, tovers text, ext text) returns boolean
language sql as 'select pgtle._cannot()';
create function pgtle.set_default_version(name text, version text) returns boolean language sql as 'select pgtle._cannot()';
create function pgtle.uninstall_extension(extname text) returns boolean language sql as 'select pgtle._cannot()';
create function pgtle.uninstall_extension(extname text, version text) returns boolean
language sql as 'select pgtle._cannot()';
create function pgtle.uninstall_extension_if_exists(extname text) returns boolean language sql as 'select false';
create function pgtle.available_extensions(out name name, out default_version text, out comment text)
returns setof record language sql as $$ select null::name, null::text, null::text where false $$;
create function pgtle.available_extension_versions(
  out name name, out version text, out superuser boolean, out trusted boolean, out relocatable boolean,
  out schema name, out requires name[], out comment text
) returns setof record language sql as $$
  select null::name, null::text, null::boolean, null::boolean, null::boolean, null::name, null::name[], null::text
  where false
$$;

grant usage on schema pgtle to public;
grant pgtle_admin to postgres;
