-- None of our functions may run statements as a superuser while the project's event triggers can fire. What our own
-- event triggers would have notified, these functions notify themselves. Before PostgreSQL 17 event triggers can't be
-- turned off; there, the project's functions run with its own rights.
do $$
declare
  routine regprocedure;
begin
  perform _undock.bind_event_functions();
  -- Earlier versions left the functions that write pg_net's queue to the superuser who created the extension.
  for routine in
    select p.oid from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    join pg_catalog.pg_roles r on r.oid = p.proowner
    where p.prosecdef and r.rolsuper and n.nspname = 'net'
  loop
    execute pg_catalog.format('alter routine %s owner to supabase_functions_admin', routine);
  end loop;
  -- Earlier versions let the functions that read the vault's key find the project's functions before PostgreSQL's.
  for routine in
    select p.oid from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    join pg_catalog.pg_roles r on r.oid = p.proowner
    where r.rolname = 'undock_vault' and n.nspname = 'vault'
      and not coalesce(p.proconfig[1] ~ '^search_path=pg_catalog', false)
  loop
    execute pg_catalog.format('alter routine %s set search_path = pg_catalog, extensions, pg_temp', routine);
  end loop;
  if current_setting('server_version_num')::int < 170000 then return; end if;
  for routine in
    select p.oid from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    join pg_catalog.pg_roles r on r.oid = p.proowner
    where p.prosecdef and r.rolsuper and n.nspname in ('_undock', '_realtime')
  loop
    execute pg_catalog.format('alter routine %s set event_triggers = off', routine);
  end loop;
end
$$;
