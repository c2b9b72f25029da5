-- Several people may have written the text of a note that mentions somebody: they are named
-- Those who caused it together; actor_id is null then. Of a note its writers, in the order in which they began.
alter table public.notifications add column actor_ids uuid[] not null default '{}';

/* As before. Whoever saves a version has often written none of it: its writers are those of the updates since the version before. */
create or replace function private.notify_of_note() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  writers uuid[];
begin
  if position('@[' in new.body) = 0 then return null; end if;
  writers := array(
    select u.created_by from public.note_updates u where u.document_id = new.document_id and u.created_by is not null
    group by 1 order by min(u.number));
  if cardinality(writers) = 0 then writers := array_remove(array[new.created_by], null); end if;
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
    -- Nobody is told of what they wrote alone.
    where writers <> array[told.user_id];
  return null;
end
$$;

/* Takes the next mail that is due: all that is due to one person, in one mail. What was read meanwhile, or may not be seen any more, is
   left out; a mail of nothing is not made. Whoever takes a mail sends it and ends it (end_notification_mail). One that was taken and
   not ended within five minutes is given out again, five times in all. Null when none is due.

   { mail, email, locale, token, total, entries }, where `entries` are the newest fifty: { kind, library_id, library, document_id, title,
   comment_id, body, actors, amount, failed, search_id, search, rule }; `actors` are the names of who caused it. Of a library that requires a second factor they have neither names nor
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
      select n.*, l.require_second_factor as is_hidden, l.name as library, d.title, c.body, s.name as search,
        array(select p.display_name from unnest(n.actor_ids || n.actor_id) with ordinality as a (id, place)
          join public.profiles p on p.id = a.id order by a.place) as actors
      from private.owed_mails o
      join public.notifications n on n.id = o.notification_id and n.read_at is null
      join public.libraries l on l.id = n.library_id
      join public.members m on m.library_id = n.library_id and m.user_id = n.user_id
        and (n.kind <> 'search' or m.role >= 'reader')
      left join public.documents d on d.id = n.document_id and d.deleted_at is null
      left join public.comments c on c.id = n.comment_id
      left join public.saved_searches s on s.id = n.search_id
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
    where u.id = mail.user_id and u.email_confirmed_at is not null and exists (select from visible);
    if content is not null then return content; end if;
    delete from private.notification_mails m where m.id = mail.id;
  end loop;
end
$$;
