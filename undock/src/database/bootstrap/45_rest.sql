-- What the Data API needs in the database: to be told when the schema changed. Run once as superuser on a new cluster.

-- Any DDL may change what the API's schema cache holds; temporary objects never do.
create or replace function extensions.pgrst_ddl_watch() returns event_trigger
language plpgsql
set search_path = ''
as $$
begin
  if exists (
    select from pg_event_trigger_ddl_commands() c where c.schema_name is distinct from 'pg_temp'
  ) then
    notify pgrst, 'reload schema';
  end if;
end
$$;

create or replace function extensions.pgrst_drop_watch() returns event_trigger
language plpgsql
set search_path = ''
as $$
begin
  if exists (select from pg_event_trigger_dropped_objects() o where not o.is_temporary) then
    notify pgrst, 'reload schema';
  end if;
end
$$;

create event trigger pgrst_ddl_watch on ddl_command_end execute function extensions.pgrst_ddl_watch();
create event trigger pgrst_drop_watch on sql_drop execute function extensions.pgrst_drop_watch();

-- Whoever comes through the API cannot change or delete all rows of a table by leaving the filter out.
alter role authenticator set safeupdate.enabled = 'on';
