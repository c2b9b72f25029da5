-- Edge functions call as the service role, with its rights. Runs each function that only it may call, including triggers.
begin;
\ir helpers.psql
select plan(53);

create temporary table called (name text primary key);
/* Returns the first value of an expression as the service role (empty for null), after firing deferred triggers; or the error. */
create function pg_temp.project(expression text) returns text
  language plpgsql
as $$
declare
  value text;
begin
  insert into called select found.name[1] from regexp_matches(expression, 'public\.(\w+)\(', 'g') as found (name) on conflict do nothing;
  begin
    perform set_config('request.jwt.claims', '{"role": "service_role"}', true), set_config('role', 'service_role', true);
    execute 'select ' || expression into value;
    set constraints all immediate;
    set constraints all deferred;
    perform set_config('role', 'none', true), set_config('request.jwt.claims', '', true);
    return coalesce(value, '');
  exception when others then
    return sqlstate || ' ' || sqlerrm;
  end;
end
$$;

select pg_temp.add_people('owner', 'helper');
insert into public.libraries (id, name) values (md5('lab')::uuid, 'Lab');
insert into public.members (library_id, user_id, role) values
  (md5('lab')::uuid, md5('owner')::uuid, 'owner'), (md5('lab')::uuid, md5('helper')::uuid, 'editor');
create temporary table hook as select pg_temp.by('owner', format('public.create_webhook(%L, %L, %L)', md5('lab')::uuid, 'https://x.example',
  array['document.indexed', 'document.indexing_failed', 'document.trashed', 'comment.added'])) as made;
select pg_temp.by('owner', format('public.save_rule(%L, %L)', md5('lab')::uuid,
  '{"name": "Tell", "conditions": [], "actions": [{"do": "tell", "everybody": true}]}'));
insert into public.collections (library_id, name) values (md5('lab')::uuid, 'Inbox');
insert into public.saved_searches (library_id, user_id, name, query) values (md5('lab')::uuid, md5('owner')::uuid, 'Lamps', 'lamp');
create function pg_temp.add(name text) returns void
  language sql
as $$
  insert into public.documents (id, library_id, kind, title, created_by) values (md5(name)::uuid, md5('lab')::uuid, 'note', name, md5('helper')::uuid);
  insert into public.versions (id, library_id, document_id, body, mime_type, size_bytes, created_by)
    values (md5(name || ' 1')::uuid, md5('lab')::uuid, md5(name)::uuid, name, '', 0, md5('helper')::uuid);
$$;
select pg_temp.add('One'), pg_temp.add('Two');
insert into public.comments (library_id, document_id, body, quote, created_by) values (md5('lab')::uuid, md5('One')::uuid, '@[owner](' || md5('owner')::uuid || ') So it is.', 'A lamp.', md5('helper')::uuid);

-- Reading
create function pg_temp.run(name text) returns text language sql as $$ select quote_literal(md5(name || ' run')::uuid) $$;
create function pg_temp.take(name text) returns text
  language plpgsql
as $$
declare
  taken constant text := pg_temp.project(format('run from public.take_document(%L)', md5(name)::uuid));
begin
  update private.indexing_runs r set run = md5(name || ' run')::uuid where r.document_id = md5(name)::uuid;
  return (taken ~ '^[0-9a-f]{8}-')::text || coalesce(substring(taken from '^\S{5} .*'), '');
end
$$;
select extensions.is(pg_temp.project('public.is_database_call((select key from private.indexing))'), 'true', 'a call from the database is recognized');
select extensions.is(pg_temp.project('public.announce_indexer(7, ''a-model'', 1)'), '', 'the indexer announces its version');
select extensions.is(pg_temp.take('One'), 'true', 'the indexer takes a document');
select extensions.is(pg_temp.project(format('public.report_indexing(%s, ''extracting'', 20)', pg_temp.run('One'))), 'true', 'the indexer reports progress');
select extensions.is(pg_temp.project(format('public.store_pages(%s, 1, ''[["page"]]'')', pg_temp.run('One'))), 'true', 'the indexer stores pages');
select extensions.is(pg_temp.project(format('public.store_pages_without_text(%L, ''{2}'')', md5('One 1')::uuid)), '', 'the indexer stores which pages have no text');
select extensions.is(pg_temp.project(format('public.stored_pages(%s)', pg_temp.run('One'))), '[["page"]]', 'the indexer reads stored pages');
insert into storage.objects (bucket_id, name) values ('documents', md5('lab')::uuid || '/' || md5('attached')::uuid || '/x');
select extensions.is(pg_temp.project(format('public.add_attachments(%s, %L, %L)', pg_temp.run('One'), md5('One 1')::uuid, jsonb_build_array(jsonb_build_object(
  'id', md5('attached')::uuid, 'path', md5('lab')::uuid || '/' || md5('attached')::uuid || '/x', 'file_name', 'a.pdf', 'title', 'A')))), format('{%s}', md5('attached')::uuid), 'the indexer adds attachments');
delete from public.documents where title = 'A';
select extensions.is(pg_temp.project(format('public.store_passages(%s, 0, ''[{"start": 0, "end": 7, "content": "A lamp."}]'')', pg_temp.run('One'))), 'true', 'the indexer stores passages');
select extensions.is(pg_temp.project(format('public.complete_reading(%s, ''{"count": 1, "indexer_version": 7}'')', pg_temp.run('One'))), 'true', 'the indexer completes reading');
select extensions.is(pg_temp.project(format('content from public.passages_to_embed(%s, 9)', pg_temp.run('One'))), 'A lamp.', 'the indexer gets passages without vectors');
select extensions.is(pg_temp.project(format('public.store_embeddings(%s, %L)', pg_temp.run('One'),
  jsonb_build_array(jsonb_build_object('ordinal', 0, 'embedding', array_fill(0.1, array[384]))))), 'true', 'the indexer stores vectors');
select extensions.is(pg_temp.project(format('public.store_reading(%s, %L, ''a-model'')', pg_temp.run('One'), md5('One 1')::uuid)), '0', 'the indexer stores the result');
select extensions.is((select d.title || ' ' || d.state || ' ' || d.excerpt from public.documents d where d.id = md5('One')::uuid), 'One ready A lamp.', 'the document is ready');
select extensions.isnt((select passage_id from public.comments where library_id = md5('lab')::uuid), null, 'a comment is anchored to its passage');
select extensions.is(pg_temp.by('owner', format('(select string_agg(title, '','') from public.search_passages(%L, ''lamp''))', md5('lab')::uuid)), 'One', 'the document is found');
select extensions.is((select string_agg(type, ' ') from public.webhook_deliveries where type ~ 'index'), 'document.indexed', 'a webhook delivery is queued');
select extensions.is(pg_temp.take('Two'), 'true', 'the indexer takes another document');
select extensions.is(pg_temp.project(format('public.release_run(%s)', pg_temp.run('Two'))), '', 'the indexer releases the document');
select extensions.is(pg_temp.take('Two'), 'true', 'the indexer takes it again');
select extensions.is(pg_temp.project(format('public.fail_indexing(%s, %L, ''{"code": "unreadable", "message": "Unreadable."}'')', pg_temp.run('Two'), md5('Two 1')::uuid)), '', 'the indexer reports a failure');
select extensions.is(pg_temp.project(format('public.replace_passages(%L, ''[{"start": 0, "end": 5, "content": "Words"}]'')', md5('Two 1')::uuid)), '1', 'passages are replaced in one step');
select extensions.is(pg_temp.project('public.call_indexer()'), '', 'the next call is made');
select extensions.is(pg_temp.project('public.reindex_waiting()'), 'false', 'no words are outdated');
select extensions.is((select count(*)::integer from public.rule_runs where library_id = md5('lab')::uuid and problem is null), 2, 'rules have run');

-- Mails
select extensions.matches(pg_temp.project('public.take_notification_mail()'), '"total": 1', 'an email is taken');
select extensions.is(pg_temp.project('public.end_notification_mail(gen_random_uuid())'), '', 'an email is completed');
select extensions.is(pg_temp.project('public.discard_notification_mails()'), '', 'emails are discarded');
select extensions.is(pg_temp.project('public.unsubscribe(''no token'')'), 'false', 'an unknown token does not unsubscribe');

-- Scheduled jobs
update public.documents set deleted_at = now() - interval '40 days' where id = md5('Two')::uuid;
insert into public.retention_rules (library_id, trash_after, trash_unit, is_on, warned_at) values (md5('lab')::uuid, 1, 'day', true, now() - interval '8 days');
update public.documents set created_at = now() - interval '1 year' where id = md5('One')::uuid;
select extensions.is(pg_temp.project('public.apply_retention()'), '1', 'a retention rule moves a document to the trash');
select extensions.is(pg_temp.project('public.gone_at(d) is null from public.documents d where d.title = ''Two'''), 'false', 'the time in the trash is limited');
select extensions.is(pg_temp.project('public.purge_trash()'), '1', 'the trash is purged');
select extensions.is(pg_temp.project('count(*) from public.unreferenced_files()'), '0', 'no file is unreferenced');
select extensions.is(pg_temp.project('public.remind_of_verifications()'), '0', 'no verification is due');
select extensions.is(pg_temp.project('public.purge_notifications()'), '0', 'no notification is old');

-- Webhooks
select extensions.matches(pg_temp.project('public.take_webhook()'), '"secrets" : \["whsec_', 'deliveries are taken with their secret');
select extensions.is(pg_temp.project(format('public.report_webhook_delivery(%s, 410, ''Gone'', null)', (select min(id) from public.webhook_deliveries))), '', 'a receiver responds with 410');
select extensions.is((select is_active from public.webhooks), false, 'the webhook is turned off');
select extensions.is((select count(*)::integer from public.notifications where library_id = md5('lab')::uuid and kind = 'webhook'), 1, 'the owner is notified');
select extensions.is(pg_temp.project(format('public.release_webhook(%L)', (select made::jsonb ->> 'id' from hook))), '', 'the webhook is released');

-- Incoming mail
create temporary table address as select pg_temp.by('owner', format('to_jsonb(public.create_mail_address(%L))', md5('lab')::uuid))::jsonb as made;
select extensions.matches(pg_temp.project(format('public.find_mail_address(%L, ''owner@example.org'', %L)', (select made ->> 'secret' from address), repeat('a', 64))), '"verdict": "open"', 'an email finds its address');
select extensions.is(pg_temp.project(format('public.add_mail(%L, %L, %L)', (select made ->> 'id' from address), repeat('a', 64), jsonb_build_object(
  'sender_name', 'Owner', 'sender_address', 'owner@example.org', 'subject', 'Mail', 'files', '[]'::jsonb,
  'note', jsonb_build_object('id', md5('mail')::uuid, 'title', 'Mail', 'body', 'Oil.')))), 'open', 'an email is added');
select extensions.is(pg_temp.project(format('public.refuse_mail(%L, %L, ''{"sender_name": "", "sender_address": "", "subject": ""}'', ''sender'')',
  (select made ->> 'id' from address), repeat('b', 64))), '', 'an email is rejected');

-- Received files
create temporary table wanted as select pg_temp.by('owner', format('public.create_file_request(%L, (select id from public.collections limit 1), ''Offers'', now() + interval ''1 day'')', md5('lab')::uuid))::jsonb as made;
select extensions.matches(pg_temp.project(format('public.find_file_request(%L, ''192.0.2.1'', true)', (select made ->> 'token' from wanted))), '"verdict": "open"', 'a link finds its file request');
select extensions.is(pg_temp.project(format('public.store_received_file(%L, %L)', (select made ->> 'id' from wanted), jsonb_build_object(
  'id', md5('sent')::uuid, 'path', 'x', 'sender_name', 'Ada', 'sender_address', '', 'message', '', 'file_name', 'a.pdf', 'title', 'a',
  'size_bytes', 1, 'content_hash', repeat('a', 64)))), 'open', 'a received file is stored');
select extensions.is(pg_temp.project('public.purge_received_files()'), '0', 'it is not purged');

-- People who join by a link or company sign-in
select extensions.is(pg_temp.project('count(*) from public.find_shared_file(''a'')') || pg_temp.project('count(*) from public.find_shared_pictures(''a'', ''{}'')'), '00', 'share links are looked up');
select extensions.is(pg_temp.project(format('public.take_invitation_mail(%L)', md5('none')::uuid)), '', 'invitation emails are taken');
select extensions.is(pg_temp.project('public.enter_invitation(''a'', ''b'')'), '', 'invitation keys are checked');
select extensions.is(pg_temp.project('public.ask_for_invitation(''a'')'), '', 'new invitations are requested');
create temporary table claim as select pg_temp.by('owner', format('(public.claim_sign_in_domain(%L, ''company.example'')).id', md5('lab')::uuid))::uuid as id;
select extensions.is(concat_ws(' ', pg_temp.project(format('public.verify_sign_in_domain(%L, %L)', id, md5('owner')::uuid)),
    pg_temp.project(format('public.connect_sign_in_domain(%L, %L, %L, ''entity'')', id, md5('owner')::uuid, md5('provider')::uuid)),
    pg_temp.project('domains from public.sign_in_connection_of(''entity'')'),
    pg_temp.project(format('public.release_sign_in_connection(%L)', md5('provider')::uuid)),
    pg_temp.project('count(*) from public.pending_provider_changes()'),
    pg_temp.project(format('public.complete_provider_change(%L, ''infinity'')', md5('provider')::uuid))),
  'true true {company.example}  1 ', 'company sign-in is connected and removed') from claim;

select extensions.is((
  select string_agg(p.proname, ' ' order by p.proname) from pg_proc p
  where p.pronamespace = 'public'::regnamespace and has_function_privilege('service_role', p.oid, 'execute')
    and not has_function_privilege('authenticated', p.oid, 'execute') and p.proname not in (select name from called)), null, 'all functions for the service role are covered');
-- No other role can call these functions.
select extensions.is((
  select string_agg(t.oid::regclass || ' ' || r.rolname, ', ') from pg_class t, pg_roles r
  where t.relnamespace = 'private'::regnamespace and t.relkind = 'r' and r.rolname in ('anon', 'authenticated', 'api_key')
    and has_table_privilege(r.oid, t.oid, 'insert, update, delete, truncate')), null, 'other roles cannot write to the private schema');
select * from extensions.finish();
rollback;
