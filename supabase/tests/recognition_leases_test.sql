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
select extensions.is(pg_temp.lease(person), null, person || ' leases nothing') from unnest(array['reader', 'guest', 'outsider']) person;
select extensions.is(pg_temp.lease(person, 'a', 'old'), null, person || ' does not lease the one they name')
  from unnest(array['reader', 'helper', 'guest', 'outsider']) person;
select extensions.matches(pg_temp.answer('editor', 'select count(*) from private.scan_leases'), '^42501', 'leases are nobody''s to read');
select extensions.matches(pg_temp.done('editor', 'update public.documents set recognition = null'), '^42501', 'nor the state to write');

-- A lease.
update public.documents set state = 'failed', problem = '{"code": "file_damaged"}' where id = md5('old')::uuid;
select extensions.is(pg_temp.lease('editor', 'z'), 'granted {1} of 1', 'a file that failed to read is not recognized by itself');
select pg_temp.release('editor', 'granted', 'stopped', 'z');
update public.documents set problem = '{"code": "pdf_without_text"}' where id = md5('old')::uuid;
select extensions.is(pg_temp.lease('editor', 'z'), 'old {1,2} of 2', 'unless it failed for want of text');
select pg_temp.release('editor', 'old', 'stopped', 'z');
update public.documents set state = 'ready', problem = null where id = md5('old')::uuid;
select extensions.is(pg_temp.lease('editor'), 'old {1,2} of 2', 'the oldest comes first');
select extensions.is(pg_temp.state('old'), 'reading', 'everybody sees that it is read');
select extensions.is(pg_temp.lease('owner', 'a', 'old'), null, 'another''s lease holds');
select extensions.is(pg_temp.lease('editor', 'b', 'old'), null, 'also for another browser of the same person');
select extensions.is(pg_temp.lease('owner'), 'granted {1} of 1', 'who asks next gets the next');
select extensions.is(pg_temp.lease('helper'), null, 'then nothing is left');
select extensions.is(pg_temp.lease('editor'), 'old {1,2} of 2', 'a page that is loaded again continues with its own');
select pg_temp.pass(4);
select extensions.is(pg_temp.store('editor', 'old', 1), '', 'a page is stored');
select pg_temp.pass(4);
select extensions.is(pg_temp.lease('owner', 'a', 'old'), null, 'which has renewed the lease');
select extensions.is(pg_temp.lease('helper'), 'granted {1} of 1', 'the other has ended, and is taken');
select pg_temp.pass(2);
select private.maintain_recognition();
select extensions.is(pg_temp.state(name), state, name || ' then: ' || state) from (values ('old', 'waiting'), ('granted', 'reading')) as s (name, state);
select extensions.is(pg_temp.lease('owner'), 'old {2} of 2', 'who takes it over has the rest to do');
select extensions.is((select state::text from public.documents where id = md5('old')::uuid), 'ready', 'nothing is indexed before');
select extensions.is(pg_temp.release('editor', 'old', 'failed'), '', 'whoever had it before');
select extensions.is(pg_temp.state('old'), 'reading', 'changes nothing any more');
select extensions.is(pg_temp.release('owner', 'old', 'stopped'), '', 'who has it gives it back');
select extensions.is(pg_temp.lease('editor'), 'old {2} of 2', 'for others at once');
select pg_temp.release('editor', 'old', 'cancelled');
select extensions.is(pg_temp.lease('editor'), null, 'what was cancelled is left alone');
select extensions.is(pg_temp.lease('editor', 'a', 'old'), 'old {2} of 2', 'but for those who name it');
select pg_temp.store('editor', 'old', 2);
select extensions.is(pg_temp.state('old'), 'none', 'with the last page it is done');
select extensions.is((select d.state || ' ' || r.priority from private.indexing_runs r join public.documents d on d.id = r.document_id where d.id = md5('old')::uuid),
  'queued 0', 'and indexed before all others');

-- Failures.
select pg_temp.release('helper', 'granted', 'failed');
select extensions.is(pg_temp.lease('owner'), null, 'what has failed rests');
select pg_temp.pass(11);
select extensions.is(pg_temp.lease('owner'), 'granted {1} of 1', 'for ten minutes');
select pg_temp.release('owner', 'granted', 'failed');
select pg_temp.pass(11);
select pg_temp.lease('owner'), pg_temp.release('owner', 'granted', 'failed');
select extensions.is(pg_temp.state('granted'), 'failed recognition_failed', 'the third time is the last');
select extensions.is(pg_temp.lease('owner'), null, 'nobody begins it by themselves');
select extensions.is(pg_temp.lease('owner', 'a', 'granted'), 'granted {1} of 1', 'whoever names it does');
select pg_temp.pass(6);
select pg_temp.lease('owner'), pg_temp.pass(6);
select pg_temp.lease('owner'), pg_temp.pass(6);
select extensions.is(pg_temp.lease('owner'), null, 'three browsers that broke off are the last, too');
select extensions.is(pg_temp.state('granted'), 'failed recognition_broke_off', 'and it is said');

select pg_temp.add_scan('half', '{1,2}', null, 9), pg_temp.lease('owner'), pg_temp.store('owner', 'half', 1), pg_temp.release('owner', 'half', 'cancelled');
select extensions.is((select state::text from public.documents where id = md5('half')::uuid), 'queued', 'of what is cancelled, the pages that were stored are indexed');

-- The setting.
select pg_temp.done('owner', 'update public.libraries set recognition_languages = ''{}''');
select extensions.is(pg_temp.state('granted'), 'none', 'where it is turned off nothing waits');
select pg_temp.add_scan('late', '{1}', null, 0);
select extensions.is(pg_temp.lease('owner', 'a', name), null, 'nor is anything leased: ' || coalesce(name, 'any')) from unnest(array['late', null]) name;
select pg_temp.done('owner', 'update public.libraries set recognition_languages = ''{de}''');
select extensions.is(pg_temp.state(name), state, 'turned on again, ' || name || ': ' || state)
  from (values ('late', 'waiting'), ('granted', 'waiting'), ('old', 'none')) as s (name, state);

select * from finish();
rollback;
