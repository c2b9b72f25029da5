-- Who may do what: every table, the files and the channel × select, insert, update, delete × nine people
--
-- Each test runs one command as each person and compares the results: the number of affected rows, or the SQLSTATE of the
-- error. Commands have no filter by library, so the number also shows that no other library is affected. In order:
--   nobody    not signed in                          expected everywhere: 42501, not even the table is granted
--   stranger  owns a library of their own
--   reader, editor, owner                            of library A
--   guest, helper                                    guests of library A: one collection of it is granted, to read and to edit
--   guard 1, guard 2                                 owner of library B, which requires a second factor, at aal1 and aal2
begin;
\ir helpers.psql
select plan(109);

insert into auth.users (id, email) select ('00000000-0000-4000-8000-00000000000' || n)::uuid, name || '@example.org'
from unnest(array['stranger', 'reader', 'editor', 'owner', 'guard', 'guest', 'helper']) with ordinality as p (name, n);
insert into public.libraries (id, name, require_second_factor) values
  ('a0000000-0000-4000-8000-000000000000', 'A', false), ('b0000000-0000-4000-8000-000000000000', 'B', true),
  ('c0000000-0000-4000-8000-000000000000', 'C', false);
insert into public.members (library_id, user_id, role) values
  ('c0000000-0000-4000-8000-000000000000', '00000000-0000-4000-8000-000000000001', 'owner'),
  ('a0000000-0000-4000-8000-000000000000', '00000000-0000-4000-8000-000000000002', 'reader'),
  ('a0000000-0000-4000-8000-000000000000', '00000000-0000-4000-8000-000000000003', 'editor'),
  ('a0000000-0000-4000-8000-000000000000', '00000000-0000-4000-8000-000000000004', 'owner'),
  ('a0000000-0000-4000-8000-000000000000', '00000000-0000-4000-8000-000000000006', 'guest'),
  ('a0000000-0000-4000-8000-000000000000', '00000000-0000-4000-8000-000000000007', 'guest'),
  ('b0000000-0000-4000-8000-000000000000', '00000000-0000-4000-8000-000000000005', 'owner');

/* In A and in B: a collection, two notes (one in the trash), a file, a tag on both notes, a comment by the reader (in B: by the guard) and
   one by the editor on the note, one on the trashed note, an invitation, a share link. */
create temporary table world (letter text, library uuid, author uuid, other uuid, live uuid, trashed uuid, file uuid);
insert into world values
  ('a', 'a0000000-0000-4000-8000-000000000000', '00000000-0000-4000-8000-000000000002', '00000000-0000-4000-8000-000000000003',
   'a0000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000002', 'a0000000-0000-4000-8000-000000000003'),
  ('b', 'b0000000-0000-4000-8000-000000000000', '00000000-0000-4000-8000-000000000005', '00000000-0000-4000-8000-000000000005',
   'b0000000-0000-4000-8000-000000000001', 'b0000000-0000-4000-8000-000000000002', 'b0000000-0000-4000-8000-000000000003');
insert into public.collections (id, library_id, name) select live, library, 'Folder' from world;
insert into public.collection_grants (library_id, collection_id, user_id, role)
  select library, live, ('00000000-0000-4000-8000-00000000000' || n)::uuid, role::public.member_role
  from world, (values (6, 'reader'), (7, 'editor')) as granted (n, role) where letter = 'a';
insert into public.documents (id, library_id, collection_id, kind, title)
  select live, library, live, 'note'::public.document_kind, 'Live' from world
  union all select trashed, library, null, 'note', 'Trashed' from world
  union all select file, library, null, 'file', 'File' from world;
insert into storage.objects (bucket_id, name, metadata)
  select 'documents', library || '/' || file || '/v1/file.txt', '{"size": 7, "mimetype": "text/plain"}'::jsonb from world
  union all select 'documents', library || '/' || file || '/v2/given-up.txt', '{"size": 7}'::jsonb from world;
insert into storage.objects (bucket_id, name)
  select 'pictures', library || '/' || note || '/00000000-0000-4000-8000-000000000000.png' from world, lateral unnest(array[live, trashed]) as note;
insert into storage.objects (bucket_id, name) values ('avatars', '00000000-0000-4000-8000-000000000002/me.png');
insert into public.versions (library_id, document_id, body, mime_type, size_bytes)
  select library, live, 'Live words, see [the file](/l/' || library || '/d/' || file || ').', '', 0 from world
  union all select library, trashed, 'Trashed words, of /l/' || library || '/d/' || file, '', 0 from world;
insert into public.versions (library_id, document_id, storage_path, mime_type, size_bytes)
  select library, file, library || '/' || file || '/v1/file.txt', '', 0 from world;
insert into storage.objects (bucket_id, name, metadata)
  select 'documents', library_id || '/' || id || '/cover.webp', '{"size": 30000, "mimetype": "image/webp"}'::jsonb
  from public.documents join world on id in (live, trashed, file);
update public.versions v set cover_path = library_id || '/' || document_id || '/cover.webp' from world where document_id in (live, trashed, file);
create temporary table stored as select public.replace_passages(current_version_id, '[{"start": 0, "end": 5, "content": "Some words."}]')
  from public.documents d join world on d.id in (live, trashed);
insert into public.tags (id, library_id, name) select live, library, 'tag' from world;
insert into public.document_tags (library_id, document_id, tag_id)
  select library, live, live from world union all select library, trashed, live from world;
insert into public.comments (library_id, document_id, body, quote, created_by)
  select library, live, 'Mine', 'Words', author from world union all select library, live, 'Theirs', null, other from world
  union all select library, trashed, 'Gone', null, other from world;
insert into public.invitations (library_id, email, token_hash) select library, 'new@example.org', letter from world;
insert into public.share_links (library_id, document_id, token_hash) select library, live, letter from world;
insert into public.saved_searches (library_id, user_id, name) select library, author, 'Mine' from world;
insert into public.note_templates (library_id, title) select library, 'Minutes' from world;
-- Two file requests with a file each: one for the collection, one whose collection was deleted.
insert into public.file_requests (id, library_id, collection_id, title, token_hash, expires_at)
  select md5(letter || place)::uuid, library, case when place = 'live' then live end, 'Offers', letter || place, now() + interval '1 day'
  from world, unnest(array['live', 'gone']) place;
insert into public.received_files (id, library_id, request_id, sender_name, file_name, title, size_bytes, path, content_hash)
  select md5(request.id || ' file')::uuid, request.library_id, request.id, 'Sender', 'a.pdf', 'A', 1,
    request.library_id || '/' || md5(request.id || ' file')::uuid || '/v1/file.pdf', encode(sha256(request.id::text::bytea), 'hex')
  from public.file_requests request;
insert into storage.objects (bucket_id, name, metadata) select 'documents', path, '{"size": 7}' from public.received_files;
update public.documents set deleted_at = now() where id in (select trashed from world);
-- That ends the libraries' channels; the topics below are those of the first.
update public.library_channels set epoch = 1;
grant select on world to authenticated;

create function pg_temp.outcome(person text, command text) returns text
  language plpgsql
as $$
declare
  library text := case when person like 'guard%' then 'b' else 'a' end || '0000000-0000-4000-8000-000000000000';
  number integer := array_position(array['stranger', 'reader', 'editor', 'owner', 'guard', 'guest', 'helper'], split_part(person, ' ', 1));
  rows bigint;
begin
  perform set_config('test.library', library, true), set_config('realtime.topic', 'library:' || library || ':1', true),
    set_config('storage.allow_delete_query', 'true', true),
    set_config('request.jwt.claims', case when number is null then '{"role": "anon"}' else jsonb_build_object(
      'sub', '00000000-0000-4000-8000-00000000000' || number, 'role', 'authenticated',
      'aal', case when person = 'guard 2' then 'aal2' else 'aal1' end)::text end, true),
    set_config('role', case when number is null then 'anon' else 'authenticated' end, true);
  execute command;
  get diagnostics rows = row_count;
  -- The handler's subtransaction rolls back the command, role and claims.
  raise exception using errcode = 'ZZZZZ', message = rows;
exception when others then
  return case when sqlstate = 'ZZZZZ' then sqlerrm else sqlstate end;
end
$$;
create function pg_temp.outcomes(command text) returns text
  language sql
as $$
  select string_agg(pg_temp.outcome(person, command), ' ' order by n)
  from unnest(array['nobody', 'stranger', 'reader', 'editor', 'owner', 'guest', 'helper', 'guard 1', 'guard 2']) with ordinality as p (person, n)
$$;
create function pg_temp.expect(command text, expected text) returns text
  language sql
as $$ select extensions.is(pg_temp.outcomes(command), regexp_replace(trim(expected), '\s+', ' ', 'g'), command) $$;

-- command, and:                                                                   nobody stranger reader editor owner guest helper guard1 guard2
select pg_temp.expect('select from public.profiles',                               '42501 1 5 5 5 3 3 1 1');
select pg_temp.expect('update public.profiles set display_name = ''x''',           '42501 1 1 1 1 1 1 1 1');
select pg_temp.expect('update public.profiles set id = gen_random_uuid()',         '42501 42501 42501 42501 42501 42501 42501 42501 42501');
select pg_temp.expect('delete from public.profiles',                               '42501 42501 42501 42501 42501 42501 42501 42501 42501');

select pg_temp.expect('select from public.libraries',                              '42501 1 1 1 1 1 1 0 1');
select pg_temp.expect('insert into public.libraries (name) values (''x'')',        '42501 42501 42501 42501 42501 42501 42501 42501 42501');
select pg_temp.expect('update public.libraries set name = ''x''',                  '42501 1 0 0 1 0 0 0 1');
select pg_temp.expect('delete from public.libraries',                              '42501 1 0 0 1 0 0 0 1');

select pg_temp.expect('select id from public.file_requests',                       '42501 0 0 2 2 0 1 0 2');
select pg_temp.expect('select token_hash from public.file_requests',               '42501 42501 42501 42501 42501 42501 42501 42501 42501');
select pg_temp.expect('select public.create_file_request(w.library, w.live, ''Offers'', now() + interval ''1 day'') from world w where w.library = current_setting(''test.library'')::uuid',
                                                                                   '42501 42501 42501 1 1 42501 1 42501 1');
select pg_temp.expect('insert into public.file_requests (library_id, title, token_hash, expires_at) select library, ''x'', ''x'', now() from world',
                                                                                   '42501 42501 42501 42501 42501 42501 42501 42501 42501');
select pg_temp.expect('update public.file_requests set closed_at = now()',         '42501 0 0 2 2 0 1 0 2');
select pg_temp.expect('delete from public.file_requests',                          '42501 42501 42501 42501 42501 42501 42501 42501 42501');
select pg_temp.expect('select from public.received_files',                         '42501 0 0 2 2 0 1 0 2');
select pg_temp.expect('update public.received_files set state = ''taken''',        '42501 0 0 2 2 0 1 0 2');
select pg_temp.expect('update public.received_files set state = ''discarded''',    '42501 0 0 2 2 0 1 0 2');
select pg_temp.expect('update public.received_files set path = ''x''',             '42501 42501 42501 42501 42501 42501 42501 42501 42501');
select pg_temp.expect('select from storage.objects o where exists (select from public.received_files f where f.path = o.name)',
                                                                                   '42501 0 0 2 2 0 1 0 2');

select pg_temp.expect('select from public.members',                                '42501 1 5 5 5 1 1 0 1');
select pg_temp.expect('insert into public.members select id, auth.uid(), ''owner'' from public.libraries',
                                                                                   '42501 42501 42501 42501 42501 42501 42501 42501 42501');
select pg_temp.expect('update public.members set role = ''owner''',                '42501 1 0 0 5 0 0 0 1');
select pg_temp.expect('delete from public.members where role <> ''owner''',        '42501 0 1 1 4 1 1 0 0');

select pg_temp.expect('select from public.collections',                            '42501 0 1 1 1 1 1 0 1');
select pg_temp.expect('insert into public.collections (library_id, name) values (current_setting(''test.library'')::uuid, ''x'')',
                                                                                   '42501 42501 42501 1 1 42501 42501 42501 1');
select pg_temp.expect('update public.collections set name = ''x''',                '42501 0 0 1 1 0 0 0 1');
select pg_temp.expect('delete from public.collections',                            '42501 0 0 1 1 0 0 0 1');

select pg_temp.expect('select from public.documents',                              '42501 0 2 3 3 1 1 0 3');
select pg_temp.expect('insert into public.documents (library_id, kind, title) values (current_setting(''test.library'')::uuid, ''note'', ''x'')',
                                                                                   '42501 42501 42501 1 1 42501 42501 42501 1');
select pg_temp.expect('update public.documents set title = ''x''',                 '42501 0 0 3 3 0 1 0 3');
select pg_temp.expect('update public.documents set deleted_at = now()',            '42501 0 0 3 3 0 1 0 3');
select pg_temp.expect('update public.documents set state = ''ready''',             '42501 42501 42501 42501 42501 42501 42501 42501 42501');
select pg_temp.expect('update public.documents set library_id = ''c0000000-0000-4000-8000-000000000000''',
                                                                                   '42501 42501 42501 42501 42501 42501 42501 42501 42501');
select pg_temp.expect('delete from public.documents',                              '42501 0 0 0 1 0 0 0 1');

select pg_temp.expect('select from public.document_links',                         '42501 0 1 2 2 1 1 0 2');
select pg_temp.expect('insert into public.document_links select library, live, file from world',
                                                                                   '42501 42501 42501 42501 42501 42501 42501 42501 42501');
select pg_temp.expect('delete from public.document_links',                         '42501 42501 42501 42501 42501 42501 42501 42501 42501');

select pg_temp.expect('select from public.versions',                               '42501 0 2 3 3 1 1 0 3');
select pg_temp.expect('insert into public.versions (library_id, document_id, body, mime_type, size_bytes)
  select library, live, ''x'', '''', 0 from world where library = current_setting(''test.library'')::uuid',
                                                                                   '42501 42501 42501 1 1 42501 1 42501 1');
select pg_temp.expect('update public.versions set body = ''x''',                   '42501 42501 42501 42501 42501 42501 42501 42501 42501');
select pg_temp.expect('delete from public.versions',                               '42501 42501 42501 42501 42501 42501 42501 42501 42501');

select pg_temp.expect('select from public.passages',                               '42501 0 1 2 2 1 1 0 2');
select pg_temp.expect('update public.passages set content = ''x''',                '42501 42501 42501 42501 42501 42501 42501 42501 42501');
select pg_temp.expect('delete from public.passages',                               '42501 42501 42501 42501 42501 42501 42501 42501 42501');

select pg_temp.expect('select from public.comments',                               '42501 0 2 3 3 2 2 0 3');
select pg_temp.expect('insert into public.comments (library_id, document_id, body)
  select library, live, ''x'' from world where library = current_setting(''test.library'')::uuid',
                                                                                   '42501 42501 1 1 1 1 1 42501 1');
select pg_temp.expect('update public.comments set resolved_at = now()',            '42501 0 1 3 3 0 0 0 3');
select pg_temp.expect('update public.comments set body = ''x'' where body = ''Mine''', '42501 0 1 42501 42501 0 0 0 1');
select pg_temp.expect('insert into public.comments (library_id, document_id, body, quote, color)
  select library, live, '''', ''Words'', ''blue'' from world where library = current_setting(''test.library'')::uuid',
                                                                                   '42501 42501 1 1 1 1 1 42501 1');
select pg_temp.expect('insert into public.comments (library_id, document_id, body, quote, color)
  select library, live, '''', ''Words'', ''red'' from world where library = current_setting(''test.library'')::uuid',
                                                                                   '42501 42501 23514 23514 23514 23514 23514 42501 23514');
select pg_temp.expect('insert into public.comments (library_id, document_id, body, color)
  select library, live, ''x'', ''blue'' from world where library = current_setting(''test.library'')::uuid',
                                                                                   '42501 42501 23514 23514 23514 23514 23514 42501 23514');
select pg_temp.expect('update public.comments set color = ''pink'' where body = ''Mine''', '42501 0 1 42501 42501 0 0 0 1');
select pg_temp.expect('select from public.find_highlights(current_setting(''test.library'')::uuid)', '42501 0 1 1 1 1 1 0 1');
select pg_temp.expect('delete from public.comments',                               '42501 0 1 2 3 0 0 0 3');

select pg_temp.expect('select from public.tags',                                   '42501 0 1 1 1 1 1 0 1');
select pg_temp.expect('insert into public.tags (library_id, name) values (current_setting(''test.library'')::uuid, ''x'')',
                                                                                   '42501 42501 42501 1 1 42501 42501 42501 1');
select pg_temp.expect('update public.tags set name = ''x''',                       '42501 0 0 1 1 0 0 0 1');
select pg_temp.expect('delete from public.document_tags',                          '42501 0 0 2 2 0 0 0 2');

select pg_temp.expect('select id from public.invitations',                         '42501 0 0 0 1 0 0 0 1');
select pg_temp.expect('select token_hash from public.invitations',                 '42501 42501 42501 42501 42501 42501 42501 42501 42501');
select pg_temp.expect('delete from public.invitations',                            '42501 0 0 0 1 0 0 0 1');

select pg_temp.expect('select id from public.share_links',                         '42501 0 0 1 1 0 0 0 1');
select pg_temp.expect('update public.share_links set revoked_at = now()',          '42501 0 0 1 1 0 0 0 1');

-- Readers don't see the activity of documents that are hidden from them.
select pg_temp.expect('select from public.activity where verb like ''document.%''', '42501 0 2 4 4 0 0 0 4');
select pg_temp.expect('delete from public.activity',                               '42501 42501 42501 42501 42501 42501 42501 42501 42501');

select pg_temp.expect('select from public.saved_searches',                         '42501 0 1 0 0 0 0 0 1');

select pg_temp.expect('select from public.note_templates',                         '42501 0 1 1 1 0 0 0 1');
select pg_temp.expect('insert into public.note_templates (library_id, title) values (current_setting(''test.library'')::uuid, ''x'')',
                                                                                   '42501 42501 42501 1 1 42501 42501 42501 1');
select pg_temp.expect('update public.note_templates set title = ''x'', body = ''x''', '42501 0 0 1 1 0 0 0 1');
select pg_temp.expect('delete from public.note_templates',                         '42501 0 0 1 1 0 0 0 1');

select pg_temp.expect('select from storage.objects where bucket_id = ''documents''', '0 0 3 7 7 1 2 0 7');
select pg_temp.expect('insert into storage.objects (bucket_id, name) values
  (''documents'', current_setting(''test.library'') || ''/00000000-0000-4000-8000-000000000000/v1/new.txt'')',
                                                                                   '42501 42501 42501 1 1 42501 1 42501 1');
select pg_temp.expect('delete from storage.objects where bucket_id = ''documents''', '0 0 0 1 2 0 0 0 2');
select pg_temp.expect('select from storage.objects where bucket_id = ''pictures''',  '0 0 1 2 2 1 1 0 2');
select pg_temp.expect('insert into storage.objects (bucket_id, name)
  select ''pictures'', library || ''/'' || live || ''/00000000-0000-4000-8000-000000000001.webp'' from world
  where library = current_setting(''test.library'')::uuid',                         '42501 42501 42501 1 1 42501 1 42501 1');
-- Not for a trashed note, a file, another name, or a note of another library.
select pg_temp.expect('insert into storage.objects (bucket_id, name)
  select ''pictures'', library || ''/'' || trashed || ''/00000000-0000-4000-8000-000000000001.webp'' from world
  where library = current_setting(''test.library'')::uuid',                         '42501 42501 42501 42501 42501 42501 42501 42501 42501');
select pg_temp.expect('insert into storage.objects (bucket_id, name)
  select ''pictures'', library || ''/'' || file || ''/00000000-0000-4000-8000-000000000001.webp'' from world
  where library = current_setting(''test.library'')::uuid',                         '42501 42501 42501 42501 42501 42501 42501 42501 42501');
select pg_temp.expect('insert into storage.objects (bucket_id, name)
  select ''pictures'', current_setting(''test.library'') || ''/'' || live || ''/drawing.svg'' from world',
                                                                                   '42501 42501 42501 42501 42501 42501 42501 42501 42501');
select pg_temp.expect('delete from storage.objects where bucket_id = ''pictures''',  '0 0 0 0 0 0 0 0 0');

select pg_temp.expect('select epoch from public.library_channels',                     '42501 1 1 1 1 1 1 0 1');
select pg_temp.expect('insert into realtime.messages (topic, extension) values (realtime.topic(), ''presence'')',
                                                                                   '42501 42501 1 1 1 42501 42501 42501 1');
select pg_temp.expect('insert into realtime.messages (topic, extension) values (realtime.topic(), ''broadcast'')',
                                                                                   '42501 42501 42501 42501 42501 42501 42501 42501 42501');
insert into realtime.messages (topic, extension) select 'library:' || library || ':1', 'broadcast' from world;
select pg_temp.expect('select from realtime.messages where topic = realtime.topic() limit 1', '0 0 1 1 1 0 0 0 1');

-- Grants: all members see them, only owners change them.
select pg_temp.expect('select from public.collection_grants',                      '42501 0 2 2 2 1 1 0 0');
select pg_temp.expect('insert into public.collection_grants (library_id, collection_id, user_id, role)
  select library, live, author, ''editor'' from world where library = current_setting(''test.library'')::uuid',
                                                                                   '42501 42501 42501 42501 1 42501 42501 42501 1');
select pg_temp.expect('update public.collection_grants set role = ''editor''',     '42501 0 0 0 2 0 0 0 0');
select pg_temp.expect('update public.collection_grants set role = ''owner''',      '42501 0 0 0 23514 0 0 0 0');
select pg_temp.expect('delete from public.collection_grants',                      '42501 0 0 0 2 0 0 0 0');
-- Documents can't be moved out of the granted collection, or into it from elsewhere.
select pg_temp.expect('update public.documents set collection_id = null where title = ''Live''', '42501 0 0 1 1 0 42501 0 1');
select pg_temp.expect('insert into public.documents (library_id, collection_id, kind, title)
  select library, live, ''note'', ''x'' from world where library = current_setting(''test.library'')::uuid',
                                                                                   '42501 42501 42501 1 1 42501 1 42501 1');
select pg_temp.expect('select from public.search_passages(current_setting(''test.library'')::uuid, ''words'')', '42501 0 1 1 1 1 1 0 1');
select pg_temp.expect('select from public.document_audience((select live from world where library = current_setting(''test.library'')::uuid))',
                                                                                   '42501 0 5 5 5 1 1 0 1');
select pg_temp.expect('select from public.most_read(current_setting(''test.library'')::uuid)', '42501 0 0 0 0 0 0 0 0');
select pg_temp.expect('insert into public.activity_marks (library_id, seen) values (current_setting(''test.library'')::uuid, 1)',
                                                                                   '42501 42501 1 1 1 42501 42501 42501 1');
select pg_temp.expect('select from public.activity where verb ~ ''^(invitation|share|grant)''', '42501 0 0 0 4 0 0 0 2');
select pg_temp.expect('select from public.purge_trash()',                          '42501 42501 42501 42501 42501 42501 42501 42501 42501');
select pg_temp.expect('select from public.unreferenced_files()',                   '42501 42501 42501 42501 42501 42501 42501 42501 42501');
select pg_temp.expect('select from public.find_shared_file(''a'')',                '42501 42501 42501 42501 42501 42501 42501 42501 42501');
select pg_temp.expect('select from public.find_shared_pictures(''a'', ''{}'')',      '42501 42501 42501 42501 42501 42501 42501 42501 42501');

-- Covers: editors set them once, for documents they can edit.
select pg_temp.expect('update public.versions set cover_path = ''x''',             '42501 0 0 0 0 0 0 0 0');
update public.versions v set cover_path = null from world where document_id in (live, trashed, file);
create temporary table bare as select letter, title, current_version_id as version, library || '/' || id || '/cover.webp' as path
  from public.documents join world on id in (live, file);
grant select on bare to authenticated, anon;
create function pg_temp.cover(title text, path text default 'path') returns text
  language sql
as $$
  select format('select public.set_cover(version, %s) from bare where letter = left(current_setting(''test.library''), 1) and title = %L', path, title)
$$;
select pg_temp.expect(pg_temp.cover('Live'),                                       '42501 42501 42501 1 1 42501 1 42501 1');
select pg_temp.expect(pg_temp.cover('File'),                                       '42501 42501 42501 1 1 42501 42501 42501 1');
select pg_temp.expect('update public.versions v set cover_path = path from bare where version = v.id',
                                                                                   '42501 0 0 2 2 0 1 0 2');
select pg_temp.expect('update public.versions set cover_path = null',              '42501 0 0 42501 42501 0 42501 0 42501');
insert into storage.objects (bucket_id, name, metadata)
  select 'documents', regexp_replace(path, 'cover.webp$', name), jsonb_build_object('size', size, 'mimetype', type)
  from bare, (values ('large.webp', 40961, 'image/webp'), ('text.webp', 7, 'text/html')) as odd (name, size, type) where title = 'Live';
select extensions.is(pg_temp.outcome('editor', pg_temp.cover('Live', path)), refused, 'a cover is rejected: ' || path)
  from (values ('replace(path, ''cover'', ''large'')', '23514'), ('replace(path, ''cover'', ''text'')', '23514'),
    ('replace(path, ''cover'', ''missing'')', '23503'), ('(select path from bare where title = ''File'' and letter = ''a'')', '23514')) as odd (path, refused);

-- A new version has other links; addresses in another library or of missing documents don't count.
insert into public.versions (library_id, document_id, body, mime_type, size_bytes)
  select library, live, 'See [it](/l/' || library || '/d/' || trashed || '), /l/' || library || '/d/' || gen_random_uuid()
    || ' and /l/c0000000-0000-4000-8000-000000000000/d/' || file, '', 0 from world;
select extensions.results_eq('select target_id from public.document_links join world on source_id = live order by 1',
  'select trashed from world order by 1', 'links of a note follow its current version');

select * from finish();
rollback;
