
-- These functions run as their owner, a superuser. A search path without pg_temp searches it first for types, which
-- would let anyone who runs DDL shadow our types with temporary ones.

-- Notifies which tables and views changed (by oid), and whether functions or types did; large changes reload the whole
-- schema cache. The arguments are null when they aggregate no rows.
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

-- Everything whose description contains the name or the values of a type, function or sequence, also through domains
-- and arrays: relations that use it in columns or defaults, and whether a function does.
create or replace function extensions.pgrst_dependents(class oid, object oid, out relation oid, out is_function boolean)
returns setof record
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
  select objid, false from dependents where classid = 'pg_catalog.pg_class'::regclass
  union
  select a.adrelid, false from dependents d join pg_catalog.pg_attrdef a on a.oid = d.objid
  where d.classid = 'pg_catalog.pg_attrdef'::regclass
  union
  select null, true from dependents where classid = 'pg_catalog.pg_proc'::regclass
$$;

-- Event triggers run as their owner, so roles that run DDL don't need EXECUTE.
revoke execute on function extensions.pgrst_tell, extensions.pgrst_dependents from public;

-- Any DDL may change the schema cache, except on temporary objects, rights, policies and triggers. An altered object
-- may have a new name, which also appears in everything that uses its row type or sequence. Creating a partition
-- changes nothing else; altering partitions reloads the whole cache.
create or replace function extensions.pgrst_ddl_watch() returns event_trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  -- Half of a migration's statements have these tags; skip the catalog lookup.
  if tg_tag in (
    'GRANT', 'REVOKE', 'ALTER DEFAULT PRIVILEGES', 'CREATE POLICY', 'ALTER POLICY', 'CREATE TRIGGER', 'ALTER TRIGGER'
  ) then
    return;
  end if;
  perform extensions.pgrst_tell(
    array_agg(distinct found.relation) filter (where found.relation is not null),
    bool_or(changed.kind = 'function' or found.is_function),
    bool_or(changed.kind = 'other')
  )
  from (
    select c.classid, c.objid, c.command_tag like 'ALTER %' as is_altered, r.relkind, r.reltype, case
      when c.classid = 'pg_catalog.pg_class'::regclass
        and (c.command_tag like 'CREATE %' or r.relkind <> 'p' and not r.relispartition) then 'relation'
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
    select changed.objid as relation, false as is_function where changed.kind = 'relation'
    union all
    select d.relation, d.is_function
    from (values
      (changed.classid, changed.objid, changed.kind = 'function' or changed.relkind = 'S'),
      ('pg_catalog.pg_type'::regclass, changed.reltype, changed.reltype <> 0)
    ) named(class, object, is_wanted)
    cross join extensions.pgrst_dependents(named.class, named.object) d
    where changed.is_altered and named.is_wanted
    union all
    select o.refobjid, false from pg_catalog.pg_depend o
    where changed.is_altered and changed.relkind = 'S' and o.classid = 'pg_catalog.pg_class'::regclass
      and o.objid = changed.objid and o.refclassid = 'pg_catalog.pg_class'::regclass and o.deptype = 'i'
  ) found on true;
end
$$;

-- Objects that are dropped with a table (row type, defaults, a view's rule) are covered by the table. A foreign key
-- that is dropped with the key it references belongs to a table that stays.
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
-- Fire even if the project sets session_replication_role to replica.
alter event trigger pgrst_ddl_watch enable always;
alter event trigger pgrst_drop_watch enable always;

-- Rejects API requests that would change or delete a whole table by omitting the filter.
alter role authenticator set safeupdate.enabled = 'on';
