-- What happened that concerns a person, in all their libraries. The database writes it; the person reads it and marks it as read
create type public.notification_kind as enum ('mention', 'reply', 'invitation', 'import', 'search');

create table public.notifications (
  id bigint generated always as identity primary key,
  user_id uuid not null references public.profiles on delete cascade,
  kind public.notification_kind not null,
  library_id uuid not null references public.libraries on delete cascade,
  document_id uuid,
  -- The comment that mentions the person or replies to them; null for a mention in a note.
  comment_id uuid,
  invitation_id uuid references public.invitations on delete cascade,
  search_id uuid references public.saved_searches on delete cascade,
  -- Who caused it; null when that is nobody, or several people.
  actor_id uuid references public.profiles on delete set null,
  -- Of an import: documents that were read, and that could not be read. Of a saved search: new passages, in `amount`.
  amount integer not null default 1 check (amount >= 0),
  failed integer not null default 0 check (failed >= 0),
  read_at timestamptz check (isfinite(read_at)),
  created_at timestamptz not null default now(),
  -- One comment is told once, even where it mentions somebody and replies to them.
  unique (user_id, comment_id),
  foreign key (document_id, library_id) references public.documents (id, library_id) on delete cascade,
  foreign key (comment_id, document_id) references public.comments (id, document_id) on delete cascade
);
create index notifications_user_id_idx on public.notifications (user_id, id desc);
create index notifications_unread_idx on public.notifications (user_id, id desc) where read_at is null;
create index notifications_library_id_idx on public.notifications (library_id);
create index notifications_document_id_idx on public.notifications (document_id, user_id) where document_id is not null;
create index notifications_comment_id_idx on public.notifications (comment_id) where comment_id is not null;
create index notifications_invitation_id_idx on public.notifications (invitation_id) where invitation_id is not null;
create index notifications_search_id_idx on public.notifications (search_id) where search_id is not null;
create index notifications_actor_id_idx on public.notifications (actor_id, created_at) where actor_id is not null;

/* The open invitations for the caller's address: a notification of another one is hidden. */
create function private.open_invitations() returns setof uuid
  language sql stable security definer set search_path = '' rows 2
as $$
  select i.id from public.invitations i
  where i.email = (select private.confirmed_email()) and i.accepted_at is null and i.expires_at > now()
$$;
grant execute on function private.open_invitations to authenticated, service_role;

alter table public.notifications enable row level security;
grant select, update (read_at) on public.notifications to authenticated;
grant all on public.notifications to service_role;
-- What a person may not see now is not there, whatever they could see when it was written. "offset 0": otherwise the planner reads all
-- documents that they see, to look up the few of them that are asked for.
create policy "people see what concerns them" on public.notifications for select to authenticated
  using (user_id = (select auth.uid()) and case
    when kind = 'invitation' then invitation_id in (select private.open_invitations())
    when kind = 'search' then library_id in (select private.library_ids())
    else library_id in (select private.library_ids('guest')) and (document_id is null
      or exists (select from public.documents d where d.id = document_id and d.deleted_at is null offset 0))
  end);
create policy "people mark it as read" on public.notifications for update to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));

create function private.guard_notification() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  if (select auth.uid()) is not null and new.read_at is not null then
    new.read_at := coalesce(old.read_at, now());
  end if;
  return new;
end
$$;
create trigger guard_notification before update of read_at on public.notifications
  for each row execute function private.guard_notification();

/* The people whom a text mentions as `@[Name](id)`. */
create function private.mentioned_people(body text) returns setof uuid
  language sql immutable strict set search_path = '' rows 5
as $$
  select distinct found.groups[1]::uuid
  from regexp_matches(body, '@\[[^][]{1,80}\]\(([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\)', 'g') as found (groups)
$$;

/* Members whom a comment mentions, and those who wrote in its thread before. Nobody is told of what they wrote themselves. Runs as its
   owner: nobody may write notifications. */
create function private.notify_of_comment() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  insert into public.notifications (user_id, kind, library_id, document_id, comment_id, actor_id)
    select m.user_id, 'mention', new.library_id, new.document_id, new.id, new.created_by
    from private.mentioned_people(new.body) mentioned
    join public.members m on m.library_id = new.library_id and m.user_id = mentioned
    where m.user_id is distinct from new.created_by
  on conflict do nothing;
  if tg_op = 'INSERT' and new.parent_id is not null then
    insert into public.notifications (user_id, kind, library_id, document_id, comment_id, actor_id)
      select distinct m.user_id, 'reply'::public.notification_kind, new.library_id, new.document_id, new.id, new.created_by
      from public.comments c
      join public.members m on m.library_id = new.library_id and m.user_id = c.created_by
      where (c.id = new.parent_id or c.parent_id = new.parent_id) and c.created_by is distinct from new.created_by
    on conflict do nothing;
  end if;
  return null;
end
$$;
create trigger notify_of_comment after insert or update of body on public.comments
  for each row execute function private.notify_of_comment();

/* Whom a note has mentioned. They are told once, not with each version, and not again when the notification is gone. */
create table private.note_mentions (
  document_id uuid not null references public.documents on delete cascade,
  user_id uuid not null references public.profiles on delete cascade,
  primary key (document_id, user_id)
);
create index note_mentions_user_id_idx on private.note_mentions (user_id);
alter table private.note_mentions enable row level security;

/* Several people may have written what one of them saves: a version whose writers are several has no author here. */
create function private.notify_of_note() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  author uuid := new.created_by;
begin
  if position('@[' in new.body) = 0 then return null; end if;
  if (select count(distinct u.created_by) from public.note_updates u where u.document_id = new.document_id) > 1 then
    author := null;
  end if;
  with told as (
    insert into private.note_mentions (document_id, user_id)
      select new.document_id, m.user_id
      from private.mentioned_people(new.body) mentioned
      join public.members m on m.library_id = new.library_id and m.user_id = mentioned
    on conflict do nothing
    returning note_mentions.user_id
  )
  insert into public.notifications (user_id, kind, library_id, document_id, actor_id)
    select told.user_id, 'mention', new.library_id, new.document_id, author from told where told.user_id is distinct from author;
  return null;
end
$$;
create trigger notify_of_note after insert on public.versions
  for each row when (new.body is not null) execute function private.notify_of_note();

-- Whoever has no account yet is told by the mail of the invitation alone.
create function private.notify_of_invitation() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    insert into public.notifications (user_id, kind, library_id, invitation_id, actor_id)
      select p.id, 'invitation', new.library_id, new.id, new.invited_by
      from public.profiles p where p.id = (private.account_of(new.email)).id;
  else
    update public.notifications n set read_at = now() where n.invitation_id = new.id and n.read_at is null;
  end if;
  return null;
end
$$;
create trigger notify_of_invitation after insert on public.invitations
  for each row execute function private.notify_of_invitation();
create trigger end_invitation after update of accepted_at on public.invitations
  for each row when (new.accepted_at is not null and old.accepted_at is null) execute function private.notify_of_invitation();

/* The unread notifications of the caller, at most a hundred: { unread, documents }, where `documents` are those that they are about. */
create function public.unread_notifications() returns jsonb
  language sql stable set search_path = ''
as $$
  select jsonb_build_object('unread', count(*),
    'documents', coalesce(jsonb_agg(distinct n.document_id) filter (where n.document_id is not null), '[]'))
  from (
    select n.document_id from public.notifications n
    where n.user_id = (select auth.uid()) and n.read_at is null order by n.id desc limit 100) n
$$;

/* Marks unread notifications of the caller as read: those with these ids, those about a document, or all up to one. Returns the ids of
   those that were unread. */
create function public.read_notifications(ids bigint[] default null, document uuid default null, up_to bigint default null)
  returns bigint[]
  language sql set search_path = ''
as $$
  with marked as (
    update public.notifications n set read_at = now()
    where n.user_id = (select auth.uid()) and n.read_at is null
      and (n.id = any (ids) or n.document_id = read_notifications.document or n.id <= up_to)
    returning n.id
  )
  select coalesce(array_agg(id), '{}') from marked
$$;
/* Marks notifications of the caller as unread again. */
create function public.unread_again(ids bigint[]) returns void
  language sql set search_path = ''
as $$
  update public.notifications n set read_at = null where n.user_id = (select auth.uid()) and n.id = any (ids)
$$;
grant execute on function public.unread_notifications, public.read_notifications, public.unread_again to authenticated;

-- One private channel a person, `user:<id>`: the event `notifications` tells that there are others than before. What they are each
-- client asks with its own rights.
create policy "people listen to their own channel" on realtime.messages for select to authenticated
  using (realtime.messages.extension = 'broadcast' and (select realtime.topic()) = 'user:' || (select auth.uid()));

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

/* What nobody misses: thirty days after it was read, after a year in any case, and beyond a person's latest 2,000. */
create function public.purge_notifications() returns integer
  language sql security definer set search_path = ''
as $$
  with purged as (
    delete from public.notifications n
    where n.read_at < now() - interval '30 days' or n.created_at < now() - interval '1 year' or n.id in (
      select numbered.id from (
        select one.id, row_number() over (partition by one.user_id order by one.id desc) as place from public.notifications one) numbered
      where numbered.place > 2000)
    returning 1
  )
  select count(*)::integer from purged
$$;
grant execute on function public.purge_notifications to service_role;

/* Every night. Rows go here; for the files the function `purge` is called, whose address and key wait in the vault under
   `project_url` and `purge_key` (docs/hosted.md). Where the platform has no scheduler, call `purge` from one elsewhere. */
create or replace function private.purge_nightly() returns void
  language plpgsql security definer set search_path = ''
as $$
declare
  url text;
  key text;
begin
  perform public.purge_trash();
  perform public.purge_notifications();
  if to_regnamespace('net') is null or to_regclass('vault.decrypted_secrets') is null then return; end if;
  execute 'select decrypted_secret from vault.decrypted_secrets where name = $1' into url using 'project_url';
  execute 'select decrypted_secret from vault.decrypted_secrets where name = $1' into key using 'purge_key';
  if url is null or key is null then return; end if;
  execute 'select net.http_post(url => $1, headers => $2, body => ''{}''::jsonb)'
    using url || '/functions/v1/purge', jsonb_build_object('apikey', key, 'content-type', 'application/json');
end
$$;

-- What is known already. Mentions of last year would only be noise.
insert into private.note_mentions (document_id, user_id)
  select d.id, m.user_id
  from public.documents d join public.versions v on v.id = d.current_version_id, private.mentioned_people(v.body) mentioned
  join public.members m on m.user_id = mentioned
  where d.kind = 'note' and m.library_id = d.library_id
  on conflict do nothing;
insert into public.notifications (user_id, kind, library_id, document_id, comment_id, actor_id, read_at, created_at)
  select m.user_id, 'mention', m.library_id, m.document_id, m.comment_id, c.created_by, m.read_at, m.created_at
  from public.mentions m join public.comments c on c.id = m.comment_id
  where m.created_at > now() - interval '90 days' order by m.created_at;
