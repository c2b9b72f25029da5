-- Storing long documents in several transactions: no one sees a half-stored document, and interruptions leave nothing behind
begin;
\ir helpers.psql
select plan(43);
insert into auth.users (id, email) values (md5('owner')::uuid, 'owner@example.org');
insert into public.libraries (id, name) values (md5('a')::uuid, 'A'), (md5('b')::uuid, 'B');
insert into public.members (library_id, user_id, role)
  select id, md5('owner')::uuid, 'owner' from public.libraries where name in ('A', 'B');
delete from private.indexing_runs;

create function pg_temp.add_note(name text, library text default 'a') returns void
  language sql
as $$
  insert into public.documents (id, library_id, kind, title) values (md5(name)::uuid, md5(library)::uuid, 'note', name);
  insert into public.versions (library_id, document_id, body, mime_type, size_bytes) values (md5(library)::uuid, md5(name)::uuid, name, '', 0);
$$;
create function pg_temp.version(name text) returns uuid
  language sql
as $$ select current_version_id from public.documents where id = md5(name)::uuid $$;
-- Stores so many read passages, "<word> <ordinal>", of the document.
create function pg_temp.read(name text, word text, count integer, heading text default null) returns void
  language plpgsql
as $$
declare
  run uuid := (select t.run from public.take_document(md5(name)::uuid) t);
begin
  perform public.store_passages(run, 0, (
    select jsonb_agg(jsonb_build_object('start', n, 'end', n + 1, 'heading', heading, 'content', word || ' ' || n)) from generate_series(1, count) n));
  perform public.complete_reading(run, jsonb_build_object('count', count, 'indexer_version', 1, 'language', 'en'));
end
$$;
-- Stores some passages and returns the number left.
create function pg_temp.store(name text) returns integer
  language sql
as $$
  select public.store_reading(r.run, pg_temp.version(name), most_time => '0') from private.indexing_runs r where r.document_id = md5(name)::uuid
$$;
-- Returns the passages that the owner sees, and those a search finds, as one text.
create function pg_temp.seen(name text, word text) returns text
  language sql
as $$
  select pg_temp.by('owner', format('(select count(*) from public.passages where document_id = %L)', md5(name)::uuid)) || ' '
    || pg_temp.by('owner', format('(select count(*) from public.search_passages(%L, %L, filters => %L, max_results => 100))',
      md5('a')::uuid, word, jsonb_build_object('document', md5(name)::uuid)))
$$;
-- Recounts library A's words from its indexed passages.
create function pg_temp.words_are_right() returns boolean
  language sql
as $$
  with counted as (
    select d.id, w.word, private.term(d.library_id, 'en', s.stem) as term, w.passages
    from public.documents d, lateral private.words_in(array(
      select concat_ws(' ', d.title, p.heading, p.content) from public.passages p join private.passage_terms t on t.passage_id = p.id
      where p.document_id = d.id)) w, unnest(tsvector_to_array(to_tsvector('pg_catalog.english', w.word))) as s (stem)
    where d.library_id = md5('a')::uuid
  ), expected as (
    select word, term, count(*) as documents, sum(passages) as passages from counted group by 1, 2
  ), found as (
    select word, term, sum(documents) as documents, sum(passages) as passages from private.library_vocabulary
    where library_id = md5('a')::uuid and word <> '' group by 1, 2 having sum(passages) <> 0
  )
  select not exists ((table expected except table found) union all (table found except table expected))
$$;

-- A new document
select pg_temp.add_note('manual');
select pg_temp.read('manual', 'anchor', 40);
select extensions.is(pg_temp.store('manual'), 24, 'one step stores part of the passages');
select extensions.is(pg_temp.seen('manual', 'anchor'), '0 0', 'partly stored passages are hidden');
select extensions.is((select count(*) from private.library_vocabulary where library_id = md5('a')::uuid), 0::bigint, 'their words are not in the vocabulary');
update private.indexing_runs set reported_at = now() - interval '2 minutes';
select extensions.isnt((select t.run from public.take_document(md5('manual')::uuid) t), null, 'an interrupted run is taken again');
select extensions.is(pg_temp.store('manual') || ' ' || pg_temp.store('manual'), '8 0', 'it continues where it stopped');
select extensions.is(pg_temp.seen('manual', 'anchor'), '40 40', 'all passages appear together at the end');
select extensions.is((select state || ' ' || progress from public.documents where id = md5('manual')::uuid), 'ready 100', 'the document is ready');
select extensions.ok(pg_temp.words_are_right(), 'the vocabulary is correct');

-- A newer version
insert into public.versions (library_id, document_id, body, mime_type, size_bytes) values (md5('a')::uuid, md5('manual')::uuid, 'second', '', 0);
select pg_temp.read('manual', 'bollard', 40);
select extensions.is(pg_temp.store('manual'), 24, 'a newer version is stored in steps');
select extensions.is(pg_temp.seen('manual', 'anchor') || ', ' || pg_temp.seen('manual', 'bollard'), '40 40, 40 0', 'the old passages are used meanwhile');
insert into public.versions (library_id, document_id, body, mime_type, size_bytes) values (md5('a')::uuid, md5('manual')::uuid, 'third', '', 0);
select extensions.is((select count(*) from public.passages where document_id = md5('manual')::uuid), 40::bigint, 'an edit meanwhile discards the stored passages');
select extensions.is((select count(*) from private.indexing_runs where document_id = md5('manual')::uuid and run is null and reading is null), 1::bigint,
  'the run ends, and the next one reads the newest version');
select pg_temp.read('manual', 'capstan', 40);
select pg_temp.store('manual');
update public.documents set title = 'handbook' where id = md5('manual')::uuid;
select extensions.is(pg_temp.seen('manual', 'anchor') || ', ' || pg_temp.seen('manual', 'handbook'), '40 40, 40 40', 'a new title is found with the old passages');
select extensions.is(pg_temp.store('manual') || ' ' || pg_temp.store('manual') || ' ' || pg_temp.store('manual'), '24 8 0', 'the new passages are stored with it');
select extensions.is(pg_temp.seen('manual', 'anchor') || ', ' || pg_temp.seen('manual', 'capstan') || ', ' || pg_temp.seen('manual', 'handbook'), '40 0, 40 40, 40 40',
  'the new passages replace the old ones');
select extensions.ok(pg_temp.words_are_right(), 'the vocabulary matches the new version');
select extensions.is((select excerpt from public.documents where id = md5('manual')::uuid),
  (select content from public.passages where document_id = md5('manual')::uuid and ordinal = 0), 'the card has the first words of the new version');
update public.passages set content = repeat(E'word\n\n', 100) where document_id = md5('manual')::uuid and ordinal = 0;
select extensions.is(private.excerpt_of(md5('manual')::uuid), rtrim(repeat('word ', 47)) || '…', 'the excerpt is cut between words');
update public.passages set content = 'capstan 1' where document_id = md5('manual')::uuid and ordinal = 0;

-- Reading the same version again
create temporary table ids as select id, ordinal from public.passages where document_id = md5('manual')::uuid;
select private.queue_documents(array[md5('manual')::uuid], 0::smallint, false);
select pg_temp.read('manual', 'capstan', 50, 'Deck');
select extensions.is(pg_temp.store('manual') || ' ' || pg_temp.store('manual') || ' ' || pg_temp.store('manual'), '34 18 2', 'reading again stores a second copy');
select extensions.is(pg_temp.seen('manual', 'capstan') || ', ' || pg_temp.seen('manual', 'deck'), '40 40, 40 0', 'the second copy is hidden');
select pg_temp.store('manual');
select extensions.is(pg_temp.seen('manual', 'capstan') || ', ' || pg_temp.seen('manual', 'deck'), '50 50, 50 50', 'the second copy replaces the first at the end');
select extensions.is((select count(*) from ids i join public.passages p using (id, ordinal)), 40::bigint, 'unchanged passages keep their ids');
select extensions.ok(pg_temp.words_are_right(), 'the vocabulary is correct');
select private.queue_documents(array[md5('manual')::uuid], 0::smallint, false);
select pg_temp.read('manual', 'davit', 40);
select pg_temp.store('manual');
select public.fail_indexing(r.run, pg_temp.version('manual'), '{"message": "Unreadable."}') from private.indexing_runs r where r.document_id = md5('manual')::uuid;
select extensions.is(pg_temp.seen('manual', 'capstan') || ' ' || (select count(*) from public.passages where document_id = md5('manual')::uuid), '50 50 50', 'a failure keeps the old passages');

-- Trash, deletion, a database crash
select private.queue_documents(array[md5('manual')::uuid], 0::smallint, false);
select pg_temp.read('manual', 'davit', 40);
select pg_temp.store('manual');
update public.documents set deleted_at = now() where id = md5('manual')::uuid;
select extensions.is(pg_temp.store('manual'), null, 'a document in the trash is not stored further');
select extensions.is((select count(*) from private.all_passage_terms where document_id = md5('manual')::uuid), 0::bigint, 'a document in the trash is not indexed');
update public.documents set deleted_at = null where id = md5('manual')::uuid;
select extensions.is(pg_temp.seen('manual', 'capstan'), '50 50', 'a restored document is found as before');
select extensions.isnt((select t.run from public.take_document(md5('manual')::uuid) t), null, 'a restored document is taken again');
select pg_temp.store('manual');
delete from private.read_passages;
select extensions.is(pg_temp.store('manual'), null, 'a lost reading is not stored');
select t.run is not null as taken from public.take_document(md5('manual')::uuid) t;
select extensions.is((select row(reading, stored, reading_id)::text from private.indexing_runs where document_id = md5('manual')::uuid), '(,0,)', 'a lost reading is started again');
select extensions.ok(pg_temp.words_are_right(), 'the vocabulary is correct');
select pg_temp.read('manual', 'davit', 40);
select pg_temp.store('manual');
delete from public.documents where id = md5('manual')::uuid;
select extensions.is((select count(*) from private.library_vocabulary where library_id = md5('a')::uuid and word <> ''
  group by library_id having sum(passages) <> 0), null, 'deleting a document removes its words');
select extensions.is((select count(*) from private.all_passage_terms t where t.document_id = md5('manual')::uuid), 0::bigint, 'deleting a document removes its terms');

-- Turns of libraries
delete from private.indexing_runs;
delete from private.indexing_turns;
update private.indexing set at_once = 100;
select pg_temp.add_note('a' || n) from generate_series(1, 4) n;
select pg_temp.add_note('b' || n, 'b') from generate_series(1, 2) n;
create function pg_temp.take_six() returns text
  language plpgsql
as $$
declare
  titles text[];
begin
  for n in 1..6 loop
    titles[n] := (select t.title from public.take_document(null) t);
  end loop;
  return array_to_string(titles, ' ');
end
$$;
select extensions.is(pg_temp.take_six(), 'a1 b1 a2 b2 a3 a4', 'libraries take turns, oldest document first');
select pg_temp.add_note('b3', 'b');
select pg_temp.add_note('a5');
select private.queue_documents(array[md5('a5')::uuid], 0::smallint, false);
select extensions.is((select title from public.take_document(null)), 'a5', 'a requested document comes first regardless of turns');

-- A dead call frees its slot immediately; its documents come last.
delete from private.indexing_runs;
delete from private.indexing_turns;
update private.indexing set at_once = 1;
select pg_temp.add_note('hostile');
select pg_temp.add_note('other', 'b');
insert into private.indexing_calls (id, request) overriding system value values (1000001, 900000001);
select extensions.is((select title from public.take_document(call => 1000001)), 'hostile', 'a call takes a document');
select extensions.is((select title from public.take_document(call => 1000002)), null, 'a second call waits for a slot');
create function pg_temp.call_again() returns void
  language sql
as $$ select set_config('carrel.indexer_called', '', true); select private.call_indexer() $$;
insert into net._http_response (id, status_code, timed_out) values (900000001, null, true);
select pg_temp.call_again();
select extensions.is((select title from public.take_document(call => 1000002)), null, 'it waits while the response is late');
update net._http_response set status_code = 546 where id = 900000001;
select pg_temp.call_again();
select extensions.is((select title from public.take_document(call => 1000002)), 'other', 'a dead call frees its slot, and other documents come first');
select public.release_run(run) from private.indexing_runs where call = 1000002;
delete from private.indexing_runs where call = 1000002;
select extensions.is((select title from public.take_document(call => 1000003)), 'hostile', 'the document of a dead call is retried last');
-- Reading and storing in one call
select pg_temp.add_note('slip');
select extensions.is((select public.store_reading(t.run, pg_temp.version('slip'), reading => '{"count": 2, "language": "en"}',
    passages => '[{"start": 0, "end": 5, "content": "knot 1"}, {"start": 6, "end": 11, "content": "knot 2"}]')
  from public.take_document(md5('slip')::uuid) t), 0, 'a short reading is stored in one call');
select extensions.is(pg_temp.seen('slip', 'knot'), '2 2', 'its passages are found');
select extensions.is(public.store_reading(gen_random_uuid(), pg_temp.version('slip'), reading => '{"count": 0}'), null, 'a run that lost its document stores nothing');

select * from extensions.finish();
rollback;
