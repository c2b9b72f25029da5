-- One private channel a library: presence, broadcasts, and the changes of rows. Realtime asks its policies when a channel is joined
-- and when a token is renewed, so topics end with a number that rises whenever somebody may have lost a right.

/* Null for a topic that is no library's, or no longer, so that a policy compares it with nothing. */
create function private.library_of_topic(topic text) returns uuid
  language sql stable strict set search_path = ''
as $$
  select c.library_id from public.library_channels c
  where c.library_id = substring(topic from '^library:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}):')::uuid
    and topic = format('library:%s:%s', c.library_id, c.epoch)
$$;
grant execute on function private.library_of_topic to authenticated, service_role;

-- Where a document's ingestion stands, as event `ingest`. From the row itself, so that no channel says what the table does not.
create function private.broadcast_ingestion(document public.documents) returns void
  language sql set search_path = ''
as $$
  select realtime.send(
    jsonb_build_object(
      'document_id', document.id, 'state', document.state, 'progress', document.progress, 'problem', document.problem,
      'page_count', document.page_count),
    'ingest', private.library_topic(document.library_id), true)
$$;

/* Documents of which a transaction has changed tags or field values: at most a hundred ids, null for more. What is told of them is sent
   once, when the transaction ends; no row outlives its transaction, so none is written ahead. */
create unlogged table private.arranged_documents (
  transaction xid8 not null default pg_current_xact_id(),
  library_id uuid not null,
  ids uuid[],
  primary key (transaction, library_id)
);
alter table private.arranged_documents enable row level security;

-- Why a definer: what is yet to be told is nobody's to write.
create function private.note_arranged_documents() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.arranged_documents as a (library_id, ids)
    select c.library_id, case when count(distinct c.document_id) <= 100 then array_agg(distinct c.document_id) end
    from changed c group by 1
  on conflict on constraint arranged_documents_pkey do update set ids = case
    when cardinality(a.ids) + cardinality(excluded.ids) <= 100 then array(select unnest(a.ids) union select unnest(excluded.ids))
    when excluded.ids <@ a.ids then a.ids end;
  return null;
end
$$;

do $$
declare
  name text;
begin
  foreach name in array array['document_tags', 'field_values'] loop
    execute format('create trigger note_added after insert on public.%I referencing new table as changed
      for each statement execute function private.note_arranged_documents()', name);
    execute format('create trigger note_changed after update on public.%I referencing new table as changed
      for each statement execute function private.note_arranged_documents()', name);
    execute format('create trigger note_removed after delete on public.%I referencing old table as changed
      for each statement execute function private.note_arranged_documents()', name);
  end loop;
end
$$;

/* Tells the library's channel of them as event `documents`. Not of those in the trash, which readers do not see.
   Why a definer: the database alone speaks in a library's channel. */
create function private.broadcast_arranged_documents() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  told private.arranged_documents;
begin
  delete from private.arranged_documents a where a.transaction = new.transaction and a.library_id = new.library_id returning * into told;
  if not found then return null; end if;
  if told.ids is not null then
    told.ids := array(select d.id from public.documents d where d.id = any (told.ids) and d.deleted_at is null);
    if told.ids = '{}' then return null; end if;
  end if;
  perform realtime.send(jsonb_build_object('ids', told.ids), 'documents', topic, true)
    from private.library_topic(new.library_id) topic where topic is not null;
  return null;
end
$$;
create constraint trigger broadcast_arranged_documents after insert on private.arranged_documents
  deferrable initially deferred for each row execute function private.broadcast_arranged_documents();

-- Who belongs to a library, who is invited and what guests may see: its channel tells that it has changed, as event `members`, and as
-- event `requests` that files have come by a request, or were decided about. What has changed each client asks with its own rights.
-- Why a definer: the database alone speaks in a library's channel.
create function private.broadcast_change() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  library uuid;
begin
  for library in select distinct library_id from changed loop
    perform realtime.send('{}', tg_argv[0], private.library_topic(library), true);
  end loop;
  return null;
end
$$;

do $$
declare
  name text;
  event text;
begin
  for name, event in values ('members', 'members'), ('invitations', 'members'), ('collection_grants', 'members'),
    ('groups', 'members'), ('group_members', 'members'), ('group_grants', 'members'), ('received_files', 'requests')
  loop
    execute format('create trigger broadcast_added after insert on public.%I referencing new table as changed
      for each statement execute function private.broadcast_change(%L)', name, event);
    execute format('create trigger broadcast_changed after update on public.%I referencing new table as changed
      for each statement execute function private.broadcast_change(%L)', name, event);
    execute format('create trigger broadcast_removed after delete on public.%I referencing old table as changed
      for each statement execute function private.broadcast_change(%L)', name, event);
  end loop;
end
$$;

-- Why a definer: the database alone speaks in a person's channel.
create function private.broadcast_to_people() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  person uuid;
begin
  for person in select distinct user_id from changed loop
    perform realtime.send('{}', tg_argv[0], 'user:' || person, true);
  end loop;
  return null;
end
$$;
create trigger broadcast_added after insert on public.notifications referencing new table as changed
  for each statement execute function private.broadcast_to_people('notifications');
create trigger broadcast_changed after update on public.notifications referencing new table as changed
  for each statement execute function private.broadcast_to_people('notifications');
create trigger broadcast_removed after delete on public.notifications referencing old table as changed
  for each statement execute function private.broadcast_to_people('notifications');
create trigger broadcast_added after insert on public.favorites referencing new table as changed
  for each statement execute function private.broadcast_to_people('favorites');
create trigger broadcast_changed after update on public.favorites referencing new table as changed
  for each statement execute function private.broadcast_to_people('favorites');
create trigger broadcast_removed after delete on public.favorites referencing old table as changed
  for each statement execute function private.broadcast_to_people('favorites');

/* Whose rights in a library have changed hears of it in their own channel, as event `access`: a guest is in no other channel. It names the
   library and whether rights may be less than before. What they may see now each client asks with its own rights.
   Why a definer: the database alone speaks in a person's channel. */
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

/* The topic in which a library's changes are told now. */
create function private.library_topic(library uuid) returns text
  language sql stable set search_path = ''
as $$ select format('library:%s:%s', c.library_id, c.epoch) from public.library_channels c where c.library_id = library $$;

/* Ends the channels of a library. Who is in one hears of it there, as event `members`, and guests, who are in none, in their own, as
   event `access`; each client then asks for the number with its own rights. */
create function private.renew_channels(library uuid) returns void
  language plpgsql set search_path = ''
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

-- Why a definer: nobody ends channels.
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
create function private.renew_channels_of_writers(library uuid) returns void
  language plpgsql set search_path = ''
as $$
begin
  if exists (select from public.collection_grants g where g.library_id = library and g.role = 'editor')
    or exists (select from public.group_grants g where g.library_id = library and g.role = 'editor')
  then
    perform private.renew_channels(library);
  end if;
end
$$;

-- Why a definer: nobody ends channels.
create function private.renew_channels_after_move() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  perform private.renew_channels_of_writers(old.library_id);
  return null;
end
$$;
create trigger renew_after_move after update of parent_id on public.collections
  for each row when (old.parent_id is not null and old.parent_id is distinct from new.parent_id)
  execute function private.renew_channels_after_move();

create policy "members listen to their libraries" on realtime.messages for select to authenticated
  using (
    realtime.messages.extension in ('broadcast', 'presence')
    and private.library_of_topic((select realtime.topic())) in (select private.library_ids())
  );
create policy "writers listen to each other" on realtime.messages for select to authenticated
  using (realtime.messages.extension = 'broadcast' and private.can_write_note((select realtime.topic())));
create policy "writers speak to each other" on realtime.messages for insert to authenticated
  with check (realtime.messages.extension = 'broadcast' and private.can_write_note((select realtime.topic())));
-- One private channel a person, `user:<id>`: the event `notifications` tells that there are others than before. What they are each
-- client asks with its own rights.
create policy "people listen to their own channel" on realtime.messages for select to authenticated
  using (realtime.messages.extension = 'broadcast' and (select realtime.topic()) = 'user:' || (select auth.uid()));
-- What a library's channel tells comes from the database: people only say where they are.
create policy "members say where they are" on realtime.messages for insert to authenticated
  with check (
    realtime.messages.extension = 'presence'
    and private.library_of_topic((select realtime.topic())) in (select private.library_ids())
  );

alter publication supabase_realtime add table
  public.documents, public.comments, public.collections, public.tags, public.collection_fields, public.field_options;
