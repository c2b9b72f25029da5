-- The reading queue: order, what a run keeps, and how it ends
begin;
\ir helpers.psql
select plan(40);
insert into auth.users (id, email) values (md5('editor')::uuid, 'editor@example.org'), (md5('reader')::uuid, 'reader@example.org');
insert into public.libraries (id, name) values (md5('library')::uuid, 'A');
insert into public.members (library_id, user_id, role) values
  (md5('library')::uuid, md5('editor')::uuid, 'owner'), (md5('library')::uuid, md5('reader')::uuid, 'reader');
delete from private.indexing_runs;

create function pg_temp.add_note(name text) returns void
  language sql
as $$
  insert into public.documents (id, library_id, kind, title) values (md5(name)::uuid, md5('library')::uuid, 'note', name);
  insert into public.versions (library_id, document_id, body, mime_type, size_bytes) values (md5('library')::uuid, md5(name)::uuid, name, '', 0);
$$;
create function pg_temp.as_person(name text, command text) returns text
  language plpgsql
as $$
declare
  result text;
begin
  perform set_config('request.jwt.claims', jsonb_build_object('sub', md5(name)::uuid, 'role', 'authenticated')::text, true),
    set_config('role', 'authenticated', true);
  execute 'select (' || command || ')::text' into result;
  perform set_config('role', 'none', true), set_config('request.jwt.claims', '', true);
  return result;
exception when others then
  return sqlstate;
end
$$;
-- Takes the next document for a run and returns its title.
create function pg_temp.take(run text default 'run') returns text
  language plpgsql
as $$
declare
  taken record;
begin
  select * into taken from public.take_document();
  if taken.run is null then return null; end if;
  update private.indexing_runs r set run = md5($1)::uuid where r.document_id = taken.document_id;
  return taken.title;
end
$$;
create function pg_temp.break_off() returns void
  language sql
as $$ update private.indexing_runs set reported_at = now() - interval '2 minutes' where run is not null $$;
create function pg_temp.state(name text) returns text
  language sql
as $$ select state || coalesce(': ' || (problem ->> 'message'), '') from public.documents where id = md5(name)::uuid $$;
create function pg_temp.version(name text) returns uuid
  language sql
as $$ select current_version_id from public.documents where id = md5(name)::uuid $$;

-- Order
select pg_temp.add_note(name) from unnest(array['one', 'two', 'three']) name;
insert into public.documents (id, library_id, kind, title, url) values (md5('link')::uuid, md5('library')::uuid, 'link', 'link', 'https://example.org/');
select extensions.is((select string_agg(d.title || case when r.refetch then ' (fetch)' else '' end, ' ' order by r.priority, r.position)
  from private.indexing_runs r join public.documents d on d.id = r.document_id), 'one two three link (fetch)', 'documents are queued in the order they were added');
select extensions.is(pg_temp.take('a') || ' ' || pg_temp.take('b'), 'one two', 'two documents are read at the same time');
select extensions.is(pg_temp.take(), null, 'a third document waits');
select extensions.is(pg_temp.state('one'), 'extracting', 'a taken document is being read');
select extensions.is(pg_temp.as_person('reader', 'public.read_again(array[md5(''three'')::uuid])'), '0', 'a reader cannot queue documents');
select extensions.is(pg_temp.as_person('editor', 'public.read_again(array[md5(''three'')::uuid, md5(''link'')::uuid])'), '2', 'an editor queues documents');
update private.indexing_runs set priority = 1 where document_id = md5('three')::uuid;
select public.release_run(md5('a')::uuid);
select extensions.is(pg_temp.take('a'), 'link', 'requested documents come first');
update public.documents set deleted_at = now() where id = md5('one')::uuid;
select public.release_run(md5('a')::uuid, true);
select extensions.is(pg_temp.take('a'), 'link', 'other requested documents follow');
select extensions.ok(not (select refetch from private.indexing_runs where document_id = md5('link')::uuid), 'the page of a link is fetched once');
delete from public.documents where id = md5('link')::uuid;
insert into storage.objects (bucket_id, name, metadata) values
  ('documents', md5('library')::uuid || '/' || md5('page')::uuid || '/x/page.html', '{"size": 9, "mimetype": "text/html"}');
select extensions.is(pg_temp.as_person('editor', format('(public.add_link(md5(''library'')::uuid, ''https://example.org/'', ''page'', null, md5(''page'')::uuid,
  %L)).state', md5('library')::uuid || '/' || md5('page')::uuid || '/x/page.html')), 'queued', 'a link is added with its page');
select extensions.ok(not (select refetch from private.indexing_runs where document_id = md5('page')::uuid), 'a stored page is not fetched');
delete from public.documents where id = md5('page')::uuid;
select extensions.is(pg_temp.take('a'), 'three', 'documents in the trash are skipped');
select extensions.is((select public.store_pages(md5('gone')::uuid, 1, '[[]]')), false, 'a run learns that its document was deleted');

-- Continuing an earlier run
select extensions.ok(public.store_pages(md5('a')::uuid, 1, '[["page 1"], ["page 2"]]'), 'pages are stored');
select pg_temp.break_off();
select extensions.is((select pages_read from public.take_document(md5('three')::uuid)), 2, 'the next run continues after the stored pages');
update private.indexing_runs set run = md5('a')::uuid where document_id = md5('three')::uuid;
select public.store_pages(md5('a')::uuid, 3, '[["page 3"]]');
select extensions.is(public.stored_pages(md5('a')::uuid)::text, '[["page 1"], ["page 2"], ["page 3"]]', 'all pages are available in the end');
select public.store_passages(md5('a')::uuid, 0, '[{"start": 0, "end": 5, "content": "First words."}, {"start": 6, "end": 9, "content": "Last words."}]');
select public.complete_reading(md5('a')::uuid, '{"count": 2, "indexer_version": 7, "mime": "text/markdown"}');
select extensions.is((select count(*) from public.passages_to_embed(md5('a')::uuid, 9)), 2::bigint, 'passages without a vector are to be embedded');
update public.libraries set allows_models = false;
select extensions.is((select count(*) from public.passages_to_embed(md5('a')::uuid, 9)), 0::bigint, 'a library that disallows models embeds nothing');
update public.libraries set allows_models = true;
select public.store_embeddings(md5('a')::uuid, jsonb_build_array(jsonb_build_object('ordinal', 0, 'embedding', array_fill(0.1, array[384]))));
select extensions.is((select string_agg(content, ' ') from public.passages_to_embed(md5('a')::uuid, 9)), 'Last words.', 'each passage is embedded once');
select extensions.is(public.store_reading(md5('a')::uuid, pg_temp.version('three')), 0, 'passages are stored');
select extensions.is(pg_temp.state('three'), 'ready', 'the document is ready');
select extensions.is((select indexer_version from public.versions where id = pg_temp.version('three')), 7, 'the version of the indexer is stored');
select extensions.is((select count(*) from private.indexing_runs where document_id = md5('three')::uuid), 0::bigint, 'the queue is empty');

-- Dead runs and failures
select extensions.is(public.report_indexing(md5('b')::uuid, 'extracting', 140), true, 'a run reports its progress');
select extensions.is((select progress::integer from public.documents where id = md5('two')::uuid), 100, 'progress is limited to 100');
select pg_temp.break_off();
select extensions.is(pg_temp.take('b'), 'two', 'an interrupted run is retried');
select pg_temp.break_off();
select extensions.is(pg_temp.take('b'), 'two', 'it is retried a second time');
select pg_temp.break_off();
select extensions.is(pg_temp.take('b'), null, 'it is not retried a third time');
select extensions.matches(pg_temp.state('two'), 'failed: .* stopped three times', 'the document fails with the reason');
select pg_temp.as_person('editor', 'public.read_again(array[md5(''two'')::uuid])');
select extensions.is(pg_temp.state('two') || ' ' || pg_temp.take('b'), 'queued two', 'a user can queue it again');
select public.fail_indexing(md5('b')::uuid, pg_temp.version('two'), '{"message": "Out of order."}', true);
select extensions.is(pg_temp.state('two') || ' ' || coalesce(pg_temp.take('b'), '-'), 'extracting -', 'a temporary failure is retried after a delay');
update private.indexing_runs set due_at = now();
select extensions.is(pg_temp.take('b'), 'two', 'the retry follows when it is due');
select pg_temp.add_note('three again');
update public.documents set state = 'queued' where id = md5('two')::uuid;
insert into public.versions (library_id, document_id, body, mime_type, size_bytes) values (md5('library')::uuid, md5('two')::uuid, 'newer', '', 0);
select extensions.is(public.store_reading(md5('b')::uuid, (select id from public.versions where document_id = md5('two')::uuid and number = 1)), null,
  'an old version cannot replace a newer one');
select extensions.is(pg_temp.take('b'), 'newer', 'the newer version is read next, with its title');
select public.fail_indexing(md5('b')::uuid, pg_temp.version('two'), '{"message": "Unreadable."}');
select extensions.is(pg_temp.state('two'), 'failed: Unreadable.', 'a permanent failure is final');

-- Documents read by an older indexer
select public.announce_indexer(8, null, null);
select extensions.is(pg_temp.take('a'), 'three again', 'documents read by an older indexer come after others');
select extensions.is(pg_temp.take('b'), 'three', 'they are read in turn');
select extensions.is(pg_temp.state('three'), 'ready', 'they stay ready meanwhile');
select public.fail_indexing(md5('b')::uuid, pg_temp.version('three'), '{"message": "Unreadable."}');
select extensions.is(pg_temp.state('three') || (select count(*) from public.passages where document_id = md5('three')::uuid), 'ready2', 'they stay ready if reading fails');

-- Progress
select extensions.is(pg_temp.as_person('editor', '(select row(total, done, waiting, running, failed) from public.indexing_progress(md5(''library'')::uuid))'),
  '(3,1,0,1,1)', 'a member sees the progress of the library');
select * from extensions.finish();
rollback;
