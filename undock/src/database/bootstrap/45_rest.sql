-- What the Data API needs in the database: to be told when the schema changed. Run once as superuser on a new cluster.

-- What follows runs as its owner, a superuser. A search path that does not name pg_temp looks there first for types, so that
-- whoever runs DDL could put one of their own in the place of ours.

-- Tells what changed where that is little: tables and views by their oids, functions and types together. Anything else is read
-- anew. Of no rows the arguments are null.
create or replace function extensions.pgrst_tell(relations oid[], functions boolean, others boolean) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  if others or cardinality(relations) >= 200 then
    perform pg_notify('pgrst', 'reload schema');
    return;
  end if;
  if cardinality(relations) > 0 then
    perform pg_notify('pgrst', 'reload relations ' || array_to_string(relations, ','));
  end if;
  if functions then
    perform pg_notify('pgrst', 'reload functions');
  end if;
end
$$;

-- Relations whose columns or defaults are described by the name or the values of a type or function, also by way of
-- domains and arrays.
create or replace function extensions.pgrst_described_by(class oid, object oid) returns setof oid
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  with recursive dependents(classid, objid) as (
    select class, object
    union
    select p.classid, p.objid
    from dependents d join pg_catalog.pg_depend p on p.refclassid = d.classid and p.refobjid = d.objid
    where d.classid = 'pg_catalog.pg_type'::regclass or d.classid = class and d.objid = object
  )
  select objid from dependents where classid = 'pg_catalog.pg_class'::regclass
  union
  select a.adrelid from dependents d join pg_catalog.pg_attrdef a on a.oid = d.objid
  where d.classid = 'pg_catalog.pg_attrdef'::regclass
$$;

-- The watches run as their owner: whoever runs DDL need not be able to call these.
revoke execute on function extensions.pgrst_tell, extensions.pgrst_described_by from public;

-- Any DDL may change what the API's schema cache holds; temporary objects never do, and neither do rights, policies and
-- triggers. A partition changes what its parent is, so it is left to be read with everything.
create or replace function extensions.pgrst_ddl_watch() returns event_trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform extensions.pgrst_tell(
    array_agg(distinct found.relation) filter (where found.relation is not null),
    bool_or(changed.kind = 'function'),
    bool_or(changed.kind = 'other')
  )
  from (
    select c.classid, c.objid, c.command_tag, case
      when c.classid = 'pg_catalog.pg_class'::regclass and r.relkind <> 'p' and not r.relispartition then 'relation'
      when c.command_tag in (
        'CREATE AGGREGATE', 'CREATE CAST', 'CREATE DOMAIN', 'CREATE FUNCTION', 'CREATE SCHEMA', 'CREATE TYPE',
        'ALTER AGGREGATE', 'ALTER DOMAIN', 'ALTER FUNCTION', 'ALTER TYPE'
      ) then 'function'
      else 'other' end as kind
    from pg_event_trigger_ddl_commands() c
    left join pg_catalog.pg_class r on c.classid = 'pg_catalog.pg_class'::regclass and r.oid = c.objid
    where c.schema_name is distinct from 'pg_temp' and c.command_tag not in ('GRANT', 'REVOKE', 'ALTER DEFAULT PRIVILEGES')
      and c.object_type not in ('policy', 'trigger')
  ) changed
  left join lateral (
    select changed.objid where changed.kind = 'relation'
    union all
    select extensions.pgrst_described_by(changed.classid, changed.objid)
    where changed.kind = 'function' and changed.command_tag like 'ALTER %'
  ) found(relation) on true;
end
$$;

-- What goes with a table (its row type, defaults, the view's rule) is nothing of its own. A foreign key that goes with the
-- key that it refers to belongs to a table that stays.
create or replace function extensions.pgrst_drop_watch() returns event_trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform extensions.pgrst_tell(
    array_agg(distinct dropped.relation) filter (where dropped.relation is not null),
    bool_or(dropped.kind = 'function'),
    bool_or(dropped.kind = 'other')
  )
  from (
    select case
      when o.classid = 'pg_catalog.pg_class'::regclass then o.objid
      when o.object_type in ('table constraint', 'default value')
        then to_regclass(format('%I.%I', o.address_names[1], o.address_names[2]))::oid end as relation,
      case
      when o.classid = 'pg_catalog.pg_class'::regclass or o.object_type in ('table constraint', 'default value', 'rule')
        or o.object_type = 'type' and not o.original then 'relation'
      when o.classid = 'pg_catalog.pg_proc'::regclass or o.object_type in ('type', 'domain constraint', 'cast') then 'function'
      else 'other' end as kind
    from pg_event_trigger_dropped_objects() o
    where not o.is_temporary and o.object_type not in ('policy', 'trigger')
  ) dropped;
end
$$;

create event trigger pgrst_ddl_watch on ddl_command_end execute function extensions.pgrst_ddl_watch();
create event trigger pgrst_drop_watch on sql_drop execute function extensions.pgrst_drop_watch();

-- Whoever comes through the API cannot change or delete all rows of a table by leaving the filter out.
alter role authenticator set safeupdate.enabled = 'on';
