-- Changes of groups are told: in the activity, to everybody who has the library open, and to the people whose rights they change
create function private.record_group() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    perform private.record(new.library_id, 'group.created', null, jsonb_build_object('group', new.name));
  elsif tg_op = 'DELETE' then
    perform private.record(old.library_id, 'group.deleted', null, jsonb_build_object('group', old.name));
  elsif new.name <> old.name then
    perform private.record(new.library_id, 'group.renamed', null, jsonb_build_object('group', new.name, 'from', old.name));
  end if;
  return null;
end
$$;
create trigger record_group after insert or delete or update of name on public.groups
  for each row execute function private.record_group();

/* One entry a group and statement, with at most ten names. Who leaves the library or loses the group with all others is in the entry
   of that. */
create function private.record_group_members() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  perform private.record(
    g.library_id, case tg_op when 'DELETE' then 'group.member_removed' else 'group.member_added' end, null, jsonb_build_object(
      'group', g.name, 'count', count(*),
      'names', to_jsonb((array_agg(p.display_name order by p.display_name))[:10])))
  from changed c
  join public.groups g on g.id = c.group_id
  join public.members m on m.library_id = c.library_id and m.user_id = c.user_id
  join public.profiles p on p.id = c.user_id
  group by g.id;
  return null;
end
$$;
create trigger record_added after insert on public.group_members referencing new table as changed
  for each statement execute function private.record_group_members();
create trigger record_removed after delete on public.group_members referencing old table as changed
  for each statement execute function private.record_group_members();

create function private.record_group_grant() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  given public.group_grants := coalesce(new, old);
begin
  perform private.record(
    given.library_id, case tg_op when 'DELETE' then 'grant.removed' else 'grant.given' end, null, jsonb_build_object(
      'group', g.name, 'collection', (select name from public.collections where id = given.collection_id), 'role', given.role))
  from public.groups g where g.id = given.group_id;
  return null;
end
$$;
create trigger record_grant after insert or update or delete on public.group_grants
  for each row execute function private.record_group_grant();

do $$
declare
  name text;
begin
  foreach name in array array['groups', 'group_members', 'group_grants'] loop
    execute format('create trigger broadcast_added after insert on public.%I referencing new table as changed
      for each statement execute function private.broadcast_members()', name);
    execute format('create trigger broadcast_changed after update on public.%I referencing new table as changed
      for each statement execute function private.broadcast_members()', name);
    execute format('create trigger broadcast_removed after delete on public.%I referencing old table as changed
      for each statement execute function private.broadcast_members()', name);
  end loop;
end
$$;

/* Whose rights in a library have changed hears of it in their own channel, as event `access`: a guest is in no other channel. It names the
   library and whether rights may be less than before. What they may see now each client asks with its own rights. */
create function private.broadcast_access() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  person uuid;
  library uuid;
  may_be_less boolean := tg_op <> 'INSERT';
begin
  if tg_table_name = 'group_grants' then
    for person, library in
      select distinct m.user_id, c.library_id from changed c join public.group_members m on m.group_id = c.group_id
    loop
      perform realtime.send(jsonb_build_object('library_id', library, 'may_be_less', may_be_less), 'access', 'user:' || person, true);
    end loop;
  else
    for person, library in select distinct c.user_id, c.library_id from changed c loop
      perform realtime.send(jsonb_build_object('library_id', library, 'may_be_less', may_be_less), 'access', 'user:' || person, true);
    end loop;
  end if;
  return null;
end
$$;
do $$
declare
  name text;
begin
  foreach name in array array['collection_grants', 'group_members', 'group_grants'] loop
    execute format('create trigger tell_added after insert on public.%I referencing new table as changed
      for each statement execute function private.broadcast_access()', name);
    execute format('create trigger tell_changed after update on public.%I referencing new table as changed
      for each statement execute function private.broadcast_access()', name);
    execute format('create trigger tell_removed after delete on public.%I referencing old table as changed
      for each statement execute function private.broadcast_access()', name);
  end loop;
end
$$;
