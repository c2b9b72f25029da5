-- Guests, invitations to one collection, links and second factors, sessions, leaving, and purging
begin;
\ir helpers.psql
select plan(43);

create or replace function pg_temp.session_claims(person text, session text) returns jsonb
  language sql
as $$
  select jsonb_build_object('sub', md5(person)::uuid, 'role', 'authenticated', 'aal', session, 'session_id', md5(person || ' here')::uuid)
    where person is not null
$$;
select pg_temp.add_people('ann', 'ben', 'gil', 'hub');
create temporary table lab as select (pg_temp.by('ann', '(public.create_library(''Lab'')).id'))::uuid as id;
grant select on lab to authenticated, anon;
insert into public.members select id, md5('ben')::uuid, 'editor' from lab;
insert into public.collections (id, library_id, name) select md5('open')::uuid, id, 'Open' from lab;
insert into public.collections (id, library_id, parent_id, name) select md5('inside')::uuid, id, md5('open')::uuid, 'Inside' from lab;
create temporary table note as
  select (pg_temp.by('ben', '(public.add_note((select id from lab), ''Lamp'', ''A lamp.'', md5(''inside'')::uuid)).id'))::uuid as id;
create temporary table secret as select (pg_temp.by('ben', '(public.add_note((select id from lab), ''Secret'', ''A secret lamp.'')).id'))::uuid as id;
grant select on note, secret to authenticated, anon;
create temporary table stored as select public.replace_passages(current_version_id, '[{"start": 0, "end": 7, "content": "A lamp."}]')
  from public.documents where id in ((select id from note), (select id from secret));

-- Inviting a guest to one collection
select extensions.matches(pg_temp.by('ann', 'public.invite_member((select id from lab), ''gil@example.org'', ''guest'')'),
  '^23514', 'a guest''s invitation needs a collection');
select extensions.matches(pg_temp.by('ann', 'public.invite_member((select id from lab), ''gil@example.org'', ''guest'', md5(''nowhere'')::uuid, ''reader'')'),
  '^23503', 'the collection must be in the library');
create temporary table made as select (pg_temp.by('ann',
  'public.invite_member((select id from lab), ''gil@example.org'', ''guest'', md5(''open'')::uuid, ''reader'')'))::jsonb as invitation;
grant select on made to authenticated, anon;
select extensions.is(pg_temp.by(null, '(select row(library_name, collection_name, role)::text from public.find_invitation((select invitation ->> ''token'' from made)))'),
  '(Lab,Open,guest)', 'the link shows the collection');
select extensions.is(pg_temp.by('gil', 'public.accept_invitation((select (invitation ->> ''id'')::uuid from made))'), (select id::text from lab), 'the guest accepts');
select extensions.is(pg_temp.by('gil', '(select string_agg(title, '','') from public.documents)'), 'Lamp', 'the guest sees documents in nested collections');
select extensions.is(pg_temp.by('gil', '(select count(*) from public.search_passages((select id from lab), ''lamp''))'), '1', 'the guest''s search finds only these');
select extensions.is(pg_temp.by('gil', '(select count(*) from public.related_documents((select id from note)))'), '0', 'related documents exclude hidden ones');
select extensions.is(pg_temp.by('ben', '(select count(*) from public.related_documents((select id from note)))'), '1', 'a member sees all related documents');
select extensions.is(pg_temp.by('gil', '(select count(*) from public.related_documents((select id from secret)))'), '0', 'a hidden document has no related documents for a guest');
insert into public.documents (id, library_id, kind, title) select md5('bread')::uuid, id, 'note', 'Bread' from lab;
insert into public.versions (id, library_id, document_id, body, mime_type, size_bytes) select md5('dough')::uuid, id, md5('bread')::uuid, 'Sourdough rises overnight.', '', 0 from lab;
select public.replace_passages(md5('dough')::uuid, '[{"start": 0, "end": 26, "content": "Sourdough rises overnight."}]');
select extensions.is(pg_temp.by('ben', '(select count(*) from public.related_documents(md5(''bread'')::uuid))'), '0', 'unrelated documents are not listed');
delete from public.documents where id = md5('bread')::uuid;
select extensions.is(pg_temp.by('gil', '(public.library_insights((select id from lab)) ->> ''documents'')'), '1', 'insights count only visible documents');
select extensions.matches(pg_temp.by('gil', '(public.save_note((select id from note), ''x'', (select current_version_id from public.documents where id = (select id from note)))).number'),
  '^42501', 'a guest with read access cannot save a note');
update public.collection_grants set role = 'editor';
select extensions.is(pg_temp.by('gil', '(public.save_note((select id from note), ''x'', (select current_version_id from public.documents where id = (select id from note)))).number'),
  '2', 'a guest with edit access saves a note');
select extensions.is(pg_temp.by('ann', '(select string_agg(display_name || coalesce('' '' || through, ''''), '', '') from public.document_audience((select id from note)))'),
  'ann, ben, gil Open', 'an owner sees who can see a document, and why');
select extensions.is(pg_temp.by('ann', '(select count(*) from public.document_audience((select id from secret)))'), '2', 'people without access are not listed');
delete from public.members where user_id = md5('gil')::uuid;
select extensions.is((select count(*) from public.collection_grants), 0::bigint, 'leaving removes the grants');

-- Second factor
create temporary table link as select (pg_temp.by('ben', 'public.create_share_link((select id from note))'))::jsonb ->> 'token' as token;
grant select on link to anon;
select extensions.is((select storage_path from public.find_shared_file((select token from link))), null, 'a share link to a note has no file');
create temporary table picture as select md5('picture')::uuid || '.png' as name;
select extensions.is((select count(*) from picture, public.find_shared_pictures((select token from link), array[name])), 0::bigint, 'pictures missing from the note''s text are not shared');
update public.versions set body = body || ' ![a](pictures/' || (select name from picture) || ')' where id = (select current_version_id from public.documents where id = (select id from note));
select extensions.is((select string_agg(path, ' ') from picture, public.find_shared_pictures((select token from link), array[name, '../' || name, ''])  as path),
  (select (select id from lab) || '/' || (select id from note) || '/' || name from picture), 'only the pictures in the note''s text are shared');
update public.documents set deleted_at = now() where id = (select id from note);
select extensions.is((select count(*) from picture, public.find_shared_pictures((select token from link), array[name])), 0::bigint, 'a note in the trash shares no pictures');
update public.documents set deleted_at = null where id = (select id from note);
update public.libraries set require_second_factor = true;
select extensions.is(pg_temp.by(null, '(select title from public.open_share_link((select token from link)))'), null, 'links to a library that requires a second factor show nothing');
select extensions.matches(pg_temp.by('ben', 'public.create_share_link((select id from note))', 'aal2'), '^42501', 'new links are rejected there');
update public.libraries set require_second_factor = false;
select extensions.is((select view_count from public.share_links), 0, 'a rejected view is not counted');

-- Activity
select extensions.is(pg_temp.by('ben', '(select count(*) from public.activity where verb ~ ''^(invitation|grant|share)'')'), '0', 'editors cannot see invitations, grants and links in the activity');
select extensions.is(pg_temp.by('ann', '(select string_agg(verb, '' '' order by id) from public.activity where verb ~ ''^(invitation|grant|share)'')'),
  'invitation.sent grant.given grant.given grant.removed share.created', 'owners see them');
select extensions.isnt(pg_temp.by('ann', '(select unread from public.unread_activity())'), null, 'activity of others is unread');
select extensions.is(pg_temp.by('ann', '(select public.mark_activity_seen((select id from lab), (select max(id) from public.activity)))'), null, 'activity is marked as seen');
select extensions.is(pg_temp.by('ann', '(select unread from public.unread_activity())'), null, 'seen activity is not unread');

-- Sessions
insert into auth.sessions (id, user_id, created_at, updated_at, aal)
  select md5(name || at)::uuid, md5(name)::uuid, now(), now(), 'aal1' from unnest(array['ann', 'ben']) name, unnest(array[' here', ' there']) at;
select extensions.is(pg_temp.by('ann', '(select string_agg(is_current::text, '' '') from public.my_sessions())'), 'true false', 'users see their own sessions');
select extensions.is(pg_temp.by('ann', 'public.end_session(md5(''ben there'')::uuid)'), 'false', 'another user''s session cannot be ended');
select extensions.is(pg_temp.by('ann', 'public.end_session(md5(''ann here'')::uuid)'), 'false', 'the current session cannot be ended');
select extensions.is(pg_temp.by('ann', 'public.end_session(md5(''ann there'')::uuid)'), 'true', 'another own session is ended');

-- Leaving
select extensions.matches(pg_temp.by('ann', 'public.delete_account()'), '^23514 You are the only owner of Lab', 'the only owner of a shared library cannot delete their account');
insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at) values (gen_random_uuid(), md5('ben')::uuid, 'totp', 'verified', now(), now());
select extensions.matches(pg_temp.by('ben', 'public.delete_account()'), '^42501 Use your second factor to', 'deleting an account requires the second factor');
select extensions.is(pg_temp.by('ben', 'public.delete_account()', 'aal2'), '', 'with the second factor the account is deleted');
select extensions.is((select row(title, created_by)::text from public.documents where id = (select id from note)), '(Lamp,)', 'documents of a deleted account are kept without a name');
create temporary table own as select (pg_temp.by('hub', '(public.create_library(''Own'')).id'))::uuid as id;
do $$ begin perform pg_temp.by('hub', 'public.delete_account()'); end $$;
select extensions.is((select count(*) from public.libraries where id = (select id from own)), 0::bigint, 'a library without other members is deleted with its owner');

-- Purge
update public.documents set deleted_at = now() - interval '31 days' where id = (select id from note);
update public.documents set deleted_at = now() - interval '29 days' where id = (select id from secret);
insert into storage.objects (bucket_id, name, created_at)
  select 'documents', id || '/' || md5('gone')::uuid || '/v1/a.pdf', now() - interval '2 days' from lab
  union all select 'documents', id || '/' || md5('gone')::uuid || '/v1/b.pdf', now() from lab;
insert into storage.objects (bucket_id, name, created_at, metadata)
  select 'documents', library_id || '/' || id || '/' || case when id in (select id from note) then 'n' else 's' end || '.png',
    now() - interval '2 days', '{"size": 7, "mimetype": "image/png"}'::jsonb
  from public.documents where id in (select id from note union select id from secret);
insert into storage.objects (bucket_id, name, created_at)
  select 'pictures', library_id || '/' || id || '/00000000-0000-4000-8000-00000000000' || case when id in (select id from note) then 'a' else 'b' end || '.png',
    now() - interval '2 days'
  from public.documents where id in (select id from note union select id from secret);
update public.versions v set cover_path = o.name from storage.objects o 
  where o.name like v.library_id || '/' || v.document_id || '/%.png' and v.id in (select current_version_id from public.documents);
select extensions.is(public.purge_trash(), 1, 'documents are purged after thirty days in the trash');
select extensions.is((select string_agg(right(path, 5), ' ' order by right(path, 5)) from public.unreferenced_files()), 'a.pdf a.png n.png',
  'unreferenced files and covers are listed, except new ones');

-- Deleting the account of a library's only owner
select pg_temp.add_people('ida', 'ole', 'pia', 'una');
insert into public.libraries (id, name) select md5(name)::uuid, name from unnest(array['Solo', 'Pair', 'Fair']) name;
insert into public.members (library_id, user_id, role) select md5(library)::uuid, md5(person)::uuid, role::public.member_role
  from (values ('Solo', 'ida', 'owner'), ('Pair', 'ida', 'owner'), ('Pair', 'ole', 'reader'), ('Pair', 'pia', 'editor'), ('Fair', 'una', 'owner'),
    ('Fair', 'ole', 'guest')) m (library, person, role);
delete from auth.users where id = md5('ida')::uuid;
select extensions.is(
  (select string_agg(l.name || ' ' || p.display_name, ', ') from public.libraries l join public.members m on m.library_id = l.id and m.role = 'owner'
    join public.profiles p on p.id = m.user_id where l.name in ('Solo', 'Pair')),
  'Pair pia', 'the next owner takes over, and a library without one is deleted');
select extensions.matches(pg_temp.by('una', 'public.delete_account()'), '^23514 You are the only owner of Fair', 'an owner with guests has to hand over first');
delete from auth.users where id = md5('una')::uuid;
select extensions.is((select count(*) from public.libraries where name = 'Fair'), 0::bigint, 'a library with only guests is deleted with its owner');
select extensions.isnt((select id from public.profiles where id = md5('ole')::uuid), null, 'the guests'' accounts are kept');

select * from finish();
rollback;
