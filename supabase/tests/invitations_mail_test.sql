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
    "collection": null, "collection_role": null}'::jsonb, 'the mail says who invites, to what, as what, in the language of the invitation');
select is(pg_temp.mail_of(pg_temp.invited('german@example.org')) ->> 'locale', 'de', 'an account has the mail in its own');
select is(pg_temp.mail_of(pg_temp.invited('unconfirmed@example.org')) ->> 'account', null, 'an address that nobody has confirmed has no account');
select is(pg_temp.mail_of(pg_temp.invited('unconfirmed@example.org')) ->> 'unconfirmed', '00000000-0000-4000-8000-000000000003', 'but somebody waits for it');
select is(public.take_invitation_mail(gen_random_uuid()), null, 'no invitation, no mail');
select throws_ok('select pg_temp.invited(''new@example.org'', locale => ''de<b>'')', '23514', null, 'a language is two letters');

create function pg_temp.enter(key text) returns jsonb language sql
as $$ select public.enter_invitation((select invitation ->> 'token' from made), key) $$;
select is(pg_temp.enter((select mail ->> 'key' from mails)), '{"email": "new@example.org", "account": null, "unconfirmed": null}'::jsonb, 'the key of the mail opens it');
select is(pg_temp.enter((select invitation ->> 'token' from made)), null, 'the token alone, which the inviter knows, does not');
select isnt(pg_temp.mail_of((select invitation from made)), null, 'a second mail has a key of its own');
select is(pg_temp.enter((select mail ->> 'key' from mails)), null, 'and ends that of the first');

select is((select count(*)::integer from (select pg_temp.mail_of(invitation) as mail from made, generate_series(1, 5) offset 0) sent where mail ? 'key'), 3, 'five an hour for an address');
select is((select count(*)::integer from generate_series(1, 70) n, pg_temp.mail_of(pg_temp.invited('n' || n || '@example.org')) mail where mail ? 'key'),
  60 - 8, 'sixty an hour for a library');
select is(pg_temp.mail_of(pg_temp.invited('other@example.org', 'b0000000-0000-4000-8000-000000000000')), '{"limited": true}'::jsonb, 'and for whoever invites');
update private.invitation_mails set sent_at = sent_at - interval '61 minutes';
select is(pg_temp.mail_of((select invitation from made)) ? 'key', true, 'the next hour has its own');

create function pg_temp.ask() returns jsonb language sql
as $$ select public.ask_for_invitation((select invitation ->> 'token' from made)) $$;
select is(pg_temp.ask(), null, 'nobody asks for a new link while the old one is good');
update public.invitations set expires_at = now() where email = 'new@example.org';
select is(public.take_invitation_mail((select (invitation ->> 'id')::uuid from made)), null, 'an expired one is not mailed');
select is(pg_temp.ask(), '{"email": "owner@example.org", "locale": "de", "library_id": "a0000000-0000-4000-8000-000000000000", "library": "A", "invited": "new@example.org"}'::jsonb,
  'its inviter is told that somebody asks for a new one');
select is(pg_temp.ask(), null, 'once');
update public.invitations set asked_at = null;
update public.members set role = 'reader' where user_id = '00000000-0000-4000-8000-000000000001';
select is(pg_temp.ask() ->> 'email', 'second@example.org', 'an owner is, when the inviter is none any more');

select is((select string_agg(p.proname, ' ') from pg_proc p where p.pronamespace = 'public'::regnamespace
  and p.proname in ('take_invitation_mail', 'enter_invitation', 'ask_for_invitation')
  and (has_function_privilege('authenticated', p.oid, 'execute') or has_function_privilege('anon', p.oid, 'execute'))), null, 'these are for the functions alone');
select is(has_column_privilege('authenticated', 'public.invitations', 'key_hash', 'select'), false, 'nobody reads what is kept of a key');

select pg_temp.become(5);
create temporary table german as select pg_temp.invited('german@example.org') as invitation;
select pg_temp.become(2);
select public.accept_invitation((select (invitation ->> 'id')::uuid from german));
select is((select string_agg(user_id::text, ' ') from public.members where is_new), '00000000-0000-4000-8000-000000000002', 'who came by an invitation is new');
select pg_temp.become(4);
select public.dismiss_welcome('a0000000-0000-4000-8000-000000000000');
select is((select count(*)::integer from public.members where is_new), 1, 'to themselves alone');
select pg_temp.become(2);
select public.dismiss_welcome('a0000000-0000-4000-8000-000000000000');
select is((select count(*)::integer from public.members where is_new), 0, 'until they say so');

select * from finish();
rollback;
