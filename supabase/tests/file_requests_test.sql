-- File requests: links, limits, and received files
begin;
\ir helpers.psql
select plan(51);

select pg_temp.add_people('owner', 'editor', 'reader', 'helper');
insert into public.libraries (id, name) values (md5('library')::uuid, 'Lamps');
insert into public.members (library_id, user_id, role) select md5('library')::uuid, md5(person)::uuid, role::public.member_role from (values
  ('owner', 'owner'), ('editor', 'editor'), ('reader', 'reader'), ('helper', 'guest')) m (person, role);
insert into public.collections (id, library_id, parent_id, name) values
  (md5('offers')::uuid, md5('library')::uuid, null, 'Offers'), (md5('oil')::uuid, md5('library')::uuid, md5('offers')::uuid, 'Oil');
-- The helper may edit one collection by this grant alone.
insert into public.collection_grants (library_id, collection_id, user_id, role)
  values (md5('library')::uuid, md5('offers')::uuid, md5('helper')::uuid, 'editor');

select pg_temp.by('owner', format('public.create_webhook(%L, ''https://hooks.example'', array[''request.file_taken''])', md5('library')::uuid));

-- Creating
create function pg_temp.make(person text, collection text, changes text default '') returns text
  language sql
as $$
  select pg_temp.by(person, format('public.create_file_request(%L, %L, %s)', md5('library')::uuid, md5(collection)::uuid,
    concat_ws(', ', 'title => ''Offers''', 'expires_at => now() + interval ''1 hour''', nullif(changes, ''))))
$$;
create temporary table request as select made ->> 'token' as token, (made ->> 'id')::uuid as id
  from (select pg_temp.make('helper', 'oil', 'words => ''Please send offers.'', most_files => 3, largest_bytes => 10, allowed_types => array[''pdf'', ''image'']')::jsonb as made) m;
grant select on request to authenticated;
select extensions.matches(token, '^[\w-]{43}$', 'an editor of the parent collection creates a request with a 256-bit token') from request;
select extensions.is((select r.token_hash = private.hash_token(token) from request join public.file_requests r using (id)), true, 'only the hash of the token is stored');
select extensions.matches(pg_temp.make('reader', 'oil'), '^42501 The file request doesn’t exist,', 'a reader cannot create a request');
select extensions.matches(pg_temp.make('owner', 'nowhere'), '^23503 The collection no longer', 'a missing collection is rejected');
select extensions.matches(pg_temp.by('owner', format('public.create_file_request(%L, null, ''x'', now() + interval ''1 day'')', md5('library')::uuid)), '^23503 The collection no longer', 'a request without a collection is rejected');
select extensions.matches(pg_temp.by('owner', format('public.create_file_request(%L, %L, %L, now() + %L::interval)', md5('library')::uuid, md5('oil')::uuid, title, until)), '^23514 A file request needs a title of 1', 'a request is rejected: ' || said)
  from (values ('x', '367 days', 'for more than a year'), ('x', '-1 hour', 'until yesterday'), (' ', '1 day', 'without a title')) v (title, until, said);
select extensions.matches(pg_temp.make('owner', 'oil', changes), '^23514 A file request needs a title of 1', 'a request is rejected with ' || changes)
  from unnest(array['most_files => 0', 'most_files => 501', 'largest_bytes => 52428801', 'allowed_types => array[''exe'']', 'allowed_types => ''{}''', 'words => repeat(''x'', 2001)']) changes;
select extensions.is(pg_temp.done('editor', 'update public.file_requests set token_hash = ''chosen'''), '1', 'the link of a request can be replaced');
select extensions.is((select count(*)::integer from public.file_requests where token_hash = 'chosen'), 0, 'the new token cannot be chosen');
update request set token = pg_temp.by('editor', format('public.replace_file_request(%L)', id))::jsonb ->> 'token';
select extensions.is((select r.token_hash = private.hash_token(token) from request join public.file_requests r using (id)), true, 'the new token is returned once');

-- The link
create function pg_temp.look(token text, sender text default '192.0.2.1') returns jsonb
  language sql
as $$ select public.find_file_request(token, sender, true) $$;
select extensions.is(pg_temp.look(token) - '{id,library,expires_at}'::text[], '{"verdict": "open", "title": "Offers", "words": "Please send offers.",
  "left": 3, "largest_bytes": 10, "allowed_types": ["pdf", "image"]}', 'a link shows what is requested') from request;
select extensions.is(pg_temp.look('guessed'), null, 'a guessed link shows nothing');
create function pg_temp.while(change text) returns jsonb
  language plpgsql
as $$
declare
  answer jsonb;
begin
  execute 'update public.file_requests set ' || change;
  select pg_temp.look(token) into answer from request;
  raise exception using errcode = 'ZZZZZ', message = coalesce(answer::text, 'null');
exception when sqlstate 'ZZZZZ' then
  return nullif(sqlerrm, 'null')::jsonb;
end
$$;
select extensions.is(pg_temp.while(change), null, 'a link shows nothing with ' || change) from unnest(array[
  'closed_at = now()', 'created_at = now() - interval ''2 days'', expires_at = now() - interval ''1 minute''', 'received = 3', 'collection_id = null']) change;

-- Receiving
create function pg_temp.arrive(name text, content text default null) returns text
  language sql
as $$
  insert into storage.objects (bucket_id, name, metadata) values
    ('documents', md5('library')::uuid || '/' || md5(name)::uuid || '/v/file.pdf', '{"size": 7, "mimetype": "application/octet-stream"}');
  select public.store_received_file(id, jsonb_build_object('id', md5(name)::uuid, 'path', md5('library')::uuid || '/' || md5(name)::uuid || '/v/file.pdf',
    'sender_name', 'Ada', 'sender_address', 'ada@example.net', 'message', 'Here.', 'file_name', name, 'title', 'An offer', 'size_bytes', 7,
    'content_hash', encode(sha256(coalesce(content, name)::bytea), 'hex'))) from request
$$;
select extensions.is(pg_temp.arrive('a.pdf'), 'open', 'a file arrives');
select extensions.is(pg_temp.arrive('again.pdf', 'a.pdf'), 'known', 'a file arrives only once');
select extensions.is(pg_temp.arrive('b.pdf') || pg_temp.arrive('c.pdf'), 'openopen', 'files arrive up to the limit');
select extensions.is(pg_temp.arrive('d.pdf'), null, 'files over the limit are rejected');
select extensions.is((select count(*)::integer from public.documents where library_id = md5('library')::uuid), 0, 'received files are not documents yet');
select extensions.is(pg_temp.by('reader', 'count(*) from public.received_files'), '0', 'readers cannot see received files');
update storage.objects set created_at = now() - interval '2 days';
select extensions.is((select count(*)::integer from public.unreferenced_files()), 2, 'waiting files are not unreferenced');

-- Notifications
select private.notify_of_received_files('1 hour');
select extensions.is((select count(*)::integer from public.notifications), 0, 'no one is notified while files arrive');
select private.notify_of_received_files('0');
select extensions.is((select string_agg(p.display_name || ' ' || n.amount, ', ' order by p.display_name) from public.notifications n join public.profiles p on p.id = n.user_id where n.kind = 'request'),
  'editor 3, helper 3, owner 3', 'afterwards, people who can accept the files are notified');
update public.received_files set received_at = now() + interval '1 second';
select private.notify_of_received_files('-1 hour');
select extensions.is((select count(*)::integer from public.notifications), 3, 'notifications are sent once an hour');
update public.file_requests set told_at = told_at - interval '1 hour';
select private.notify_of_received_files('-1 hour');
select extensions.is((select count(*)::integer from public.notifications), 3, 'an unread notification is replaced');
select extensions.is(pg_temp.by('helper', 'count(*) from public.notifications where kind = ''request'''), '1', 'a guest with edit access sees the notification');
update private.mail_queue set due_at = now();
update auth.users set email_confirmed_at = now();
select extensions.is((select string_agg(concat_ws(' ', mail ->> 'email', mail #>> '{entries,0,title}', mail #>> '{entries,0,amount}'), ', ' order by mail ->> 'email')
  from (select public.take_notification_mail() as mail from generate_series(1, 3)) t where mail is not null),
  'editor@example.org Offers 3, owner@example.org Offers 3', 'members who can edit get an email');
update public.collection_grants set role = 'reader';
select extensions.is(pg_temp.by('helper', 'count(*) from public.notifications'), '0', 'guests see it only while they can accept files');
update public.collection_grants set role = 'editor';

-- Deciding
select extensions.is(pg_temp.done('helper', 'update public.received_files set state = ''taken'' where file_name = ''a.pdf'''), '1', 'a file is accepted');
select extensions.is((select d.title || ' ' || (d.id = f.id) || ' ' || (d.created_by = md5('helper')::uuid) || ' ' || (d.collection_id = md5('oil')::uuid) || ' ' || d.state
  from public.documents d join public.received_files f on f.document_id = d.id), 'An offer true true true queued', 'an accepted file becomes a queued document of the person, in the collection');
select extensions.matches(pg_temp.done('editor', 'update public.received_files set state = ''discarded'' where file_name = ''a.pdf'''), '^23514 This file was already accepted or', 'an accepted file cannot be discarded');
select extensions.is(pg_temp.done('editor', 'update public.received_files set state = ''discarded'' where file_name = ''b.pdf'''), '1', 'a file is discarded');
select extensions.is((select count(*)::integer from public.unreferenced_files()), 3, 'the stored file of a discarded one is unreferenced');
select extensions.is((select string_agg(verb, ' ' order by id) from public.activity where verb ~ '^request'), 'request.created request.replaced request.replaced request.file_taken', 'accepting a file is logged');
select extensions.is(pg_temp.by('editor', 'count(*) from public.activity where verb ~ ''^request''') || pg_temp.by('owner', 'count(*) from public.activity where verb ~ ''^request'''), '02', 'only owners see it in the log');

select extensions.is((select payload::jsonb -> 'data' -> 'request' ->> 'title' from public.webhook_deliveries where type = 'request.file_taken'), 'Offers', 'a webhook is delivered');

-- Closing
select extensions.is(pg_temp.done('editor', 'update public.file_requests set closed_at = ''2000-01-01'''), '1', 'a request is closed');
select extensions.is((select closed_at from public.file_requests), now(), 'the time of closing is the current time');
select extensions.matches(pg_temp.done('editor', 'update public.file_requests set closed_at = null'), '^23514 A closed file request can’t', 'a closed request cannot be reopened');
update public.received_files set decided_at = now() - interval '2 days' where state = 'discarded';
select extensions.is(public.purge_received_files(), 1, 'discarded files are purged');
update public.file_requests set closed_at = now() - interval '31 days';
select extensions.is(public.purge_received_files(), 1, 'files waiting for a month are purged');

-- Rate limits
select pg_temp.look('guess ' || n, '192.0.2.7') from generate_series(1, 300) n;
select extensions.is(pg_temp.look('guess', '192.0.2.7') ->> 'verdict', 'busy', 'guessing tokens is rate limited');

select * from finish();
rollback;
