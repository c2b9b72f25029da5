-- Which emails are due to whom and when: each once, without notifications that were read or are hidden now
begin;
\ir helpers.psql
select plan(27);

insert into auth.users (id, email, email_confirmed_at)
  select md5(name)::uuid, name || '@example.org', case when name <> 'unconfirmed' then now() end
  from unnest(array['ann', 'ben', 'cleo', 'dora', 'gil', 'unconfirmed']) name;
insert into public.libraries (id, name) values (md5('lab')::uuid, 'Lab'), (md5('vault')::uuid, 'Vault');
insert into public.members (library_id, user_id, role)
  select l.id, u.id, case when u.email ~ '^ann' then 'owner' when u.email ~ '^gil' then 'guest' else 'reader' end::public.member_role
  from public.libraries l, auth.users u where l.name in ('Lab', 'Vault') and u.email like '%@example.org' and u.id in (
    select md5(name)::uuid from unnest(array['ann', 'ben', 'cleo', 'dora', 'gil', 'unconfirmed']) name);
update public.libraries set require_second_factor = true where name = 'Vault';
insert into public.documents (id, library_id, kind, title) values
  (md5('lamps')::uuid, md5('lab')::uuid, 'note', 'Lamps'), (md5('safe')::uuid, md5('vault')::uuid, 'note', 'Safe');

create function pg_temp.comment(name text, people text[], document text default 'lamps') returns void
  language sql
as $$
  insert into public.comments (id, library_id, document_id, body, created_by)
    select md5(name)::uuid, d.library_id, d.id, name || (select string_agg(format(' @[x](%s)', md5(p)::uuid), '' order by p) from unnest(people) p),
      md5('ann')::uuid
    from public.documents d where d.id = md5(document)::uuid
$$;
/* Takes a mail and returns a summary. */
create function pg_temp.taken() returns text
  language sql
as $$
  select concat_ws(' ', mail ->> 'email', mail ->> 'total', (
    select string_agg(concat_ws('/', e ->> 'kind', e ->> 'library', e ->> 'title', split_part(e ->> 'body', ' ', 1)), ' ')
    from jsonb_array_elements(mail -> 'entries') e))
  from (select public.take_notification_mail() as mail) t where mail is not null
$$;
create function pg_temp.end_all() returns void
  language sql
as $$ select public.end_notification_mail(id) from private.notification_mails $$;
create function pg_temp.chosen(person text, changes text) returns text
  language plpgsql
as $$
begin
  begin
    perform set_config('request.jwt.claims', jsonb_build_object('sub', md5(person)::uuid, 'role', 'authenticated')::text, true),
      set_config('role', 'authenticated', true);
    execute changes;
    perform set_config('role', 'none', true), set_config('request.jwt.claims', '', true);
    return 'done';
  exception when others then
    return sqlstate;
  end;
end
$$;

-- Settings are private
select extensions.is(pg_temp.chosen('ben', $$insert into public.notification_settings (mention, time_zone) values ('daily', 'Europe/Berlin')$$), 'done', 'users change their own settings');
select extensions.is(pg_temp.chosen('cleo', format($$insert into public.notification_settings (user_id) values (%L)$$, md5('dora')::uuid)), '42501', 'settings of other users are rejected');
select extensions.is(pg_temp.chosen('cleo', $$update public.notification_settings set mention = 'never'$$), 'done', 'updates do not reach other users'' settings');
select extensions.is((select mention from public.notification_settings), 'daily', 'the settings are unchanged');
select extensions.is(pg_temp.chosen('ben', $$update public.notification_settings set time_zone = 'Middle/Earth'$$), '23514', 'an invalid time zone is rejected');
select extensions.is(pg_temp.chosen('ben', $$update public.notification_settings set hour = 24$$), '23514', 'an invalid hour is rejected');
select extensions.is(pg_temp.chosen('dora', $$select public.set_time_zone('Asia/Tokyo')$$), 'done', 'the app sets the time zone');

-- Due times
select extensions.is(private.mail_time('daily', 8::smallint, 'Europe/Berlin', '2026-03-28 07:30Z'), '2026-03-29 06:00Z', 'a daily email is due at the next local hour, even across a clock change');
select extensions.is(private.mail_time('daily', 8::smallint, 'Asia/Tokyo', '2026-03-28 22:30Z'), '2026-03-28 23:00Z', 'it is due today if the hour is still ahead');
select extensions.is(private.mail_time('weekly', 8::smallint, 'UTC', '2026-11-23 08:00Z'), '2026-11-30 08:00Z', 'a weekly email is due next Monday');
select extensions.is(private.mail_time('at_once', 8::smallint, 'Asia/Tokyo', '2026-11-23 08:00Z'), '2026-11-23 08:00Z', 'an immediate email is due now in every time zone');
select extensions.is(private.mail_time('never', 8::smallint, 'UTC', now()), null, 'an email that is turned off is never due');

-- Immediate mails
select pg_temp.comment('first', array['ben', 'cleo', 'gil', 'unconfirmed']);
select extensions.is(pg_temp.taken(), 'cleo@example.org 1 mention/Lab/Lamps/first', 'immediate emails are the default');
select extensions.is(pg_temp.taken(), null, 'nothing else is due: daily emails, hidden documents, users without an address');
update private.notification_mails set taken_at = taken_at - interval '6 minutes';
select extensions.is(pg_temp.taken(), 'cleo@example.org 1 mention/Lab/Lamps/first', 'an email without confirmation is returned again');
update private.notification_mails set taken_at = taken_at - interval '6 minutes', attempts = 5;
select extensions.is(pg_temp.taken(), null, 'it is returned only a limited number of times');
select pg_temp.comment('second', array['cleo'], 'safe');
select extensions.is(pg_temp.taken(), 'cleo@example.org 1 mention', 'without a second factor the email has no protected content');
select pg_temp.end_all();

-- One mail per person
update private.mail_queue set due_at = now();
select pg_temp.comment('third', array['ben', 'cleo', 'dora']);
update private.mail_queue set due_at = now();
update public.notifications set read_at = now() where user_id = md5('dora')::uuid;
select extensions.is((select string_agg(pg_temp.taken(), ', ') from generate_series(1, 3)),
  'ben@example.org 2 mention/Lab/Lamps/third mention/Lab/Lamps/first, cleo@example.org 1 mention/Lab/Lamps/third',
  'one email has all notifications, without those read meanwhile');
select pg_temp.end_all();
select extensions.is((select count(*)::integer from private.mail_queue), 0, 'the queue is empty afterwards');
select pg_temp.comment('fourth', array['cleo']);
update public.documents set deleted_at = now() where title = 'Lamps';
select extensions.is(pg_temp.taken(), null, 'hidden documents are not emailed');
update public.documents set deleted_at = null where title = 'Lamps';

-- Changed settings
select pg_temp.comment('fifth', array['ben', 'dora']);
select pg_temp.chosen('ben', $$update public.notification_settings set mention = 'at_once'$$), pg_temp.chosen('dora', $$update public.notification_settings set mention = 'never'$$);
select extensions.is((select string_agg(pg_temp.taken(), ', ') from generate_series(1, 2)), 'ben@example.org 1 mention/Lab/Lamps/fifth', 'queued emails follow changed settings');
select pg_temp.end_all();

-- Rate limit
select pg_temp.comment('many ' || n, array['cleo']) from generate_series(1, 70) n;
select extensions.ok((select count(*) between 40 and 60 from private.mail_queue where due_at <= now()), 'one person causes about sixty immediate emails an hour');
select extensions.ok((select count(*) > 0 from private.mail_queue where due_at > now()), 'further notifications are in the daily email');
select public.discard_notification_mails();
select extensions.is(pg_temp.taken(), null, 'without a mail server the queue is emptied');

-- Unsubscribing
select extensions.is(public.unsubscribe((select token from private.unsubscribe_tokens where user_id = md5('cleo')::uuid)), true, 'the token of an email unsubscribes');
select extensions.is((select row(mention, reply, import, search)::text from public.notification_settings where user_id = md5('cleo')::uuid), '(never,never,never,never)', 'all emails are turned off');
select extensions.ok(not has_function_privilege('authenticated', 'public.take_notification_mail()', 'execute')
  and not has_function_privilege('anon', 'public.unsubscribe(text)', 'execute'), 'only the service role can call these functions');

select * from finish();
rollback;
