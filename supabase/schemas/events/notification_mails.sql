-- Mails about notifications.

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

-- Notifications to be mailed. `mail_id` is the mail that contains them.
create table private.mail_queue (
  notification_id bigint primary key references public.notifications on delete cascade,
  user_id uuid not null references public.profiles on delete cascade,
  due_at timestamptz not null,
  mail_id uuid references private.notification_mails on delete cascade
);

create index mail_queue_due_at_idx on private.mail_queue (due_at) where mail_id is null;
create index mail_queue_user_id_idx on private.mail_queue (user_id);
create index mail_queue_mail_id_idx on private.mail_queue (mail_id);

-- Tokens that only turn a person's mails off.
create table private.unsubscribe_tokens (
  user_id uuid primary key references public.profiles on delete cascade,
  token text not null unique default private.new_token()
);

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
  insert into private.mail_queue (notification_id, user_id, due_at)
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
  update private.mail_queue o
    set due_at = coalesce(private.mail_time(private.frequency_of(n.kind, new), new.hour, new.time_zone, now()), 'infinity')
    from public.notifications n where n.id = o.notification_id and o.user_id = new.user_id and o.mail_id is null;
  delete from private.mail_queue o where o.user_id = new.user_id and o.due_at = 'infinity';
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
      select o.user_id into person from private.mail_queue o
        where o.mail_id is null and o.due_at <= now() order by o.due_at limit 1;
      if not found then return null; end if;
      insert into private.notification_mails (user_id) values (person) returning * into mail;
      update private.mail_queue o set mail_id = mail.id where o.user_id = person and o.mail_id is null and o.due_at <= now();
    end if;
    insert into private.unsubscribe_tokens (user_id) values (mail.user_id) on conflict do nothing;
    with visible as (
      select n.*, l.require_second_factor as is_hidden, l.name as library, coalesce(d.title, r.title) as title, c.body, s.name as search,
        array(select p.display_name from unnest(n.actor_ids || n.actor_id) with ordinality as a (id, place)
          join public.profiles p on p.id = a.id order by a.place) as actors
      from private.mail_queue o
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
  delete from private.mail_queue o where o.due_at <= now()
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
    or not (exists (select from private.mail_queue o where o.mail_id is null and o.due_at <= now())
      or exists (select from private.notification_mails m where m.taken_at < now() - interval '5 minutes'))
  then return; end if;
  perform set_config('carrel.mailer_called', pg_current_xact_id()::text, true);
  execute 'select net.http_post(url => $1, body => ''{}''::jsonb, headers => $2, timeout_milliseconds => 60000)'
    using private.functions_url() || 'notify',
      jsonb_build_object('content-type', 'application/json', 'x-database-key', (select i.key from private.indexing i));
end
$$;

create constraint trigger call_mailer after insert on private.mail_queue
  deferrable initially deferred for each row when (new.due_at <= now()) execute function private.call_at_commit('notify');
