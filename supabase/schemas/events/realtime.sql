-- One private channel per library, for presence, broadcasts and row changes, whose topic ends with library_channels' number.

/* Null for a topic of no library or an outdated one, so that policies deny it. */
create function private.library_of_topic(topic text) returns uuid
  language sql stable strict set search_path = ''
as $$
  select c.library_id from public.library_channels c
  where c.library_id = substring(topic from '^library:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}):')::uuid
    and topic = format('library:%s:%s', c.library_id, c.epoch)
$$;
grant execute on function private.library_of_topic to authenticated, service_role;

-- Sends a document's indexing state as event `ingest`, from the row itself, so that the channel says no more than the table.
create function private.broadcast_indexing(document public.documents) returns void
  language sql set search_path = ''
as $$
  select realtime.send(
    jsonb_build_object(
      'document_id', document.id, 'state', document.state, 'progress', document.progress, 'problem', document.problem,
      'page_count', document.page_count),
    'ingest', private.library_topic(document.library_id), true)
$$;

/* Documents whose tags or fields a transaction has changed, null for over a hundred. Unlogged: rows never outlive their transaction. */
create unlogged table private.arranged_documents (
  transaction xid8 not null default pg_current_xact_id(),
  library_id uuid not null,
  ids uuid[],
  primary key (transaction, library_id)
);

-- Why a definer: users can't write pending events.
create function private.track_arranged_documents() returns trigger
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

/* Sends them on the library's channel as event `documents`, except trashed documents, which readers don't see.
   Why a definer: only the database sends on a library's channel. */
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

-- Sends on the library's channel that members, invitations or guest access changed (event `members`), or received files (event `requests`);
-- on a person's channel, that their notifications or favorites changed. Clients query the details with their own rights.
-- Why a definer: only the database sends on these channels.
create function private.broadcast_change() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  topic text;
begin
  for topic in
    select case when tg_table_name in ('notifications', 'favorites') then 'user:' || id else private.library_topic(id) end
    from (select distinct (to_jsonb(c) ->> case when tg_table_name in ('notifications', 'favorites') then 'user_id' else 'library_id' end)::uuid
      from changed c) changed (id)
  loop
    perform realtime.send('{}', tg_argv[0], topic, true);
  end loop;
  return null;
end
$$;

/* Sends event `access` to people whose rights in a library have changed, because guests are only in their own channel: the library, and
   whether rights may be fewer.
   Why a definer: only the database sends on a person's channel. */
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

-- After each statement: which function sends a table's changes, and as which event.
do $$
declare
  name text;
  handler text;
  event text;
  command text;
begin
  for name, handler, event in values ('document_tags', 'track_arranged_documents', ''), ('field_values', 'track_arranged_documents', ''),
    ('members', 'broadcast_change', 'members'), ('invitations', 'broadcast_change', 'members'),
    ('collection_grants', 'broadcast_change', 'members'), ('groups', 'broadcast_change', 'members'),
    ('group_members', 'broadcast_change', 'members'), ('group_grants', 'broadcast_change', 'members'),
    ('received_files', 'broadcast_change', 'requests'), ('notifications', 'broadcast_change', 'notifications'),
    ('favorites', 'broadcast_change', 'favorites'), ('collection_grants', 'broadcast_access', 'access'),
    ('group_members', 'broadcast_access', 'access'), ('group_grants', 'broadcast_access', 'access')
  loop
    foreach command in array array['insert', 'update', 'delete'] loop
      execute format('create trigger %s_%s after %2$s on public.%I referencing %s table as changed for each statement
        execute function private.%1$s(%5$L)', handler, command, name, case command when 'delete' then 'old' else 'new' end, event);
    end loop;
  end loop;
end
$$;

-- Realtime checks policies on join and token renewal only. Topics therefore end with a number that rises when someone may have lost a
-- right: nothing is sent to old channels, and joining new ones checks current rights.
create table public.library_channels (
  library_id uuid primary key references public.libraries on delete cascade,
  epoch bigint not null default 1,
  -- The transaction that raised the number: once per transaction is enough.
  renewed_in xid8
);
grant select (library_id, epoch) on public.library_channels to authenticated;

create policy "members and guests see the channels of their libraries" on public.library_channels for select to authenticated
  using (library_id in (select private.library_ids('guest')));

/* Returns the current topic of a library's channel. */
create function private.library_topic(library uuid) returns text
  language sql stable set search_path = ''
as $$ select format('library:%s:%s', c.library_id, c.epoch) from public.library_channels c where c.library_id = library $$;

/* Ends a library's channels, which notifies clients there (event `members`) and guests on their own channel (`access`); they query the new
   number. */
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

-- Why a definer: users can't end channels.
create function private.renew_channels_after_change() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  perform private.renew_channels((to_jsonb(coalesce(old, new)) ->> case tg_table_name when 'libraries' then 'id' else 'library_id' end)::uuid);
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
create trigger renew_after_lock after insert on public.collection_approvals
  for each row execute function private.renew_channels_after_change();
create trigger renew_after_lock after update of require_second_factor on public.libraries
  for each row when (new.require_second_factor and not old.require_second_factor)
  execute function private.renew_channels_after_change();
create trigger renew_after_lock after update of is_required, provider_id on public.sign_in_domains
  for each row when (new.is_required and (not old.is_required or new.provider_id is distinct from old.provider_id))
  execute function private.renew_channels_after_change();

/* Moving a note takes it from people with a grant on the collection, and its draft from readers where changes need approval. */
create function private.renew_channels_of_moved(library uuid, former uuid, present uuid) returns void
  language plpgsql set search_path = ''
as $$
begin
  if exists (select from public.collection_approvals a where a.library_id = library) and exists (select from private.approvals_in(present))
    or former is not null and (
    exists (select from public.collection_grants g where g.library_id = library and g.role = 'editor')
    or exists (select from public.group_grants g where g.library_id = library and g.role = 'editor'))
  then
    perform private.renew_channels(library);
  end if;
end
$$;

-- Why a definer: users can't end channels.
create function private.renew_channels_after_move() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  perform private.renew_channels_of_moved(old.library_id, old.parent_id, new.parent_id);
  return null;
end
$$;
create trigger renew_after_move after update of parent_id on public.collections
  for each row when (old.parent_id is distinct from new.parent_id)
  execute function private.renew_channels_after_move();

create policy "members listen to their libraries" on realtime.messages for select to authenticated
  using (
    realtime.messages.extension in ('broadcast', 'presence')
    and private.library_of_topic((select realtime.topic())) in (select private.library_ids())
  );
create policy "members follow what is written" on realtime.messages for select to authenticated
  using (realtime.messages.extension = 'broadcast' and private.may_use_note_channel((select realtime.topic()), false));
create policy "writers speak to each other" on realtime.messages for insert to authenticated
  with check (realtime.messages.extension = 'broadcast' and private.may_use_note_channel((select realtime.topic()), true));
-- One private channel per person, `user:<id>`: event `notifications` says that they changed. Clients query them with their own rights.
create policy "people listen to their own channel" on realtime.messages for select to authenticated
  using (realtime.messages.extension = 'broadcast' and (select realtime.topic()) = 'user:' || (select auth.uid()));
-- Only the database sends changes on a library's channel; people only send presence.
create policy "members say where they are" on realtime.messages for insert to authenticated
  with check (
    realtime.messages.extension = 'presence'
    and private.library_of_topic((select realtime.topic())) in (select private.library_ids())
  );

alter publication supabase_realtime add table
  public.documents, public.comments, public.collections, public.tags, public.collection_fields, public.field_options;
