-- Realtime asks its policies when a channel is joined and when a token is renewed, so whoever loses a right stays in the channels that
-- they have joined. The topics of a library's channels therefore end with a number that rises whenever somebody may have lost a right:
-- nobody speaks in the old channels any more, and the new ones are joined with the rights of now.
create table public.library_channels (
  library_id uuid primary key references public.libraries on delete cascade,
  epoch bigint not null default 1,
  -- The transaction that has raised the number: once is enough for all that it changes.
  renewed_in xid8
);
alter table public.library_channels enable row level security;
grant select (library_id, epoch) on public.library_channels to authenticated;
grant all on public.library_channels to service_role;
create policy "members and guests see the channels of their libraries" on public.library_channels for select to authenticated
  using (library_id in (select private.library_ids('guest')));

insert into public.library_channels (library_id) select id from public.libraries;
create function private.open_channels() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  insert into public.library_channels (library_id) values (new.id);
  return null;
end
$$;
create trigger open_channels after insert on public.libraries for each row execute function private.open_channels();

/* The topic in which a library's changes are told now. */
create function private.library_topic(library uuid) returns text
  language sql stable security definer set search_path = ''
as $$ select format('library:%s:%s', c.library_id, c.epoch) from public.library_channels c where c.library_id = library $$;

/* Null for a topic that is no library's, or no longer, so that a policy compares it with nothing. */
create or replace function private.library_of_topic(topic text) returns uuid
  language sql stable strict security definer set search_path = ''
as $$
  select c.library_id from public.library_channels c
  where c.library_id = substring(topic from '^library:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}):')::uuid
    and topic = format('library:%s:%s', c.library_id, c.epoch)
$$;
create or replace function private.can_write_note(topic text) returns boolean
  language plpgsql stable security definer set search_path = ''
as $$
declare
  note constant uuid := substring(topic from '^note:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}):')::uuid;
begin
  if note is null then return false; end if;
  return topic = (
    select format('note:%s:%s', note, c.epoch) from public.library_channels c
    where c.library_id = (private.note_to_write(note)).library_id);
exception when insufficient_privilege then
  return false;
end
$$;

-- What a library's channel tells comes from the database: people only say where they are.
drop policy "members speak in their libraries" on realtime.messages;
create policy "members say where they are" on realtime.messages for insert to authenticated
  with check (
    realtime.messages.extension = 'presence'
    and private.library_of_topic((select realtime.topic())) in (select private.library_ids())
  );

/* Ends the channels of a library. Who is in one hears of it there, as event `members`, and guests, who are in none, in their own, as
   event `access`; each client then asks for the number with its own rights. */
create function private.renew_channels(library uuid) returns void
  language plpgsql security definer set search_path = ''
as $$
declare
  former constant text := private.library_topic(library);
  guest uuid;
begin
  update public.library_channels c set epoch = c.epoch + 1, renewed_in = pg_current_xact_id()
    where c.library_id = library and c.renewed_in is distinct from pg_current_xact_id();
  if not found then return; end if;
  perform realtime.send('{}', 'members', former, true);
  for guest in select m.user_id from public.members m where m.library_id = library and m.role = 'guest' loop
    perform realtime.send(jsonb_build_object('library_id', library, 'may_be_less', false), 'access', 'user:' || guest, true);
  end loop;
end
$$;

create function private.renew_channels_after_change() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  perform private.renew_channels((to_jsonb(old) ->> case tg_table_name when 'libraries' then 'id' else 'library_id' end)::uuid);
  return null;
end
$$;
create trigger renew_after_removal after delete on public.members
  for each row execute function private.renew_channels_after_change();
create trigger renew_after_demotion after update of role on public.members
  for each row when (new.role < old.role) execute function private.renew_channels_after_change();
create trigger renew_after_removal after delete on public.collection_grants
  for each row execute function private.renew_channels_after_change();
create trigger renew_after_demotion after update of role on public.collection_grants
  for each row when (new.role < old.role) execute function private.renew_channels_after_change();
create trigger renew_after_removal after delete on public.group_grants
  for each row execute function private.renew_channels_after_change();
create trigger renew_after_demotion after update of role on public.group_grants
  for each row when (new.role < old.role) execute function private.renew_channels_after_change();
create trigger renew_after_removal after delete on public.group_members
  for each row execute function private.renew_channels_after_change();
create trigger renew_after_lock after update of require_second_factor on public.libraries
  for each row when (new.require_second_factor and not old.require_second_factor)
  execute function private.renew_channels_after_change();
create trigger renew_after_lock after update of is_required, provider_id on public.sign_in_domains
  for each row when (new.is_required and (not old.is_required or new.provider_id is distinct from old.provider_id))
  execute function private.renew_channels_after_change();

/* A move takes a note from people who write in it by a grant on a collection. */
create function private.renew_channels_after_move() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  if exists (select from public.collection_grants g where g.library_id = old.library_id and g.role = 'editor')
    or exists (select from public.group_grants g where g.library_id = old.library_id and g.role = 'editor')
  then
    perform private.renew_channels(old.library_id);
  end if;
  return null;
end
$$;
create trigger renew_after_move after update of collection_id on public.documents
  for each row when (old.kind = 'note' and old.collection_id is not null and old.collection_id is distinct from new.collection_id)
  execute function private.renew_channels_after_move();
create trigger renew_after_move after update of parent_id on public.collections
  for each row when (old.parent_id is not null and old.parent_id is distinct from new.parent_id)
  execute function private.renew_channels_after_move();

-- As before, in the channel of now
create or replace function private.broadcast_ingestion() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  perform realtime.send(
    jsonb_build_object(
      'document_id', new.id, 'state', new.state, 'progress', new.progress, 'message', new.state_message,
      'page_count', new.page_count),
    'ingest', private.library_topic(new.library_id), true);
  return null;
end
$$;
create or replace function private.broadcast_members() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  library uuid;
begin
  for library in select distinct library_id from changed loop
    perform realtime.send('{}', 'members', private.library_topic(library), true);
  end loop;
  return null;
end
$$;
