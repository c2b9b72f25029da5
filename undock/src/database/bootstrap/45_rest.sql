-- What the Data API needs in the database: to be told when the schema changed. Run once as superuser on a new cluster.

-- Any DDL may change what the API's schema cache holds; temporary objects never do, and neither do rights, policies and
-- triggers. Where tables and views are all that changed, the notice names them by their oids. Functions and types change
-- nothing else when they are made, nor do functions when they are dropped. A partition changes what its parent is, so it is
-- left to be read with everything.
create or replace function extensions.pgrst_ddl_watch() returns event_trigger
language plpgsql
set search_path = ''
as $$
declare
  notice text;
begin
  select case
    when count(*) = 0 then null
    when bool_and(c.classid = 'pg_catalog.pg_class'::regclass and r.relkind <> 'p' and not r.relispartition)
      and count(*) < 200 then 'reload relations ' || string_agg(distinct c.objid::text, ',')
    when bool_and(c.command_tag in (
        'CREATE AGGREGATE', 'CREATE CAST', 'CREATE DOMAIN', 'CREATE FUNCTION', 'CREATE SCHEMA', 'CREATE TYPE'
      )) then 'reload functions'
    else 'reload schema' end
  into notice
  from pg_event_trigger_ddl_commands() c
  left join pg_catalog.pg_class r on c.classid = 'pg_catalog.pg_class'::regclass and r.oid = c.objid
  where c.schema_name is distinct from 'pg_temp' and c.command_tag not in ('GRANT', 'REVOKE', 'ALTER DEFAULT PRIVILEGES')
    and c.object_type not in ('policy', 'trigger');
  if notice is not null then
    perform pg_notify('pgrst', notice);
  end if;
end
$$;

-- What goes with a table (its row type, defaults, the view's rule) is nothing of its own. A foreign key that goes with the
-- key that it refers to belongs to a table that stays.
create or replace function extensions.pgrst_drop_watch() returns event_trigger
language plpgsql
set search_path = ''
as $$
declare
  notice text;
begin
  select case
    when count(*) = 0 then null
    when bool_and(o.classid = 'pg_catalog.pg_class'::regclass or o.object_type in ('table constraint', 'default value', 'rule')
        or o.object_type = 'type' and not o.original)
      and count(*) < 200 then 'reload relations ' || coalesce(string_agg(distinct case
        when o.classid = 'pg_catalog.pg_class'::regclass then o.objid
        when o.object_type = 'table constraint'
          then to_regclass(format('%I.%I', o.address_names[1], o.address_names[2]))::oid end::text, ','), '0')
    when bool_and(o.classid = 'pg_catalog.pg_proc'::regclass) then 'reload functions'
    else 'reload schema' end
  into notice
  from pg_event_trigger_dropped_objects() o
  where not o.is_temporary and o.object_type not in ('policy', 'trigger');
  if notice is not null then
    perform pg_notify('pgrst', notice);
  end if;
end
$$;

create event trigger pgrst_ddl_watch on ddl_command_end execute function extensions.pgrst_ddl_watch();
create event trigger pgrst_drop_watch on sql_drop execute function extensions.pgrst_drop_watch();

-- Whoever comes through the API cannot change or delete all rows of a table by leaving the filter out.
alter role authenticator set safeupdate.enabled = 'on';
