-- Invitation mails: language, key, limits; expired invitations; the welcome of new members
begin;
\ir helpers.psql
select plan(24);

insert into auth.users (id, email, email_confirmed_at, raw_user_meta_data)
select ('00000000-0000-4000-8000-00000000000' || n)::uuid, name || '@example.org', case when name <> 'unconfirmed' then now() end,
  case name when 'german' then '{"locale": "de"}'::jsonb else '{}' end
from unnest(array['owner', 'german', 'unconfirmed', 'reader', 'second']) with ordinality as p (name, n);
update public.profiles set display_name = 'Ada' where id = '00000000-0000-4000-8000-000000000001';
insert into public.libraries (id, name) values ('a0000000-0000-4000-8000-000000000000', 'A'), ('b0000000-0000-4000-8000-000000000000', 'B');
insert into public.members (library_id, user_id, role, joined_at)
select l.id, ('00000000-0000-4000-8000-00000000000' || n)::uuid, case n when 4 then 'reader' else 'owner' end::public.member_role, now() + n * interval '1 s'
from public.libraries l, unnest(array[1, 4, 5]) n;

create function pg_temp.become(n integer) returns void language sql
as $$ select set_config('request.jwt.claims', format('{"sub": "00000000-0000-4000-8000-00000000000%s", "role": "authenticated", "aal": "aal1"}', n), true) $$;
create function pg_temp.invited(address text, library uuid default 'a0000000-0000-4000-8000-000000000000', locale text default 'en') returns jsonb
  language sql
as $$ select public.invite_member(library => library, email => address, role => 'editor', locale => locale) $$;
create function pg_temp.mail_of(invited jsonb) returns jsonb language sql
as $$ select public.take_invitation_mail((invited ->> 'id')::uuid) $$;

select pg_temp.become(1);
create temporary table made as select pg_temp.invited('new@example.org', locale => 'de') as invitation;
create temporary table mails as select pg_temp.mail_of(invitation) as mail from made;
select is((select mail - 'key' - 'expires_at' from mails),
  '{"email": "new@example.org", "locale": "de", "account": null, "unconfirmed": null, "inviter": "Ada", "library": "A", "role": "editor",
    "collection": null, "collection_role": null}'::jsonb, 'the email has inviter, library, role and language');
select is(pg_temp.mail_of(pg_temp.invited('german@example.org')) ->> 'locale', 'de', 'an account''s own language takes precedence');
select is(pg_temp.mail_of(pg_temp.invited('unconfirmed@example.org')) ->> 'account', null, 'an unconfirmed address has no account');
select is(pg_temp.mail_of(pg_temp.invited('unconfirmed@example.org')) ->> 'unconfirmed', '00000000-0000-4000-8000-000000000003', 'the unconfirmed user is returned');
select is(public.take_invitation_mail(gen_random_uuid()), null, 'an unknown invitation has no email');
select throws_ok('select pg_temp.invited(''new@example.org'', locale => ''de<b>'')', '23514', null, 'an invalid language is rejected');

create function pg_temp.enter(key text) returns jsonb language sql
as $$ select public.enter_invitation((select invitation ->> 'token' from made), key) $$;
select is(pg_temp.enter((select mail ->> 'key' from mails)), '{"email": "new@example.org", "account": null, "unconfirmed": null}'::jsonb, 'the emailed key opens the invitation');
select is(pg_temp.enter((select invitation ->> 'token' from made)), null, 'the token alone does not open it, because the inviter knows it');
select isnt(pg_temp.mail_of((select invitation from made)), null, 'a second email has a new key');
select is(pg_temp.enter((select mail ->> 'key' from mails)), null, 'the first key stops working');

select is((select count(*)::integer from (select pg_temp.mail_of(invitation) as mail from made, generate_series(1, 5) offset 0) sent where mail ? 'key'), 3, 'an address gets at most five emails an hour');
select is((select count(*)::integer from generate_series(1, 70) n, pg_temp.mail_of(pg_temp.invited('n' || n || '@example.org')) mail where mail ? 'key'),
  60 - 8, 'a library sends at most sixty emails an hour');
select is(pg_temp.mail_of(pg_temp.invited('other@example.org', 'b0000000-0000-4000-8000-000000000000')), '{"limited": true}'::jsonb, 'an inviter sends at most sixty emails an hour');
update private.invitation_mails set sent_at = sent_at - interval '61 minutes';
select is(pg_temp.mail_of((select invitation from made)) ? 'key', true, 'the limit is reset after an hour');

create function pg_temp.ask() returns jsonb language sql
as $$ select public.ask_for_invitation((select invitation ->> 'token' from made)) $$;
select is(pg_temp.ask(), null, 'a valid invitation cannot be requested again');
update public.invitations set expires_at = now() where email = 'new@example.org';
select is(public.take_invitation_mail((select (invitation ->> 'id')::uuid from made)), null, 'an expired invitation is not emailed');
select is(pg_temp.ask(), '{"email": "owner@example.org", "locale": "de", "library_id": "a0000000-0000-4000-8000-000000000000", "library": "A", "invited": "new@example.org"}'::jsonb,
  'the inviter is notified of a request for a new one');
select is(pg_temp.ask(), null, 'a second request is ignored');
update public.invitations set asked_at = null;
update public.members set role = 'reader' where user_id = '00000000-0000-4000-8000-000000000001';
select is(pg_temp.ask() ->> 'email', 'second@example.org', 'another owner is notified if the inviter is no longer an owner');

select is((select string_agg(p.proname, ' ') from pg_proc p where p.pronamespace = 'public'::regnamespace
  and p.proname in ('take_invitation_mail', 'enter_invitation', 'ask_for_invitation')
  and (has_function_privilege('authenticated', p.oid, 'execute') or has_function_privilege('anon', p.oid, 'execute'))), null, 'only the service role can call these functions');
select is(has_column_privilege('authenticated', 'public.invitations', 'key_hash', 'select'), false, 'the hash of a key cannot be read');

select pg_temp.become(5);
create temporary table german as select pg_temp.invited('german@example.org') as invitation;
select pg_temp.become(2);
select public.accept_invitation((select (invitation ->> 'id')::uuid from german));
select is((select string_agg(user_id::text, ' ') from public.members where is_new), '00000000-0000-4000-8000-000000000002', 'members who accept an invitation are new');
select pg_temp.become(4);
select public.dismiss_welcome('a0000000-0000-4000-8000-000000000000');
select is((select count(*)::integer from public.members where is_new), 1, 'other members cannot dismiss the welcome');
select pg_temp.become(2);
select public.dismiss_welcome('a0000000-0000-4000-8000-000000000000');
select is((select count(*)::integer from public.members where is_new), 0, 'new members dismiss the welcome');

select * from finish();
rollback;
