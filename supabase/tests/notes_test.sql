-- Collaborative notes: who may read and write the history and use the channel, and that no order of writing, saving and merging loses an
-- acknowledged update
begin;
\ir helpers.psql
select plan(59);

select pg_temp.add_people('stranger', 'reader', 'editor', 'owner', 'guest', 'helper', 'guard');
create temporary table ids as select md5('library')::uuid as library, md5('guarded')::uuid as guarded, md5('granted')::uuid as granted,
  md5('note')::uuid as note, md5('guarded note')::uuid as guarded_note, md5('trashed')::uuid as trashed, md5('link')::uuid as link,
  md5('one')::uuid as one, md5('two')::uuid as two;
grant select on ids to authenticated, anon;
insert into public.libraries (id, name, require_second_factor) select library, 'A', false from ids union all select guarded, 'B', true from ids;
insert into public.members (library_id, user_id, role) select library, md5(person)::uuid, role::public.member_role
  from ids, (values ('reader', 'reader'), ('editor', 'editor'), ('owner', 'owner'), ('guest', 'guest'), ('helper', 'guest')) as m (person, role)
  union all select guarded, md5('guard')::uuid, 'owner' from ids;
insert into public.collections (id, library_id, name) select granted, library, 'Granted' from ids;
insert into public.collection_grants (library_id, collection_id, user_id, role)
  select library, granted, md5(person)::uuid, role::public.member_role from ids, (values ('guest', 'reader'), ('helper', 'editor')) as g (person, role);
insert into public.documents (id, library_id, collection_id, kind, title, url)
  select note, library, granted, 'note'::public.document_kind, 'Note', null from ids union all select trashed, library, null, 'note', 'Gone', null from ids
  union all select link, library, null, 'link', 'Link', 'https://example.org/' from ids
  union all select guarded_note, guarded, null, 'note', 'Guarded', null from ids;
insert into public.versions (id, library_id, document_id, body, mime_type, size_bytes)
  select md5('version 1')::uuid, library, note, 'One', '', 0 from ids union all select md5('version g')::uuid, guarded, guarded_note, 'G', '', 0 from ids;
insert into public.note_states (document_id, library_id, generation, format, state, version_id, last_update)
  select note, library, one, 1, 'state'::bytea, md5('version 1')::uuid, 1 from ids
  union all select guarded_note, guarded, one, 1, 'state'::bytea, md5('version g')::uuid, 1 from ids
  union all select trashed, library, one, 1, 'state'::bytea, null, 1 from ids;
insert into public.note_updates (document_id, number, update)
  select document, 1, 'one'::bytea from ids, unnest(array[note, guarded_note, trashed]) document;
update public.documents set deleted_at = now() where id = (select trashed from ids);
-- Moving a note to the trash ends its library's channels; the topics below are those of the first.
update public.library_channels set epoch = 1;

create function pg_temp.outcome(person text, command text) returns text
  language plpgsql
as $$
declare
  note uuid := md5(case when person like 'guard%' then 'guarded note' else 'note' end)::uuid;
  rows bigint;
begin
  perform set_config('realtime.topic', 'note:' || note || ':1', true),
    set_config('request.jwt.claims', case when person = 'nobody' then '{"role": "anon"}' else jsonb_build_object(
      'sub', md5(split_part(person, ' ', 1))::uuid, 'role', 'authenticated',
      'aal', case when person = 'guard 2' then 'aal2' else 'aal1' end)::text end, true),
    set_config('role', case when person = 'nobody' then 'anon' else 'authenticated' end, true);
  execute replace(command, '$note', quote_literal(note) || '::uuid');
  get diagnostics rows = row_count;
  -- The handler's subtransaction rolls back the command, role and claims.
  raise exception using errcode = 'ZZZZZ', message = rows;
exception when others then
  return case when sqlstate = 'ZZZZZ' then sqlerrm else sqlstate end;
end
$$;
create function pg_temp.expect(command text, expected text) returns text
  language sql
as $$
  select extensions.is(
    (select string_agg(pg_temp.outcome(person, command), ' ' order by n) from unnest(
      array['nobody', 'stranger', 'reader', 'editor', 'owner', 'guest', 'helper', 'guard 1', 'guard 2']) with ordinality as p (person, n)),
    regexp_replace(trim(expected), '\s+', ' ', 'g'), command)
$$;

-- command, and:                                                                nobody stranger reader editor owner guest helper guard1 guard2
select pg_temp.expect('select from public.note_states where document_id = $note', '42501 0 1 1 1 0 1 0 1');
select pg_temp.expect('select from public.note_updates where document_id = $note', '42501 0 1 1 1 0 1 0 1');
select pg_temp.expect('select where public.read_note_state($note) ->> ''state'' is not null', '42501 0 1 1 1 0 1 0 1');
select pg_temp.expect('insert into public.note_states (document_id, library_id, generation, format, state) select link, library, one, 1, '''' from ids',
                                                                                '42501 42501 42501 42501 42501 42501 42501 42501 42501');
select pg_temp.expect('update public.note_states set last_update = 0',          '42501 42501 42501 42501 42501 42501 42501 42501 42501');
select pg_temp.expect('delete from public.note_states',                         '42501 42501 42501 42501 42501 42501 42501 42501 42501');
select pg_temp.expect('insert into public.note_updates (document_id, number, update) values ($note, 2, '''')',
                                                                                '42501 42501 42501 42501 42501 42501 42501 42501 42501');
select pg_temp.expect('update public.note_updates set update = ''''',           '42501 42501 42501 42501 42501 42501 42501 42501 42501');
select pg_temp.expect('delete from public.note_updates',                        '42501 42501 42501 42501 42501 42501 42501 42501 42501');
select pg_temp.expect('select public.add_note_update($note, (select one from ids), ''AAA='')',
                                                                                '42501 42501 42501 1 1 42501 1 42501 1');
select pg_temp.expect('select public.start_note_state($note, (select two from ids), 1, ''AAA='', (select current_version_id from public.documents where id = $note))',
                                                                                '42501 42501 42501 1 1 42501 1 42501 1');
select pg_temp.expect('select public.save_note_state($note, (select one from ids), ''x'', (select current_version_id from public.documents where id = $note), ''AAA='', 1)',
                                                                                '42501 42501 42501 1 1 42501 1 42501 1');
select pg_temp.expect('select public.merge_note_version($note, (select one from ids), v, v, ''AAA='') from (select current_version_id v from public.documents where id = $note) d',
                                                                                '42501 0 42501 1 1 42501 1 0 1');
select pg_temp.expect('insert into realtime.messages (topic, extension) values (realtime.topic(), ''broadcast'')',
                                                                                '42501 42501 42501 1 1 42501 1 42501 1');
select pg_temp.expect('insert into realtime.messages (topic, extension) values (realtime.topic(), ''presence'')',
                                                                                '42501 42501 42501 42501 42501 42501 42501 42501 42501');
insert into realtime.messages (topic, extension) select 'note:' || document || ':1', 'broadcast' from ids, unnest(array[note, guarded_note]) document;
select pg_temp.expect('select from realtime.messages where topic = realtime.topic() limit 1', '0 0 1 1 1 0 1 0 1');

-- Readers see no drafts where changes need approval, no history without the current version, and no note in the trash.
create function pg_temp.read_by_reader(command text) returns text
  language plpgsql
as $$
begin
  execute command;
  raise exception using errcode = 'ZZZZZ', message = concat_ws(' ',
    pg_temp.outcome('reader', 'select from public.note_states where document_id = $note'),
    pg_temp.outcome('reader', 'select from public.note_updates where document_id = $note'),
    pg_temp.outcome('reader', 'select where (public.read_note_state($note) ->> ''is_shared'')::boolean'),
    pg_temp.outcome('reader', 'select from realtime.messages where topic = realtime.topic() limit 1'));
exception when others then
  return sqlerrm;
end
$$;
select extensions.is(pg_temp.read_by_reader(command), expected, command) from (values
  ('select', '1 1 1 1'),
  ('insert into public.collection_approvals (collection_id, library_id) select granted, library from ids', '0 0 0 0'),
  ('update public.note_states set version_id = null', '0 0 1 1'),
  ('update public.documents set deleted_at = now() where id = (select note from ids)', '0 0 0 0'),
  ('update public.library_channels set epoch = epoch + 1', '1 1 1 0')) as t (command, expected);

-- From here on as the editor; commands aren't rolled back.
create function pg_temp.done(command text) returns text
  language sql
as $$ select pg_temp.by('editor', command || ' from ids') $$;
select extensions.matches(pg_temp.done('public.add_note_update(trashed, one, ''AAA='')'), '^42501', 'a note in the trash rejects updates');
select extensions.matches(pg_temp.done('public.add_note_update(link, one, ''AAA='')'), '^42501', 'a document that is not a note rejects updates');
select extensions.matches(pg_temp.done('public.add_note_update(note, two, ''AAA='')'), '^PT409', 'an update of another history is rejected');
select extensions.matches(pg_temp.done('public.add_note_update(note, one, ''?'')'), '^22', 'an update that is not base64 is rejected');
select extensions.matches(pg_temp.done('public.add_note_update(note, one, encode(convert_to(repeat(''x'', 4194305), ''UTF8''), ''base64''))'), '^23514', 'an update over 4 MB is rejected');
select extensions.is(pg_temp.done('public.start_note_state(note, two, 1, ''AAA='', md5(''version 1'')::uuid)'), '', 'starting a second history is ignored');
select extensions.is(pg_temp.done('public.read_note_state(note) ->> ''generation'''), md5('one')::uuid::text, 'the first history is kept');
select extensions.matches(pg_temp.done('public.start_note_state(note, two, 1, ''AAA='', md5(''version 0'')::uuid)'), '^PT409', 'a history starts from the latest version');

-- Two writers know update 1, then 2 and 3 are stored.
select extensions.is(pg_temp.done('public.add_note_update(note, one, ''AgAC'') || '' '' || public.add_note_update(note, one, ''AwAD'')'), '2 3', 'updates are numbered without gaps');
select extensions.is(
  pg_temp.done('jsonb_build_array(public.read_note_state(note, one, 2) -> ''state'', public.read_note_state(note, one, 2) -> ''updates'', public.read_note_state(note, two, 2) -> ''updates'')'),
  '[null, ["AwAD"], ["b25l", "AgAC", "AwAD"]]', 'a client reads the missing updates of its history, or everything of another one');
select extensions.is(pg_temp.done('(public.save_note_state(note, one, ''Two'', md5(''version 1'')::uuid, ''AAAB'', 2)).body'), 'Two', 'a version is saved');
select extensions.is(
  (select string_agg(number::text, ' ' order by number) from public.note_updates where document_id = (select note from ids)), '3',
  'only updates contained in its state are deleted');
select extensions.matches(pg_temp.done('(public.save_note_state(note, one, ''Else'', md5(''version 1'')::uuid, ''AAAC'', 3)).body'), '^PT409', 'saving from the same version concurrently is rejected');
select extensions.matches(
  pg_temp.done('(public.save_note_state(note, one, ''Two'', (select current_version_id from public.documents d where d.id = note), ''AAAC'', 1)).body'),
  '^PT409', 'an older state cannot replace a newer one');
select extensions.matches(
  pg_temp.done('(public.save_note_state(note, one, ''Two'', (select current_version_id from public.documents d where d.id = note), ''AAAC'', 9)).body'),
  '^PT409', 'a state cannot claim updates that do not exist');
select pg_temp.done('(public.save_note_state(note, one, ''Two'', (select current_version_id from public.documents d where d.id = note), ''AAAD'', 3)).body');
select extensions.is(
  (select count(*) || ' ' || max(state_update) from public.versions v join public.note_states s using (document_id)
   where document_id = (select note from ids)), '2 3', 'saving the same text adds no version but stores the state');

-- Only one of several writers merges a version from elsewhere.
insert into public.versions (id, library_id, document_id, body, mime_type, size_bytes) select md5('version 3')::uuid, library, note, 'Three', '', 0 from ids;
select extensions.matches(
  pg_temp.done('(public.save_note_state(note, one, ''Mine'', md5(''version 3'')::uuid, ''AAAE'', 3)).body'), '^PT409', 'a text without the latest version is rejected');
create temporary table before as select version_id as version from public.note_states where document_id = (select note from ids);
grant select on before to authenticated;
select extensions.is(
  array[pg_temp.done('public.merge_note_version(note, one, (select version from before), md5(''version 3'')::uuid, ''BAAE'')'),
        left(pg_temp.done('public.merge_note_version(note, one, (select version from before), md5(''version 3'')::uuid, ''BAAE'')'), 5)],
  array['4', 'PT409'], 'an external version is merged once');
select extensions.matches(
  pg_temp.done('public.merge_note_version(note, one, md5(''version 3'')::uuid, md5(''version 1'')::uuid, ''BAAE'')'), '^PT409', 'only the latest version can be merged');

-- A history stays readable: the total of unsaved updates is limited.
create function pg_temp.fill() returns text
  language sql
as $$
  select max(pg_temp.done('public.add_note_update(note, one, encode(convert_to(repeat(''x'', 4100000), ''UTF8''), ''base64''))'))
  from generate_series(1, 8)
$$;
select pg_temp.fill();
select extensions.matches(
  pg_temp.done('public.add_note_update(note, one, encode(convert_to(repeat(''x'', 4100000), ''UTF8''), ''base64''))'),
  '^54000 The note’s unsaved changes exceed', 'unsaved updates are limited to 32 MB');
select pg_temp.done('(public.save_note_state(note, one, ''Whole'', md5(''version 3'')::uuid, ''AAAF'', (public.read_note_state(note) ->> ''last_update'')::bigint)).body');
select extensions.is(
  (select update_bytes from public.note_states where document_id = (select note from ids)), 0::bigint, 'saving a version resets the limit');
select extensions.matches(pg_temp.done('public.add_note_update(note, one, ''AAA='')'), '^[0-9]+$', 'writing continues afterwards');

-- Titles
select extensions.is(private.first_line(markdown), title, coalesce(title, 'none') || ' is the first line') from (values
  (E'\n\n# A *steady* lamp ##\n\ntext', 'A steady lamp'),
  (E'- [ ] The [link](https://example.org/a_b) and `code`', 'The link and code'),
  (E'> 1. snake_case and _words_', 'snake_case and words'),
  (E'---\n\n![A lamp](pictures/1.png)\n', 'A lamp'),
  (E'\\# 2\\. \\*kept\\* a * b', '# 2. *kept* a  b'),
  (repeat('word ', 60), rtrim(repeat('word ', 39)) || '…'),
  ('#', null), ('', null)) as t (markdown, title);
create function pg_temp.begun(document text, title text, body text) returns text
  language sql
as $$ select pg_temp.by('editor', format('(public.add_note(library, nullif(%L, ''''), %L, document => md5(%L)::uuid)).title from ids', title, body, document)) $$;
create function pg_temp.saved(document text, body text) returns text
  language sql
as $$
  select pg_temp.by('editor', format('(public.save_note(id, %L, current_version_id)).number from public.documents where id = md5(%L)::uuid', body, document));
  select title from public.documents where id = md5(document)::uuid
$$;
select extensions.is(array[pg_temp.begun('follows', 'Untitled', '#'), pg_temp.saved('follows', E'# Lamp\n\nx'), pg_temp.saved('follows', 'Oil'), pg_temp.saved('follows', '#')],
  array['Untitled', 'Lamp', 'Oil', 'Oil'], 'the title follows the first line of the text');
select extensions.is(array[pg_temp.begun('named', '', 'Lamp'), pg_temp.done('editor', 'update public.documents set title = ''Name'' where id = md5(''named'')::uuid'), pg_temp.saved('named', 'Oil')],
  array['Lamp', '1', 'Name'], 'the title no longer follows once a user has set it');
select extensions.is((select string_agg(verb || ' ' || (subject ->> 'title'), ', ' order by id) from public.activity where document_id = md5('follows')::uuid),
  'document.added Lamp, document.revised Oil, document.revised Oil', 'a note is logged as added with its first text, and its title as no rename');

-- Blank notes
select pg_temp.begun('blank', 'Untitled', '#');
select extensions.is(pg_temp.done(person, 'delete from public.documents where id in (md5(''blank'')::uuid, md5(''named'')::uuid)'), count, person || ' can discard')
  from (values ('owner', '0'), ('editor', '1')) as t (person, count);
select pg_temp.begun('shared', 'Untitled', '#');
update public.documents set created_at = created_at - interval '1 minute', updated_at = created_at - interval '1 minute' where id = md5('shared')::uuid;
select pg_temp.by('owner', format('public.start_note_state(md5(''shared'')::uuid, %L, 1, ''AAA='', (select current_version_id from public.documents where id = md5(''shared'')::uuid))', md5('four')::uuid)),
  pg_temp.by('owner', format('public.add_note_update(md5(''shared'')::uuid, %L, ''AAA='')', md5('four')::uuid));
select extensions.is(pg_temp.done('editor', 'delete from public.documents where id = md5(''shared'')::uuid'), '0', 'a note with changes by someone else cannot be discarded');
select extensions.ok(not exists (select from public.activity where subject ->> 'document' = md5('blank')::text or document_id = md5('blank')::uuid), 'discarding is not logged');
select pg_temp.begun('left', 'Untitled', '#'), pg_temp.begun('typed', 'Untitled', '#');
update public.documents set created_at = created_at - interval '2 days', updated_at = created_at - interval '2 days' where id in (md5('left')::uuid, md5('typed')::uuid);
select pg_temp.by('editor', format('public.start_note_state(md5(''typed'')::uuid, %L, 1, ''AAA='', (select current_version_id from public.documents where id = md5(''typed'')::uuid))', md5('three')::uuid)),
  pg_temp.by('editor', format('public.add_note_update(md5(''typed'')::uuid, %L, ''AAA='')', md5('three')::uuid));
select private.purge_blank_notes();
select extensions.is((select string_agg(t, ' ' order by t) from unnest(array['left', 'typed', 'named']) t where exists (select from public.documents where id = md5(t)::uuid)),
  'named typed', 'blank notes are deleted after a day, but not notes with typed text');
select * from extensions.finish();
rollback;
