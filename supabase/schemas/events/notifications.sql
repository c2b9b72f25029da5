-- Notifications for each person across their libraries, in the inbox.

create type public.notification_kind as enum ('mention', 'reply', 'invitation', 'import', 'search', 'rule', 'webhook', 'retention', 'verification', 'request',
  'proposal', 'approved', 'returned');

create type public.mail_frequency as enum ('at_once', 'daily', 'weekly', 'never');

/* People without a row have the defaults. Invitations have their own mail. */
create table public.notification_settings (
  user_id uuid primary key default auth.uid() references public.profiles on delete cascade,
  mention public.mail_frequency not null default 'at_once',
  reply public.mail_frequency not null default 'at_once',
  import public.mail_frequency not null default 'daily',
  search public.mail_frequency not null default 'daily',
  rule public.mail_frequency not null default 'daily',
  verification public.mail_frequency not null default 'daily',
  -- When daily and weekly mails are sent, in the person's time zone; weekly ones on Mondays.
  hour smallint not null default 8 check (hour between 0 and 23),
  time_zone text not null default 'UTC' check (char_length(time_zone) between 1 and 64 and private.is_time_zone(time_zone))
);
grant select, insert (mention, reply, import, search, hour, time_zone, rule, verification),
  update (mention, reply, import, search, hour, time_zone, rule, verification)
  on public.notification_settings to authenticated;

create policy "people choose their own mails" on public.notification_settings for all to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));

-- Which setting applies to a kind; the others aren't mailed, or have a mail of their own.
create function private.frequency_of(kind public.notification_kind, settings public.notification_settings) returns public.mail_frequency
  language sql immutable set search_path = ''
as $$
  select case
    when kind = 'mention' then coalesce(settings.mention, 'at_once')
    when kind = 'reply' then coalesce(settings.reply, 'at_once')
    when kind in ('import', 'request') then coalesce(settings.import, 'daily')
    when kind = 'search' then coalesce(settings.search, 'daily')
    when kind = 'rule' then coalesce(settings.rule, 'daily')
    when kind in ('verification', 'proposal', 'approved', 'returned') then coalesce(settings.verification, 'daily')
    else 'never' end
$$;

create table public.notifications (
  id bigint generated always as identity primary key,
  user_id uuid not null references public.profiles on delete cascade,
  kind public.notification_kind not null,
  library_id uuid not null references public.libraries on delete cascade,
  document_id uuid,
  -- The comment that mentions them or replies to them; null for a mention in a note.
  comment_id uuid,
  invitation_id uuid references public.invitations on delete cascade,
  search_id uuid references public.saved_searches on delete cascade,
  request_id uuid references public.file_requests on delete cascade,
  -- The rule's name at the time: recipients may not see the rule.
  rule text,
  -- Who caused it; null for no one or several people.
  actor_id uuid references public.profiles on delete set null,
  -- Several people who caused it together; actor_id is then null. For a note, its writers in order.
  actor_ids uuid[] not null default '{}',
  -- For an import: documents read and failed. For a saved search: new passages. For a request: files, in `amount`.
  amount integer not null default 1 check (amount >= 0),
  failed integer not null default 0 check (failed >= 0),
  read_at timestamptz check (isfinite(read_at)),
  created_at timestamptz not null default now(),
  -- One notification per comment, even if it is both a mention and a reply.
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
create index notifications_request_id_idx on public.notifications (request_id) where request_id is not null;
create index notifications_actor_id_idx on public.notifications (actor_id, created_at) where actor_id is not null;

grant select, update (read_at) on public.notifications to authenticated;

create policy "people mark it as read" on public.notifications for update to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));

/* Returns the open invitations for the caller's address: notifications of others are hidden.
   Why a definer: the invited person isn't a member yet. */
create function private.open_invitations() returns setof uuid
  language sql stable security definer set search_path = '' rows 2
as $$
  select i.id from public.invitations i
  where i.email = (select private.confirmed_email()) and i.accepted_at is null and i.expires_at > now()
$$;

-- Hides what a person can no longer see. "offset 0" keeps the planner from reading all of their documents to look up a few.
create policy "people see what concerns them" on public.notifications for select to authenticated
  using (user_id = (select auth.uid()) and case
    when kind = 'invitation' then invitation_id in (select private.open_invitations())
    when kind = 'search' then library_id in (select private.library_ids())
    when kind = 'request' then request_id in (select r.id from public.file_requests r)
    else library_id in (select private.library_ids('guest')) and (document_id is null
      or exists (select from public.documents d where d.id = document_id and d.deleted_at is null offset 0))
  end);
grant execute on function private.open_invitations to authenticated, service_role;

/* Returns the people who caused a notification, in order: a relationship that the Data API can embed. */
create function public.actors(public.notifications) returns setof public.profiles
  language sql stable set search_path = '' rows 2
as $$
  select p.* from public.profiles p where p.id = any ($1.actor_ids) order by array_position($1.actor_ids, p.id)
$$;
grant execute on function public.actors to authenticated;

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

/* Returns the people mentioned in a text as `@[Name](id)`. */
create function private.mentioned_people(body text) returns setof uuid
  language sql immutable strict set search_path = '' rows 5
as $$
  select distinct found.groups[1]::uuid
  from regexp_matches(body, '@\[[^][]{1,80}\]\(([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\)', 'g') as found (groups)
$$;

/* Notifies members whom a comment mentions, and earlier writers in its thread, except its author. */
create function private.notify_of_comment(comment public.comments, is_new boolean) returns void
  language sql set search_path = ''
as $$
  insert into public.notifications (user_id, kind, library_id, document_id, comment_id, actor_id)
    select mentioned, 'mention', comment.library_id, comment.document_id, comment.id, comment.created_by
    from private.mentioned_members(comment.library_id, comment.body) mentioned
    where mentioned is distinct from comment.created_by
  on conflict do nothing;
  insert into public.notifications (user_id, kind, library_id, document_id, comment_id, actor_id)
    select distinct m.user_id, 'reply'::public.notification_kind, comment.library_id, comment.document_id, comment.id, comment.created_by
    from public.comments c
    join public.members m on m.library_id = comment.library_id and m.user_id = c.created_by
    where notify_of_comment.is_new and (c.id = comment.parent_id or c.parent_id = comment.parent_id) and c.created_by is distinct from comment.created_by
  on conflict do nothing
$$;

/* People mentioned in a note. They are notified once, not per version, and not again after the notification is deleted. */
create table private.note_mentions (
  document_id uuid not null references public.documents on delete cascade,
  user_id uuid not null references public.profiles on delete cascade,
  primary key (document_id, user_id)
);

create index note_mentions_user_id_idx on private.note_mentions (user_id);

/* Returns a version's writers, from the updates since the previous one: the person who saves it may have written none of it. */
create function private.writers_of(version public.versions) returns uuid[]
  language sql stable set search_path = ''
as $$
  select coalesce(nullif(array(
    select u.created_by from public.note_updates u where u.document_id = version.document_id and u.created_by is not null
    group by 1 order by min(u.number)), '{}'), array_remove(array[version.created_by], null))
$$;

-- A version with several writers has no author here: any of them may have saved it.
create function private.notify_of_note(new public.versions) returns void
  language plpgsql set search_path = ''
as $$
declare
  writers uuid[];
begin
  if position('@[' in new.body) = 0 then return; end if;
  writers := case when new.writers = '{}' then private.writers_of(new) else new.writers end;
  with told as (
    insert into private.note_mentions (document_id, user_id)
      select new.document_id, mentioned from private.mentioned_members(new.library_id, new.body) mentioned
    on conflict do nothing
    returning note_mentions.user_id
  )
  insert into public.notifications (user_id, kind, library_id, document_id, actor_id, actor_ids)
    select told.user_id, 'mention', new.library_id, new.document_id,
      case when cardinality(others) = 1 then others[1] end, case when cardinality(others) > 1 then others else '{}' end
    from told, lateral (select array_remove(writers, told.user_id) as others) o
    -- No one is notified of what they wrote alone.
    where writers <> array[told.user_id];
end
$$;

/* Returns the caller's unread notifications, at most a hundred, and their documents: { unread, documents }. */
create function public.unread_notifications() returns jsonb
  language sql stable set search_path = ''
as $$
  select jsonb_build_object('unread', count(*),
    'documents', coalesce(jsonb_agg(distinct n.document_id) filter (where n.document_id is not null), '[]'))
  from (
    select n.document_id from public.notifications n
    where n.user_id = (select auth.uid()) and n.read_at is null order by n.id desc limit 100) n
$$;
grant execute on function public.unread_notifications to authenticated;

/* Marks unread notifications of the caller as read: those with these ids, about a document, or up to one. Returns their ids. */
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
grant execute on function public.read_notifications to authenticated;

/* Marks notifications of the caller as unread. */
create function public.unread_again(ids bigint[]) returns void
  language sql set search_path = ''
as $$
  update public.notifications n set read_at = null where n.user_id = (select auth.uid()) and n.id = any (ids)
$$;
grant execute on function public.unread_again to authenticated;

/* Deletes notifications thirty days after they were read, after a year in any case, and beyond a person's latest 2,000. */
create function public.purge_notifications() returns integer
  language sql set search_path = ''
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

create function private.maintain_notifications() returns void
  language plpgsql set search_path = ''
as $$
begin
  perform private.notify_of_imports();
  perform private.notify_of_hits();
  perform private.notify_of_received_files();
  -- The function may be missing or down: mails that have waited for two days are dropped.
  delete from private.mail_queue o where o.due_at < now() - interval '2 days' and o.mail_id is null;
  perform private.call_mailer();
end
$$;

/* Returns the library's members mentioned in a text, directly or through a group. */
create function private.mentioned_members(library uuid, body text) returns setof uuid
  language sql stable set search_path = '' rows 5
as $$
  with mentioned (id) as materialized (select private.mentioned_people(body))
  select m.user_id from mentioned n join public.members m on m.library_id = library and m.user_id = n.id
  union
  select g.user_id from mentioned n join public.group_members g on g.library_id = library and g.group_id = n.id
$$;
