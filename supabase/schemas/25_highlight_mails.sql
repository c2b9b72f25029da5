-- A few of a person's own highlights by mail, if they want them: those from long ago return. notification_settings says how often; the mails
-- are taken, sent and ended like those of notifications.

-- When the next one is due, of those who want them.
create table private.highlight_mails (
  user_id uuid primary key references public.profiles on delete cascade,
  due_at timestamptz not null
);

create index highlight_mails_due_at_idx on private.highlight_mails (due_at);

alter table private.highlight_mails enable row level security;

-- When a highlight was last mailed to whoever made it, and how often. It is mailed a week after it was made, and returns after two, four
-- and so on.
create table private.mailed_highlights (
  comment_id uuid primary key references public.comments on delete cascade,
  mailed_at timestamptz not null default now(),
  times integer not null default 1
);
alter table private.mailed_highlights enable row level security;

/* Notes when a person's next mail of highlights is due, by their settings. */
create function private.plan_highlight_mail(settings public.notification_settings) returns void
  language sql set search_path = ''
as $$
  delete from private.highlight_mails h where h.user_id = settings.user_id;
  insert into private.highlight_mails (user_id, due_at)
    select settings.user_id, due
    from private.mail_time(settings.highlights, settings.hour, settings.time_zone, now()) due where due is not null
$$;

/* Leaves out mails that were due until then: nobody has sent them. */
create function private.plan_highlight_mails(until timestamptz) returns void
  language sql set search_path = ''
as $$
  select private.plan_highlight_mail(s)
  from private.highlight_mails h join public.notification_settings s on s.user_id = h.user_id where h.due_at <= until
$$;

/* What a person has marked in documents that they may see now, and not resolved; nothing of a library that requires a second factor, because
   a mailbox has only one. `wait` says for how many days it has not been mailed, in parts of those after which it is to be: in
   days, because a mail that comes some seconds early must not leave out what is due on its day. */
create function private.own_highlights(person uuid) returns table (id uuid, document_id uuid, title text, library_id uuid, library text, wait float)
  language sql stable set search_path = ''
as $$
  with own as materialized (
    select c.id, c.document_id, c.created_at from public.comments c
    where c.created_by = person and c.quote is not null and c.parent_id is null and c.resolved_at is null
  ), readable as materialized (
    select d.id, d.title, d.library_id, l.name
    from (select distinct o.document_id from own o) marked
    join public.documents d on d.id = marked.document_id and d.deleted_at is null
    join public.libraries l on l.id = d.library_id and not l.require_second_factor
    join public.members m on m.library_id = d.library_id and m.user_id = person
    where m.role >= 'reader' or person in (select a.user_id from public.document_audience(d.id) a)
  )
  select o.id, r.id, r.title, r.library_id, r.name,
    (current_date - coalesce(h.mailed_at, o.created_at)::date) / (7 * 2 ^ least(coalesce(h.times, 0), 10))
  from own o join readable r on r.id = o.document_id left join private.mailed_highlights h on h.comment_id = o.id
$$;

/* Takes the next mail of highlights that is due: five of those that have waited the longest, of different documents where there are
   enough. None is mailed before its time. A mail without any is not made. */
create function private.take_highlight_mail() returns private.notification_mails
  language plpgsql set search_path = ''
as $$
declare
  mail private.notification_mails;
  settings public.notification_settings;
  chosen uuid[];
begin
  loop
    select s.* into settings from private.highlight_mails h join public.notification_settings s on s.user_id = h.user_id
      where h.due_at <= now() order by h.due_at limit 1;
    if not found then return null; end if;
    perform private.plan_highlight_mail(settings);
    select array_agg(best.id) into chosen from (
      select waiting.id from (
        select o.id, o.wait, row_number() over (partition by o.document_id order by o.wait desc, o.id) > 2 as is_further
        from private.own_highlights(settings.user_id) o
        where o.wait >= 1) waiting
      order by waiting.is_further, waiting.wait desc, waiting.id limit 5) best;
    continue when chosen is null;
    insert into private.mailed_highlights as h (comment_id) select unnest(chosen)
      on conflict (comment_id) do update set mailed_at = now(), times = h.times + 1;
    insert into private.notification_mails (user_id, highlights) values (settings.user_id, chosen) returning * into mail;
    return mail;
  end loop;
end
$$;

/* What a mail shows of its highlights, in its order: [{ id, library_id, library, document_id, title, page, quote, body, created_at }].
   Null without any: those that are gone, or may not be seen any more, are left out. */
create function private.highlights_in_mail(mail private.notification_mails) returns jsonb
  language sql stable set search_path = ''
as $$
  select jsonb_agg(jsonb_build_object('id', c.id, 'library_id', o.library_id, 'library', o.library, 'document_id', o.document_id,
    'title', o.title, 'page', c.page, 'quote', c.quote, 'body', c.body, 'created_at', c.created_at)
    order by o.library, o.library_id, array_position(mail.highlights, c.id))
  from private.own_highlights(mail.user_id) o join public.comments c on c.id = o.id
  where c.id = any (mail.highlights)
$$;
