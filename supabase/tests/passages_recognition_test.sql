-- Recognized text: who may store it, for which pages, in which form, and that search finds and marks it
begin;
\ir helpers.psql
select plan(49);

create function pg_temp.stored(person text, version text, page text default '1', lines text default '[{"text": "A lamp.", "size": 11, "y": 700}]')
  returns text
  language sql
as $$
  select pg_temp.answer(person, format('select public.store_recognized_page(%L, %s, %L)', md5(version)::uuid, page, lines))
$$;

select pg_temp.add_people('owner', 'editor', 'reader', 'helper', 'guest', 'outsider');
insert into public.libraries (id, name, recognition_languages) values (md5('library')::uuid, 'A', '{}');
insert into public.members (library_id, user_id, role) select md5('library')::uuid, md5(person)::uuid, role::public.member_role
  from (values ('owner', 'owner'), ('editor', 'editor'), ('reader', 'reader'), ('helper', 'guest'), ('guest', 'guest')) as m (person, role);
insert into public.collections (id, library_id, name) values (md5('granted')::uuid, md5('library')::uuid, 'Granted');
insert into public.collection_grants (library_id, collection_id, user_id, role)
  select md5('library')::uuid, md5('granted')::uuid, md5(person)::uuid, role::public.member_role
  from (values ('helper', 'editor'), ('guest', 'reader')) as g (person, role);
insert into storage.objects (bucket_id, name, metadata)
  select 'documents', md5('library')::uuid || '/' || md5(d)::uuid || '/v1/scan.pdf', '{"size": 7, "mimetype": "application/pdf"}'::jsonb
  from unnest(array['granted scan', 'closed scan']) d;
insert into public.documents (id, library_id, collection_id, kind, title) values
  (md5('granted scan')::uuid, md5('library')::uuid, md5('granted')::uuid, 'file', 'Granted'),
  (md5('closed scan')::uuid, md5('library')::uuid, null, 'file', 'Closed');
insert into public.versions (id, library_id, document_id, storage_path, mime_type, size_bytes)
  select md5(d || ' 1')::uuid, md5('library')::uuid, md5(d)::uuid, md5('library')::uuid || '/' || md5(d)::uuid || '/v1/scan.pdf', '', 0
  from unnest(array['granted scan', 'closed scan']) d;
update public.versions set pages_without_text = '{1,3}' where id in (md5('granted scan 1')::uuid, md5('closed scan 1')::uuid);

-- The setting.
select extensions.matches(pg_temp.stored('editor', 'closed scan 1'), '^42501 Text recognition is turned off', 'pages are rejected where text recognition is off');
select extensions.is((select count(*)::integer from public.recognized_pages), 0, 'rejected pages are not stored');
select extensions.is(
  pg_temp.answer(person, $$with changed as (update public.libraries set recognition_languages = '{en}' returning 1) select count(*) from changed$$),
  '0', person || ' cannot turn it on') from unnest(array['editor', 'reader', 'helper', 'guest', 'outsider']) person;
select extensions.matches(
  pg_temp.answer('owner', format('update public.libraries set recognition_languages = %L', languages)), '^23514', 'invalid languages are rejected: ' || languages)
  from unnest(array['{xx}', '{en,fr}', '{NULL}', '{en,en,en}']) languages;
select extensions.is(
  pg_temp.answer('owner', $$with changed as (update public.libraries set recognition_languages = '{en,de}' returning 1) select count(*) from changed$$),
  '1', 'an owner turns it on');

-- Rights.
select extensions.is(pg_temp.stored(person, version), '', person || ' stores a page')
  from (values ('owner', 'closed scan 1'), ('editor', 'closed scan 1'), ('helper', 'granted scan 1')) as p (person, version);
select extensions.matches(pg_temp.stored(person, version), '^42501 The document', person || ' cannot store a page of ' || version)
  from (values ('reader', 'closed scan 1'), ('helper', 'closed scan 1'), ('guest', 'granted scan 1'), ('outsider', 'granted scan 1'),
    ('editor', 'no such version')) as p (person, version);
-- The table itself accepts no more.
create function pg_temp.put(person text, version text, page integer, lines text default '[]') returns text
  language sql
as $$
  select pg_temp.done(person, format('insert into public.recognized_pages (version_id, page, lines) values (%L, %s, %L)', md5(version)::uuid, page, lines))
$$;
select extensions.matches(pg_temp.put(person, version, page, lines), '^42501', person || ' cannot insert ' || version || ', page ' || page || ', ' || lines)
  from (values ('reader', 'closed scan 1', 3, '[]'), ('helper', 'closed scan 1', 3, '[]'), ('guest', 'granted scan 1', 3, '[]'),
    ('outsider', 'granted scan 1', 3, '[]'), ('editor', 'no such version', 3, '[]'), ('editor', 'closed scan 1', 2, '[]'),
    ('editor', 'closed scan 1', 3, '[1]')) as p (person, version, page, lines);
select extensions.matches(pg_temp.done('editor', format('insert into public.recognized_pages (version_id, page, lines, created_by) values (%L, 3, ''[]'', %L)',
  md5('closed scan 1')::uuid, md5('owner')::uuid)), '^42501', 'pages cannot be inserted for another user');
select extensions.is(pg_temp.done(person, 'delete from public.recognized_pages'), rows, person || ' deletes ' || rows)
  from (values ('reader', '0'), ('guest', '0'), ('outsider', '0')) as p (person, rows);

-- Validation.
select extensions.matches(pg_temp.stored('editor', 'closed scan 1', '2'), '^23514 Page 2 isn’t one', 'a page with its own text is rejected');
select extensions.matches(pg_temp.stored('editor', 'closed scan 1', '1', lines), '^23514 The lines of a page are', 'invalid lines are rejected: ' || left(lines, 60))
  from unnest(array['{}', '"text"', '[1]', '[{"text": 1, "size": 1, "y": 1}]', '[{"text": "", "size": 1, "y": 1}]',
    '[{"text": "x", "size": "1", "y": 1}]', '[{"text": "x", "size": 1}]', '[{"text": "x", "size": 1e99, "y": 1}]',
    (select jsonb_agg('{"text": "x", "size": 1, "y": 1}'::jsonb)::text from generate_series(1, 1001))]) lines;
select extensions.is(pg_temp.stored('editor', 'closed scan 1', '3', '[]'), '', 'a page without lines is stored as done');

-- Visibility and search.
select extensions.is(pg_temp.answer(person, 'select count(*) from public.recognized_pages'), seen, person || ' sees ' || seen)
  from (values ('reader', '3'), ('guest', '1'), ('outsider', '0')) as p (person, seen);
create temporary table kept as select public.replace_passages(md5('closed scan 1')::uuid,
  '[{"page": 1, "start": 0, "end": 7, "content": "A lamp."}, {"page": 2, "start": 0, "end": 7, "content": "Another lamp."}]');
select extensions.is(
  pg_temp.answer('reader', format('select string_agg(s.page || '':'' || s.recognized, '' '' order by s.page)
    from public.search_passages(%L, ''lamp'') s', md5('library')::uuid)),
  '1:true 2:false', 'search results are marked as recognized');
select extensions.is(
  pg_temp.answer('reader', 'select string_agg(p.page || '':'' || public.recognized(p), '' '' order by p.page) from public.passages p'),
  '1:true 2:false', 'passages are marked as recognized');

-- A newer version has its own pages.
insert into storage.objects (bucket_id, name, metadata) select 'documents',
  md5('library')::uuid || '/' || md5('closed scan')::uuid || '/v2/scan.pdf', '{"size": 7, "mimetype": "application/pdf"}'::jsonb;
insert into public.versions (id, library_id, document_id, storage_path, mime_type, size_bytes)
  select md5('closed scan 2')::uuid, md5('library')::uuid, md5('closed scan')::uuid,
    md5('library')::uuid || '/' || md5('closed scan')::uuid || '/v2/scan.pdf', '', 0;
select extensions.matches(pg_temp.stored('editor', 'closed scan 1'), '^42501 The document doesn’t exist, has a newer version, or you',
  'an old version rejects pages');
select extensions.matches(pg_temp.stored('editor', 'closed scan 2'), '^23514 Page 1 isn’t one', 'a new version rejects pages until it is indexed');

select * from finish();
rollback;
