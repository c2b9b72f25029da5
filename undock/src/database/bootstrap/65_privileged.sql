-- What the extension supautils does on a hosted project: `postgres` may run some statements as a superuser would.
-- Which ones is decided where they are read; here is who may.

create schema _undock;
grant usage on schema _undock to postgres;

-- The search path is the caller's: names in the statement are meant as the caller sees them.
create function _undock.run_privileged(statement text) returns void language plpgsql security definer as $$
begin
  execute statement;
  if statement ~* '^create\s+foreign\s+data\s+wrapper' then
    execute format(
      'grant usage on foreign data wrapper %I to postgres with grant option',
      (select fdwname from pg_catalog.pg_foreign_data_wrapper order by oid desc limit 1)
    );
  end if;
end
$$;
revoke all on function _undock.run_privileged(text) from public;
grant execute on function _undock.run_privileged(text) to postgres;

-- An extension's foreign data wrappers belong to a superuser; the project makes servers with them.
create function _undock.grant_wrappers() returns event_trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  name text;
begin
  for name in
    select w.fdwname from pg_event_trigger_ddl_commands() c
    join pg_depend d on d.refclassid = 'pg_extension'::regclass and d.refobjid = c.objid and d.deptype = 'e'
    join pg_foreign_data_wrapper w on d.classid = 'pg_foreign_data_wrapper'::regclass and d.objid = w.oid
    where c.classid = 'pg_extension'::regclass
  loop
    execute format('grant usage on foreign data wrapper %I to postgres with grant option', name);
  end loop;
end
$$;
create event trigger grant_wrappers on ddl_command_end when tag in ('CREATE EXTENSION')
  execute function _undock.grant_wrappers();

-- What an extension brings belongs to a superuser, who made it in the project's stead; to move an extension to another
-- schema Postgres asks for the rights to all of it. Those that can be moved go to whoever created them.
create function _undock.give_members() returns event_trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  given text;
begin
  for given in
    select format('alter %s %s owner to %I', member.type, member.identity, r.rolname)
    from pg_event_trigger_ddl_commands() c
    join pg_extension x on x.oid = c.objid and x.extrelocatable
    join pg_roles r on r.oid = x.extowner and not r.rolsuper
    join pg_depend d on d.refclassid = 'pg_extension'::regclass and d.refobjid = x.oid and d.deptype = 'e'
    cross join pg_identify_object(d.classid, d.objid, 0) member
    where c.classid = 'pg_extension'::regclass
      and member.type in ('function', 'aggregate', 'type', 'domain', 'operator', 'operator class', 'operator family', 'table',
        'view', 'sequence', 'text search dictionary', 'text search configuration')
      -- An array's type goes with its elements', a row's with its table or view.
      and member.identity not like '%[]'
      and not exists (
        select from pg_type t join pg_class k on k.oid = t.typrelid
        where d.classid = 'pg_type'::regclass and t.oid = d.objid and k.relkind <> 'c'
      )
      -- Who may read what such a function reads is not for the project to say.
      and not exists (select from pg_proc p where d.classid = 'pg_proc'::regclass and p.oid = d.objid and p.prosecdef)
  loop
    execute given;
  end loop;
end
$$;
create event trigger give_members on ddl_command_end when tag in ('CREATE EXTENSION')
  execute function _undock.give_members();

-- A collation of the system that this one has not, as a copy of the nearest that it has.
create function _undock.provide_collation(name text, nearest text) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if exists (select from pg_collation c where c.collname = name) then return false; end if;
  -- Only names that a system would have: the project's own are its own to create.
  if name !~ '(-x-icu$)|^[a-z]{2,3}_[A-Z]{2}(\.[A-Za-z0-9-]+)?$' then return false; end if;
  execute format('create collation pg_catalog.%I from %I', name, nearest);
  return true;
end
$$;
revoke all on function _undock.provide_collation(text, text) from public;
grant execute on function _undock.provide_collation(text, text) to postgres;

-- Dumps of older projects have the extension put into a schema that was there.
create schema pgsodium;
