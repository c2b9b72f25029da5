-- Leases of scans: who may lease, how long a lease lasts, and what happens to failing scans
begin;
\ir helpers.psql
select plan(51);

select pg_temp.add_people('owner', 'editor', 'reader', 'helper', 'guest', 'outsider');
/* Each session is a different browser. */
create or replace function pg_temp.session_claims(person text, session text) returns jsonb
  language sql
as $$ select jsonb_build_object('sub', md5(person)::uuid, 'role', 'authenticated', 'aal', 'aal1', 'session_id', md5(person || session)::uuid) $$;

select pg_temp.answer('owner', 'select public.create_library(''A'')');
create function pg_temp.library() returns uuid language sql as $$ select id from public.libraries where name = 'A' $$;
select extensions.is((select recognition_languages::text from public.libraries where name = 'A'), '{en,de}', 'a new library recognizes text');
insert into public.members (library_id, user_id, role) select pg_temp.library(), md5(person)::uuid, role::public.member_role
  from (values ('editor', 'editor'), ('reader', 'reader'), ('helper', 'guest'), ('guest', 'guest')) as m (person, role);
insert into public.collections (id, library_id, name) values (md5('granted')::uuid, pg_temp.library(), 'Granted');
insert into public.collection_grants (library_id, collection_id, user_id, role)
  select pg_temp.library(), md5('granted')::uuid, md5(person)::uuid, role::public.member_role
  from (values ('helper', 'editor'), ('guest', 'reader')) as g (person, role);

/* Adds a document with a file for which `ingest` has found pages without text. */
create function pg_temp.add_scan(name text, pages integer[], collection uuid, days integer) returns void
  language sql
as $$
  insert into storage.objects (bucket_id, name, metadata)
    values ('documents', pg_temp.library() || '/' || md5(name)::uuid || '/' || md5(name)::uuid || '/scan.pdf', '{"size": 7, "mimetype": "application/pdf"}');
  insert into public.documents (id, library_id, collection_id, kind, title, created_at)
    values (md5(name)::uuid, pg_temp.library(), collection, 'file', name, now() - make_interval(days => days));
  insert into public.versions (id, library_id, document_id, storage_path, mime_type, size_bytes)
    values (md5(name)::uuid, pg_temp.library(), md5(name)::uuid, pg_temp.library() || '/' || md5(name)::uuid || '/' || md5(name)::uuid || '/scan.pdf', '', 0);
  select public.store_pages_without_text(md5(name)::uuid, pages);
  update public.documents set state = 'ready' where id = md5(name)::uuid;
$$;
select pg_temp.add_scan('old', '{1,2}', null, 3), pg_temp.add_scan('granted', '{1}', md5('granted')::uuid, 2), pg_temp.add_scan('text', '{}', null, 9);
create function pg_temp.state(name text) returns text
  language sql
as $$ select coalesce(recognition::text, 'none') || coalesce(' ' || (recognition_problem ->> 'code'), '') from public.documents where id = md5(name)::uuid $$;
select extensions.is(pg_temp.state(name), state, name || ': ' || state)
  from (values ('old', 'waiting'), ('granted', 'waiting'), ('text', 'none')) as s (name, state);

/* Leases a scan and returns its title and remaining pages. */
create function pg_temp.lease(person text, session text default 'a', name text default null) returns text
  language sql
as $$
  select pg_temp.answer(person, format('select d.title || '' '' || s.pages::text || '' of '' || s.total from public.next_scan(%L) s join public.documents d on d.id = s.document_id',
    md5(name)::uuid), session)
$$;
create function pg_temp.store(person text, name text, page integer, session text default 'a') returns text
  language sql
as $$
  select pg_temp.answer(person, format('select public.store_recognized_page(%L, %s, ''[{"text": "A lamp.", "size": 11, "y": 700}]'')', md5(name)::uuid, page), session)
$$;
create function pg_temp.release(person text, name text, outcome text, session text default 'a') returns text
  language sql
as $$ select pg_temp.answer(person, format('select public.release_scan(%L, %L)', md5(name)::uuid, outcome), session) $$;
create function pg_temp.pass(minutes integer) returns void
  language sql
as $$ update private.scan_leases set ends_at = ends_at - make_interval(mins => minutes) $$;

-- Rights.
select extensions.is(pg_temp.lease(person), null, person || ' cannot lease') from unnest(array['reader', 'guest', 'outsider']) person;
select extensions.is(pg_temp.lease(person, 'a', 'old'), null, person || ' cannot lease a certain scan')
  from unnest(array['reader', 'helper', 'guest', 'outsider']) person;
select extensions.matches(pg_temp.answer('editor', 'select count(*) from private.scan_leases'), '^42501', 'leases cannot be read');
select extensions.matches(pg_temp.done('editor', 'update public.documents set recognition = null'), '^42501', 'the recognition state cannot be written');

-- A lease.
update public.documents set state = 'failed', problem = '{"code": "file_damaged"}' where id = md5('old')::uuid;
select extensions.is(pg_temp.lease('editor', 'z'), 'granted {1} of 1', 'a file that failed to read is not recognized automatically');
select pg_temp.release('editor', 'granted', 'stopped', 'z');
update public.documents set problem = '{"code": "pdf_without_text"}' where id = md5('old')::uuid;
select extensions.is(pg_temp.lease('editor', 'z'), 'old {1,2} of 2', 'a file that failed without text is recognized');
select pg_temp.release('editor', 'old', 'stopped', 'z');
update public.documents set state = 'ready', problem = null where id = md5('old')::uuid;
select extensions.is(pg_temp.lease('editor'), 'old {1,2} of 2', 'the oldest scan comes first');
select extensions.is(pg_temp.state('old'), 'reading', 'the scan is shown as being read');
select extensions.is(pg_temp.lease('owner', 'a', 'old'), null, 'a leased scan is not leased to another user');
select extensions.is(pg_temp.lease('editor', 'b', 'old'), null, 'a leased scan is not leased to another browser of the same user');
select extensions.is(pg_temp.lease('owner'), 'granted {1} of 1', 'the next browser gets the next scan');
select extensions.is(pg_temp.lease('helper'), null, 'without scans left there is no lease');
select extensions.is(pg_temp.lease('editor'), 'old {1,2} of 2', 'a reloaded page continues with its own lease');
select pg_temp.pass(4);
select extensions.is(pg_temp.store('editor', 'old', 1), '', 'a page is stored');
select pg_temp.pass(4);
select extensions.is(pg_temp.lease('owner', 'a', 'old'), null, 'storing a page renews the lease');
select extensions.is(pg_temp.lease('helper'), 'granted {1} of 1', 'an expired lease is taken over');
select pg_temp.pass(2);
select private.maintain_recognition();
select extensions.is(pg_temp.state(name), state, name || ' then: ' || state) from (values ('old', 'waiting'), ('granted', 'reading')) as s (name, state);
select extensions.is(pg_temp.lease('owner'), 'old {2} of 2', 'the remaining pages are taken over');
select extensions.is((select state::text from public.documents where id = md5('old')::uuid), 'ready', 'the document is not indexed before all pages are done');
select extensions.is(pg_temp.release('editor', 'old', 'failed'), '', 'the previous holder cannot release the scan');
select extensions.is(pg_temp.state('old'), 'reading', 'the lease is unchanged');
select extensions.is(pg_temp.release('owner', 'old', 'stopped'), '', 'the holder releases the scan');
select extensions.is(pg_temp.lease('editor'), 'old {2} of 2', 'a released scan is available immediately');
select pg_temp.release('editor', 'old', 'cancelled');
select extensions.is(pg_temp.lease('editor'), null, 'a canceled scan is not recognized automatically');
select extensions.is(pg_temp.lease('editor', 'a', 'old'), 'old {2} of 2', 'a canceled scan can be leased by name');
select pg_temp.store('editor', 'old', 2);
select extensions.is(pg_temp.state('old'), 'none', 'the last page completes the scan');
select extensions.is((select d.state || ' ' || r.priority from private.indexing_runs r join public.documents d on d.id = r.document_id where d.id = md5('old')::uuid),
  'queued 0', 'a completed scan is indexed first');

-- Failures.
select pg_temp.release('helper', 'granted', 'failed');
select extensions.is(pg_temp.lease('owner'), null, 'a failed scan waits');
select pg_temp.pass(11);
select extensions.is(pg_temp.lease('owner'), 'granted {1} of 1', 'it is retried after ten minutes');
select pg_temp.release('owner', 'granted', 'failed');
select pg_temp.pass(11);
select pg_temp.lease('owner'), pg_temp.release('owner', 'granted', 'failed');
select extensions.is(pg_temp.state('granted'), 'failed recognition_failed', 'the third failure is final');
select extensions.is(pg_temp.lease('owner'), null, 'a finally failed scan is not leased automatically');
select extensions.is(pg_temp.lease('owner', 'a', 'granted'), 'granted {1} of 1', 'it can be leased by name');
select pg_temp.pass(6);
select pg_temp.lease('owner'), pg_temp.pass(6);
select pg_temp.lease('owner'), pg_temp.pass(6);
select extensions.is(pg_temp.lease('owner'), null, 'three expired leases are final, too');
select extensions.is(pg_temp.state('granted'), 'failed recognition_broke_off', 'expired leases are reported as the reason');

select pg_temp.add_scan('half', '{1,2}', null, 9), pg_temp.lease('owner'), pg_temp.store('owner', 'half', 1), pg_temp.release('owner', 'half', 'cancelled');
select extensions.is((select state::text from public.documents where id = md5('half')::uuid), 'queued', 'stored pages of a canceled scan are indexed');

-- The setting.
select pg_temp.done('owner', 'update public.libraries set recognition_languages = ''{}''');
select extensions.is(pg_temp.state('granted'), 'none', 'turning recognition off ends waiting scans');
select pg_temp.add_scan('late', '{1}', null, 0);
select extensions.is(pg_temp.lease('owner', 'a', name), null, 'no lease while it is off: ' || coalesce(name, 'any')) from unnest(array['late', null]) name;
select pg_temp.done('owner', 'update public.libraries set recognition_languages = ''{de}''');
select extensions.is(pg_temp.state(name), state, 'turned on again, ' || name || ': ' || state)
  from (values ('late', 'waiting'), ('granted', 'waiting'), ('old', 'none')) as s (name, state);

select * from finish();
rollback;
