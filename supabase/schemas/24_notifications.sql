-- Notifications for each person across their libraries, in the inbox and by mail.

create type public.notification_kind as enum ('mention', 'reply', 'invitation', 'import', 'search', 'rule', 'webhook', 'retention', 'verification', 'request',
  'proposal', 'approved', 'returned');

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
  -- Who caused it; null for no one or several people.
  actor_id uuid references public.profiles on delete set null,
  -- For an import: documents read and failed. For a saved search: new passages. For a request: files, in `amount`.
  amount integer not null default 1 check (amount >= 0),
  failed integer not null default 0 check (failed >= 0),
  read_at timestamptz check (isfinite(read_at)),
  created_at timestamptz not null default now(),
  -- The rule's name at the time: recipients may not see the rule.
  rule text,
  -- Several people who caused it together; actor_id is then null. For a note, its writers in order.
  actor_ids uuid[] not null default '{}',
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

alter table public.notifications enable row level security;
grant select, update (read_at) on public.notifications to authenticated;
grant all on public.notifications to service_role;

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

alter table private.note_mentions enable row level security;

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

/* A person's uploads to a library that were read since the last notification. */
create table private.imports (
  library_id uuid not null references public.libraries on delete cascade,
  user_id uuid not null references public.profiles on delete cascade,
  done integer not null default 0,
  failed integer not null default 0,
  document_id uuid not null, -- the latest failed one, or else the latest
  started_at timestamptz not null,
  ended_at timestamptz not null default now(),
  primary key (library_id, user_id)
);

create index imports_user_id_idx on private.imports (user_id);

alter table private.imports enable row level security;

/* Returns who uploaded a document's current version or added a link; null for notes. */
create function private.uploader(document public.documents) returns uuid
  language sql stable set search_path = ''
as $$
  select case when document.kind <> 'note' then coalesce(
    (select v.created_by from public.versions v where v.id = document.current_version_id), document.created_by) end
$$;

/* Counts a document read for the first time; rereading isn't news. Deferred, because the state is known at commit.
   Why a definer: it runs at the commit of any user, who can't write imports. */
create function private.count_reading() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  document public.documents;
  person uuid;
begin
  select * into document from public.documents d
    where d.id = old.document_id and d.deleted_at is null and d.state in ('ready', 'failed');
  select p.id into person from public.profiles p where p.id = private.uploader(document);
  if person is null then return null; end if;
  insert into private.imports as i (library_id, user_id, done, failed, document_id, started_at)
    values (document.library_id, person, (document.state = 'ready')::integer, (document.state = 'failed')::integer, document.id,
      coalesce((select v.created_at from public.versions v where v.id = document.current_version_id), document.created_at))
  on conflict (library_id, user_id) do update set
    done = i.done + excluded.done, failed = i.failed + excluded.failed, ended_at = now(),
    document_id = case when excluded.failed > 0 or i.failed = 0 then excluded.document_id else i.document_id end,
    started_at = least(i.started_at, excluded.started_at);
  return null;
end
$$;
create constraint trigger count_reading after delete on private.ingestion_runs
  deferrable initially deferred for each row when (old.run is not null and old.priority = 1) execute function private.count_reading();

/* Notifies about finished imports: nothing waits, and nothing was read for `quiet`. Merges a person's uploads to a library, and an unread
   earlier notification. Skips imports of less than a minute without failures, which the person has watched, and of deleted files. */
create function private.notify_of_imports(quiet interval default '20 seconds') returns void
  language plpgsql set search_path = ''
as $$
declare
  ended private.imports;
  earlier record;
begin
  for ended in
    delete from private.imports i
    where i.ended_at <= now() - quiet and not exists (
      select from private.ingestion_runs r join public.documents d on d.id = r.document_id
      where r.priority = 1 and d.library_id = i.library_id and d.deleted_at is null and private.uploader(d) = i.user_id)
    returning i.*
  loop
    continue when ended.done + ended.failed = 0;
    continue when ended.failed = 0 and ended.ended_at - ended.started_at < interval '1 minute';
    with replaced as (
      delete from public.notifications n
      where n.user_id = ended.user_id and n.library_id = ended.library_id and n.kind = 'import' and n.read_at is null
      returning n.amount, n.failed
    )
    select coalesce(sum(r.amount), 0)::integer as done, coalesce(sum(r.failed), 0)::integer as failed into earlier from replaced r;
    insert into public.notifications (user_id, kind, library_id, document_id, amount, failed)
      select ended.user_id, 'import', ended.library_id,
        -- Link to the only document, or the only failed one.
        case when counts.failed = 1 or counts.done + counts.failed = 1 then d.id end, counts.done, counts.failed
      from (select ended.done + earlier.done as done, ended.failed + earlier.failed as failed) counts
      left join public.documents d on d.id = ended.document_id and d.library_id = ended.library_id;
  end loop;
end
$$;

/* Runs saved searches on new passages, longest waiting first: at most `most`, for two seconds. A person's own documents aren't news.
   Notifications from libraries that require a second factor are hidden until it is given. */
create function private.notify_of_hits(most integer default 50) returns void
  language plpgsql set search_path = ''
as $$
declare
  hidden constant integer[] := array(select private.unfinished_readings());
  until constant timestamptz := clock_timestamp() + interval '2 seconds';
  asked record;
  hits integer;
  earlier integer;
begin
  for asked in
    with newest as materialized (
      -- Hidden passages are news when they appear, so the mark stops before them.
      select l.library_id, least(
        (select p.created_at from public.passages p where p.library_id = l.library_id and p.reading_id <> all (hidden)
          order by p.created_at desc limit 1),
        (select min(p.created_at) from public.passages p where p.library_id = l.library_id and p.reading_id = any (hidden))
          - interval '1 microsecond') as up_to
      from (select distinct s.library_id from public.saved_searches s) l
    )
    select s.id, s.library_id, s.user_id, s.query, s.filters, greatest(s.checked_at, s.looked_at) as since, n.up_to,
      (select m.time_zone from public.notification_settings m where m.user_id = s.user_id) as zone
    from public.saved_searches s join newest n on n.library_id = s.library_id
    where s.checked_at < n.up_to
    order by s.checked_at, s.id limit most for update of s skip locked
  loop
    hits := 0;
    begin
      perform set_config('request.jwt.claims',
        jsonb_build_object('sub', asked.user_id, 'role', 'authenticated', 'aal', 'aal2')::text, true);
      select count(*)::integer into hits
      from (
        select jsonb_agg(d.document_id) as ids from (
          select p.document_id from public.passages p join public.versions v on v.id = p.version_id
          where p.library_id = asked.library_id and p.created_at > asked.since and p.created_at <= asked.up_to
            and v.created_by is distinct from asked.user_id
          group by p.document_id order by max(p.created_at) desc limit 300) d
      ) news
      cross join lateral public.search_passages(asked.library_id, asked.query, max_results => 100,
        filters => jsonb_build_object('saved', asked.filters, 'zone', asked.zone, 'documents', news.ids)) hit
      join public.passages p on p.id = hit.passage_id
      where news.ids is not null and p.created_at > asked.since;
    exception when others then
      -- A client may have saved invalid filters.
      raise warning 'saved search %: %', asked.id, sqlerrm;
    end;
    perform set_config('request.jwt.claims', '', true);
    update public.saved_searches s set checked_at = asked.up_to where s.id = asked.id;
    if hits > 0 then
      with replaced as (
        delete from public.notifications n where n.search_id = asked.id and n.read_at is null returning n.amount
      )
      select coalesce(sum(r.amount), 0)::integer into earlier from replaced r;
      insert into public.notifications (user_id, kind, library_id, search_id, amount)
        values (asked.user_id, 'search', asked.library_id, asked.id, least(hits + earlier, 100));
    end if;
    exit when clock_timestamp() > until;
  end loop;
end
$$;

-- Viewing a saved search's results marks its notifications as read.
create function private.read_hits() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  update public.notifications n set read_at = now() where n.search_id = new.id and n.read_at is null;
  return null;
end
$$;
create trigger read_hits after update of looked_at on public.saved_searches
  for each row when (new.looked_at > old.looked_at) execute function private.read_hits();

/* Notifies editors about received files, `quiet` after the last one and once an hour per request. Merges an unread earlier notification. */
create function private.notify_of_received_files(quiet interval default '20 seconds') returns void
  language plpgsql set search_path = ''
as $$
declare
  told record;
begin
  for told in
    select r.id, r.library_id, r.collection_id, count(*)::integer as waiting
    from public.file_requests r
    join public.received_files f on f.request_id = r.id and f.state = 'waiting'
    where r.told_at <= now() - interval '1 hour'
    group by r.id having max(f.received_at) > r.told_at and max(f.received_at) <= now() - quiet
  loop
    update public.file_requests r set told_at = now() where r.id = told.id;
    delete from public.notifications n where n.request_id = told.id and n.read_at is null;
    insert into public.notifications (user_id, kind, library_id, request_id, amount)
      with recursive above (id, parent_id) as (
        select c.id, c.parent_id from public.collections c where c.id = told.collection_id
        union
        select c.id, c.parent_id from public.collections c join above a on a.parent_id = c.id
      )
      select m.user_id, 'request'::public.notification_kind, told.library_id, told.id, told.waiting from public.members m
        where m.library_id = told.library_id and m.role >= 'editor'
      union
      select g.user_id, 'request', told.library_id, told.id, told.waiting
        from public.collection_grants g join above a on a.id = g.collection_id where g.role >= 'editor'
      union
      select m.user_id, 'request', told.library_id, told.id, told.waiting
        from public.group_grants g join above a on a.id = g.collection_id join public.group_members m on m.group_id = g.group_id
        where g.role >= 'editor';
  end loop;
end
$$;

create function private.maintain_notifications() returns void
  language plpgsql set search_path = ''
as $$
begin
  perform private.notify_of_imports();
  perform private.notify_of_hits();
  perform private.notify_of_received_files();
  -- The function may be missing or down: mails that have waited for two days are dropped.
  delete from private.due_mails o where o.due_at < now() - interval '2 days' and o.mail_id is null;
  perform private.call_mailer();
end
$$;

create type public.mail_frequency as enum ('at_once', 'daily', 'weekly', 'never');

/* People without a row have the defaults. Invitations have their own mail. */
create table public.notification_settings (
  user_id uuid primary key default auth.uid() references public.profiles on delete cascade,
  mention public.mail_frequency not null default 'at_once',
  reply public.mail_frequency not null default 'at_once',
  import public.mail_frequency not null default 'daily',
  search public.mail_frequency not null default 'daily',
  -- When daily and weekly mails are sent, in the person's time zone; weekly ones on Mondays.
  hour smallint not null default 8 check (hour between 0 and 23),
  time_zone text not null default 'UTC' check (char_length(time_zone) between 1 and 64 and private.is_time_zone(time_zone)),
  rule public.mail_frequency not null default 'daily',
  verification public.mail_frequency not null default 'daily'
);
alter table public.notification_settings enable row level security;
grant select, insert (mention, reply, import, search, hour, time_zone, rule, verification),
  update (mention, reply, import, search, hour, time_zone, rule, verification)
  on public.notification_settings to authenticated;
grant all on public.notification_settings to service_role;

create policy "people choose their own mails" on public.notification_settings for all to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));

/* Returns when a notification since `since` is mailed; null for never. */
create function private.mail_time(frequency public.mail_frequency, hour smallint, zone text, since timestamptz) returns timestamptz
  language sql stable set search_path = ''
as $$
  select case
    when frequency = 'at_once' then mail_time.since
    when frequency = 'never' then null
    when local.first > local.now then local.first at time zone zone
    else (local.first + local.period) at time zone zone end
  from (
    select since at time zone zone as now,
      date_trunc(case frequency when 'weekly' then 'week' else 'day' end, since at time zone zone) + make_interval(hours => hour) as first,
      case frequency when 'weekly' then interval '7 days' else interval '1 day' end as period
  ) local
$$;

-- A mail being sent. Deleted once sent, or after five failed attempts.
create table private.notification_mails (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references public.profiles on delete cascade,
  taken_at timestamptz not null default clock_timestamp(),
  attempts integer not null default 1
);

create index notification_mails_user_id_idx on private.notification_mails (user_id);

alter table private.notification_mails enable row level security;

-- Notifications to be mailed. `mail_id` is the mail that contains them.
create table private.due_mails (
  notification_id bigint primary key references public.notifications on delete cascade,
  user_id uuid not null references public.profiles on delete cascade,
  due_at timestamptz not null,
  mail_id uuid references private.notification_mails on delete cascade
);

create index due_mails_due_at_idx on private.due_mails (due_at) where mail_id is null;
create index due_mails_user_id_idx on private.due_mails (user_id);
create index due_mails_mail_id_idx on private.due_mails (mail_id);

alter table private.due_mails enable row level security;

-- Tokens that only turn a person's mails off.
create table private.unsubscribe_tokens (
  user_id uuid primary key references public.profiles on delete cascade,
  token text not null unique default private.new_token()
);
alter table private.unsubscribe_tokens enable row level security;

create function private.frequency_of(kind public.notification_kind, settings public.notification_settings) returns public.mail_frequency
  language sql immutable set search_path = ''
as $$
  select case kind
    when 'mention' then coalesce(settings.mention, 'at_once')
    when 'reply' then coalesce(settings.reply, 'at_once')
    when 'import' then coalesce(settings.import, 'daily')
    when 'request' then coalesce(settings.import, 'daily')
    when 'search' then coalesce(settings.search, 'daily')
    when 'rule' then coalesce(settings.rule, 'daily')
    when 'verification' then coalesce(settings.verification, 'daily')
    when 'proposal' then coalesce(settings.verification, 'daily')
    when 'approved' then coalesce(settings.verification, 'daily')
    when 'returned' then coalesce(settings.verification, 'daily')
    else 'never' end
$$;

/* More than sixty immediate mails per hour by one person become part of daily mails. */
create function private.schedule_mail() returns trigger
  language plpgsql set search_path = ''
as $$
declare
  settings public.notification_settings;
  frequency public.mail_frequency;
begin
  select * into settings from public.notification_settings s where s.user_id = new.user_id;
  frequency := private.frequency_of(new.kind, settings);
  if frequency = 'at_once' and (
    select count(*) from public.notifications n where n.actor_id = new.actor_id and n.created_at > now() - interval '1 hour') > 60
  then frequency := 'daily'; end if;
  insert into private.due_mails (notification_id, user_id, due_at)
    select new.id, new.user_id, due
    from private.mail_time(frequency, coalesce(settings.hour, 8::smallint), coalesce(settings.time_zone, 'UTC'), now()) due
    where due is not null;
  return null;
end
$$;
create trigger schedule_mail after insert on public.notifications
  for each row when (new.read_at is null) execute function private.schedule_mail();

-- Changed settings apply to pending mails. Why a definer: users can't write pending mails.
create function private.reschedule_mails() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  update private.due_mails o
    set due_at = coalesce(private.mail_time(private.frequency_of(n.kind, new), new.hour, new.time_zone, now()), 'infinity')
    from public.notifications n where n.id = o.notification_id and o.user_id = new.user_id and o.mail_id is null;
  delete from private.due_mails o where o.user_id = new.user_id and o.due_at = 'infinity';
  return null;
end
$$;
create trigger reschedule_mails after insert or update on public.notification_settings
  for each row execute function private.reschedule_mails();

/* Sets the caller's time zone. The app calls it when the device's time zone changes. */
create function public.set_time_zone(zone text) returns void
  language sql set search_path = ''
as $$
  insert into public.notification_settings (time_zone) values (zone)
  on conflict (user_id) do update set time_zone = excluded.time_zone where notification_settings.time_zone <> excluded.time_zone
$$;
grant execute on function public.set_time_zone to authenticated;

/* Takes the next due mail: everything due to one person, without what they have read or can no longer see; an empty mail is skipped. The
   caller sends it and calls end_notification_mail; otherwise it is returned again after five minutes, five times in all. Null if none is
   due.

   { mail, email, locale, token, total, entries }, where `entries` are the newest fifty: { kind, library_id, library, document_id, title,
   comment_id, body, actors, amount, failed, search_id, search, rule }. Names and texts are omitted for libraries that require a second
   factor: a mailbox has only one.
   Why a definer: the service role can't read the addresses of accounts. */
create function public.take_notification_mail() returns jsonb
  language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  mail private.notification_mails;
  person uuid;
  content jsonb;
begin
  -- Serializes takes: two would mail the same notifications.
  perform pg_advisory_xact_lock(hashtext('carrel.take_notification_mail'));
  delete from private.notification_mails m where m.attempts >= 5 and m.taken_at < clock_timestamp() - interval '5 minutes';
  loop
    update private.notification_mails m set taken_at = clock_timestamp(), attempts = m.attempts + 1
      where m.id = (select b.id from private.notification_mails b
        where b.taken_at < clock_timestamp() - interval '5 minutes' order by b.taken_at limit 1)
      returning m.* into mail;
    if not found then
      select o.user_id into person from private.due_mails o
        where o.mail_id is null and o.due_at <= now() order by o.due_at limit 1;
      if not found then return null; end if;
      insert into private.notification_mails (user_id) values (person) returning * into mail;
      update private.due_mails o set mail_id = mail.id where o.user_id = person and o.mail_id is null and o.due_at <= now();
    end if;
    insert into private.unsubscribe_tokens (user_id) values (mail.user_id) on conflict do nothing;
    with visible as (
      select n.*, l.require_second_factor as is_hidden, l.name as library, coalesce(d.title, r.title) as title, c.body, s.name as search,
        array(select p.display_name from unnest(n.actor_ids || n.actor_id) with ordinality as a (id, place)
          join public.profiles p on p.id = a.id order by a.place) as actors
      from private.due_mails o
      join public.notifications n on n.id = o.notification_id and n.read_at is null
      join public.libraries l on l.id = n.library_id
      join public.members m on m.library_id = n.library_id and m.user_id = n.user_id
        and m.role >= case n.kind when 'search' then 'reader'::public.member_role when 'request' then 'editor' else 'guest' end
      left join public.documents d on d.id = n.document_id and d.deleted_at is null
      left join public.comments c on c.id = n.comment_id
      left join public.saved_searches s on s.id = n.search_id
      left join public.file_requests r on r.id = n.request_id
      where o.mail_id = mail.id and (n.document_id is null
        or (d.id is not null and n.user_id in (select a.user_id from public.document_audience(n.document_id) a)))
    ), listed as (
      select * from visible order by id desc limit 50
    )
    select jsonb_build_object(
      'mail', mail.id, 'email', u.email, 'locale', coalesce(u.raw_user_meta_data ->> 'locale', 'en'), 'token', t.token,
      'total', (select count(*) from visible),
      'entries', (
        select jsonb_agg(jsonb_build_object(
          'kind', e.kind, 'library_id', e.library_id, 'document_id', e.document_id, 'comment_id', e.comment_id, 'search_id', e.search_id,
          'actors', e.actors, 'amount', e.amount, 'failed', e.failed,
          'library', case when not e.is_hidden then e.library end, 'title', case when not e.is_hidden then e.title end,
          'body', case when not e.is_hidden then e.body end, 'search', case when not e.is_hidden then e.search end,
          'rule', case when not e.is_hidden then e.rule end)
          order by e.library, e.library_id, e.id desc)
        from listed e))
    into content
    from auth.users u join private.unsubscribe_tokens t on t.user_id = u.id
    where u.id = mail.user_id and u.email_confirmed_at is not null
      and exists (select from visible);
    if content is not null then return content; end if;
    delete from private.notification_mails m where m.id = mail.id;
  end loop;
end
$$;
grant execute on function public.take_notification_mail to service_role;

-- Completes a sent mail. An unsent one is returned again later.
create function public.end_notification_mail(mail uuid) returns void
  language sql set search_path = ''
as $$ delete from private.notification_mails m where m.id = mail $$;
grant execute on function public.end_notification_mail to service_role;

-- Drops mails if no mail server is configured: otherwise all would be sent once one is.
create function public.discard_notification_mails() returns void
  language sql set search_path = ''
as $$
  delete from private.due_mails o where o.due_at <= now()
$$;
grant execute on function public.discard_notification_mails to service_role;

/* Turns off all mails of the person with this token. Returns whether it exists. */
create function public.unsubscribe(token text) returns boolean
  language plpgsql set search_path = ''
as $$
begin
  insert into public.notification_settings (user_id, mention, reply, import, search, rule, verification)
    select t.user_id, 'never', 'never', 'never', 'never', 'never', 'never'
    from private.unsubscribe_tokens t where t.token = unsubscribe.token
  on conflict (user_id) do update set mention = 'never', reply = 'never', import = 'never', search = 'never', rule = 'never',
    verification = 'never';
  return found;
end
$$;
grant execute on function public.unsubscribe to service_role;

/* Calls the function `notify` if a mail is due; see call_indexer. Once per transaction. */
create function private.call_mailer() returns void
  language plpgsql set search_path = ''
as $$
begin
  if to_regnamespace('net') is null or current_setting('carrel.mailer_called', true) = pg_current_xact_id()::text
    or not (exists (select from private.due_mails o where o.mail_id is null and o.due_at <= now())
      or exists (select from private.notification_mails m where m.taken_at < now() - interval '5 minutes'))
  then return; end if;
  perform set_config('carrel.mailer_called', pg_current_xact_id()::text, true);
  execute 'select net.http_post(url => $1, body => ''{}''::jsonb, headers => $2, timeout_milliseconds => 60000)'
    using private.functions_url() || 'notify',
      jsonb_build_object('content-type', 'application/json', 'x-indexing-key', (select i.key from private.indexing i));
end
$$;

create constraint trigger call_mailer after insert on private.due_mails
  deferrable initially deferred for each row when (new.due_at <= now()) execute function private.call_at_commit('notify');

/* Returns the library's members mentioned in a text, directly or through a group. */
create function private.mentioned_members(library uuid, body text) returns setof uuid
  language sql stable set search_path = '' rows 5
as $$
  with mentioned (id) as materialized (select private.mentioned_people(body))
  select m.user_id from mentioned n join public.members m on m.library_id = library and m.user_id = n.id
  union
  select g.user_id from mentioned n join public.group_members g on g.library_id = library and g.group_id = n.id
$$;
