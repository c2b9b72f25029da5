-- Rules tell people: a notification of a kind of its own, with mails as the others have them

-- The name of the rule as it was: whoever is told need not see the rule.
alter table public.notifications add column rule text;
alter table public.notification_settings add column rule public.mail_frequency not null default 'daily';
grant insert (rule), update (rule) on public.notification_settings to authenticated;

create or replace function private.frequency_of(kind public.notification_kind, settings public.notification_settings) returns public.mail_frequency
  language sql immutable set search_path = ''
as $$
  select case kind
    when 'mention' then coalesce(settings.mention, 'at_once')
    when 'reply' then coalesce(settings.reply, 'at_once')
    when 'import' then coalesce(settings.import, 'daily')
    when 'search' then coalesce(settings.search, 'daily')
    when 'rule' then coalesce(settings.rule, 'daily')
    else 'never' end
$$;

/* Turns all mails off for the person whose mails have this token. Returns whether there is one. */
create or replace function public.unsubscribe(token text) returns boolean
  language plpgsql security definer set search_path = ''
as $$
begin
  insert into public.notification_settings (user_id, mention, reply, import, search, rule)
    select t.user_id, 'never', 'never', 'never', 'never', 'never' from private.unsubscribe_tokens t where t.token = unsubscribe.token
  on conflict (user_id) do update set mention = 'never', reply = 'never', import = 'never', search = 'never', rule = 'never';
  return found;
end
$$;

/* Takes the next mail that is due: all that is due to one person, in one mail. What was read meanwhile, or may not be seen any more, is
   left out; a mail of nothing is not made. Whoever takes a mail sends it and ends it (end_notification_mail). One that was taken and
   not ended within five minutes is given out again, five times in all. Null when none is due.

   { mail, email, locale, token, total, entries }, where `entries` are the newest fifty: { kind, library_id, library, document_id, title,
   comment_id, body, actor, amount, failed, search_id, search, rule }. Of a library that requires a second factor they have neither names nor
   words: a mailbox has only one. */
create or replace function public.take_notification_mail() returns jsonb
  language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  mail private.notification_mails;
  person uuid;
  content jsonb;
begin
  -- One at a time: two would make two mails of what is due to one person.
  perform pg_advisory_xact_lock(hashtext('carrel.take_notification_mail'));
  delete from private.notification_mails m where m.attempts >= 5 and m.taken_at < clock_timestamp() - interval '5 minutes';
  loop
    update private.notification_mails m set taken_at = clock_timestamp(), attempts = m.attempts + 1
      where m.id = (select b.id from private.notification_mails b
        where b.taken_at < clock_timestamp() - interval '5 minutes' order by b.taken_at limit 1)
      returning m.* into mail;
    if not found then
      select o.user_id into person from private.owed_mails o
        where o.mail_id is null and o.due_at <= now() order by o.due_at limit 1;
      if not found then return null; end if;
      insert into private.notification_mails (user_id) values (person) returning * into mail;
      update private.owed_mails o set mail_id = mail.id where o.user_id = person and o.mail_id is null and o.due_at <= now();
    end if;
    insert into private.unsubscribe_tokens (user_id) values (mail.user_id) on conflict do nothing;
    with visible as (
      select n.*, l.require_second_factor as is_hidden, l.name as library, d.title, c.body, s.name as search, p.display_name as actor
      from private.owed_mails o
      join public.notifications n on n.id = o.notification_id and n.read_at is null
      join public.libraries l on l.id = n.library_id
      join public.members m on m.library_id = n.library_id and m.user_id = n.user_id
        and (n.kind <> 'search' or m.role >= 'reader')
      left join public.documents d on d.id = n.document_id and d.deleted_at is null
      left join public.comments c on c.id = n.comment_id
      left join public.saved_searches s on s.id = n.search_id
      left join public.profiles p on p.id = n.actor_id
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
          'actor', e.actor, 'amount', e.amount, 'failed', e.failed,
          'library', case when not e.is_hidden then e.library end, 'title', case when not e.is_hidden then e.title end,
          'body', case when not e.is_hidden then e.body end, 'search', case when not e.is_hidden then e.search end,
          'rule', case when not e.is_hidden then e.rule end)
          order by e.library, e.library_id, e.id desc)
        from listed e))
    into content
    from auth.users u join private.unsubscribe_tokens t on t.user_id = u.id
    where u.id = mail.user_id and u.email_confirmed_at is not null and exists (select from visible);
    if content is not null then return content; end if;
    delete from private.notification_mails m where m.id = mail.id;
  end loop;
end
$$;

-- As it was, with the types of files that rules have, too.
/* The filters of search_passages that those of a saved search stand for, as src/features/search/search-filter.ts has them. Days are
   those of a time zone. An error where the saved search contains what no screen writes. */
create or replace function private.passage_filters(saved jsonb, zone text default 'UTC') returns jsonb
  language sql stable set search_path = ''
as $$
  select jsonb_strip_nulls(jsonb_build_object(
    'collection', saved ->> 'collection',
    'tags', case when saved ->> 'tag' is not null then jsonb_build_array(saved ->> 'tag') end,
    'kinds', case when saved ->> 'kind' is not null then jsonb_build_array(saved ->> 'kind') end,
    'people', case when saved ->> 'person' is not null then jsonb_build_array(saved ->> 'person') end,
    'since', case saved ->> 'since'
      when 'week' then (date_trunc('day', now(), 'UTC') - interval '7 days')::text
      when 'month' then (date_trunc('day', now(), 'UTC') - interval '30 days')::text
      when 'year' then (date_trunc('day', now(), 'UTC') - interval '365 days')::text
      else ((select first from private.day_range(saved ->> 'since'))::timestamp at time zone zone)::text end,
    'until', (((select last from private.day_range(saved ->> 'until')) + 1)::timestamp at time zone zone - interval '1 millisecond')::text,
    'media_types', to_jsonb(private.type_patterns(saved ->> 'type')),
    'title', saved ->> 'title',
    'author', saved ->> 'author',
    'dated_from', (select first from private.day_range(saved ->> 'dated')),
    'dated_to', (select last from private.day_range(saved ->> 'dated'))))
$$;
