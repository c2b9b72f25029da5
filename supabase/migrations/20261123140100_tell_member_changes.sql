-- Who belongs to a library, who is invited and what guests may see: its channel tells that it has changed, as event `members`.
-- What has changed each client asks with its own rights.
create function private.broadcast_members() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  library uuid;
begin
  for library in select distinct library_id from changed loop
    perform realtime.send('{}', 'members', 'library:' || library, true);
  end loop;
  return null;
end
$$;

do $$
declare
  name text;
begin
  foreach name in array array['members', 'invitations', 'collection_grants'] loop
    execute format('create trigger broadcast_added after insert on public.%I referencing new table as changed
      for each statement execute function private.broadcast_members()', name);
    execute format('create trigger broadcast_changed after update on public.%I referencing new table as changed
      for each statement execute function private.broadcast_members()', name);
    execute format('create trigger broadcast_removed after delete on public.%I referencing old table as changed
      for each statement execute function private.broadcast_members()', name);
  end loop;
end
$$;
