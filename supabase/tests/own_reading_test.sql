-- Private reading data (positions, drafts, conversations), notifications, links, and re-anchoring of comments
begin;
\ir helpers.psql
select plan(21);

insert into auth.users (id, email) select ('00000000-0000-4000-8000-00000000000' || n)::uuid, name || '@example.org'
from unnest(array['stranger', 'reader', 'editor', 'owner', 'guard']) with ordinality as p (name, n);
insert into public.libraries (id, name, require_second_factor) values
  ('a0000000-0000-4000-8000-000000000000', 'A', false), ('b0000000-0000-4000-8000-000000000000', 'B', true);
insert into public.members (library_id, user_id, role) values
  ('a0000000-0000-4000-8000-000000000000', '00000000-0000-4000-8000-000000000002', 'reader'),
  ('a0000000-0000-4000-8000-000000000000', '00000000-0000-4000-8000-000000000003', 'editor'),
  ('a0000000-0000-4000-8000-000000000000', '00000000-0000-4000-8000-000000000004', 'owner'),
  ('b0000000-0000-4000-8000-000000000000', '00000000-0000-4000-8000-000000000005', 'owner');
insert into public.documents (id, library_id, kind, title, url) values
  ('a0000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000000', 'note', 'Live', null),
  ('a0000000-0000-4000-8000-000000000002', 'a0000000-0000-4000-8000-000000000000', 'link', 'Link', 'https://example.org/'),
  ('b0000000-0000-4000-8000-000000000001', 'b0000000-0000-4000-8000-000000000000', 'note', 'Live', null);
insert into public.versions (id, library_id, document_id, body, mime_type, size_bytes) values
  ('a0000000-0000-4000-8000-00000000000a', 'a0000000-0000-4000-8000-000000000000', 'a0000000-0000-4000-8000-000000000001',
   'One lamp. Two lamps.', '', 0);
-- The reader's in A, the guard's in B, and those of a former member.
insert into public.reading_positions (user_id, library_id, document_id, share) values
  ('00000000-0000-4000-8000-000000000002', 'a0000000-0000-4000-8000-000000000000', 'a0000000-0000-4000-8000-000000000001', 0.5),
  ('00000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000000', 'a0000000-0000-4000-8000-000000000001', 0.5),
  ('00000000-0000-4000-8000-000000000005', 'b0000000-0000-4000-8000-000000000000', 'b0000000-0000-4000-8000-000000000001', 0.5);
insert into public.note_drafts (user_id, library_id, document_id, body) values
  ('00000000-0000-4000-8000-000000000003', 'a0000000-0000-4000-8000-000000000000', 'a0000000-0000-4000-8000-000000000001', 'Draft'),
  ('00000000-0000-4000-8000-000000000005', 'b0000000-0000-4000-8000-000000000000', 'b0000000-0000-4000-8000-000000000001', 'Draft');
insert into public.conversations (id, library_id, user_id, title) values
  ('a0000000-0000-4000-8000-00000000000c', 'a0000000-0000-4000-8000-000000000000', '00000000-0000-4000-8000-000000000002', 'Mine'),
  ('b0000000-0000-4000-8000-00000000000c', 'b0000000-0000-4000-8000-000000000000', '00000000-0000-4000-8000-000000000005', 'Mine');
insert into public.questions (conversation_id, question, answer)
  select id, 'Why?', '{}' from public.conversations;

create function pg_temp.outcome(person text, command text) returns text
  language plpgsql
as $$
declare
  library text := case when person like 'guard%' then 'b' else 'a' end || '0000000-0000-4000-8000-000000000000';
  number integer := array_position(array['stranger', 'reader', 'editor', 'owner', 'guard'], split_part(person, ' ', 1));
  rows bigint;
begin
  perform set_config('test.library', library, true), set_config('test.letter', left(library, 1), true),
    set_config('request.jwt.claims', case when number is null then '{"role": "anon"}' else jsonb_build_object(
      'sub', '00000000-0000-4000-8000-00000000000' || number, 'role', 'authenticated',
      'aal', case when person = 'guard 2' then 'aal2' else 'aal1' end)::text end, true),
    set_config('role', case when number is null then 'anon' else 'authenticated' end, true);
  execute command;
  get diagnostics rows = row_count;
  raise exception using errcode = 'ZZZZZ', message = rows;
exception when others then
  return case when sqlstate = 'ZZZZZ' then sqlerrm else sqlstate end;
end
$$;
create function pg_temp.expect(command text, expected text) returns text
  language sql
as $$
  select extensions.is(
    (select string_agg(pg_temp.outcome(person, command), ' ' order by n)
     from unnest(array['nobody', 'stranger', 'reader', 'editor', 'owner', 'guard 1', 'guard 2']) with ordinality as p (person, n)),
    regexp_replace(trim(expected), '\s+', ' ', 'g'), command)
$$;

-- command, and:                                                     nobody stranger reader editor owner guard1 guard2
select pg_temp.expect('select from public.reading_positions',        '42501 0 1 0 0 0 1');
select pg_temp.expect('insert into public.reading_positions (library_id, document_id, share) select current_setting(''test.library'')::uuid,
  (current_setting(''test.letter'') || ''0000000-0000-4000-8000-000000000001'')::uuid, 0.1 on conflict (user_id, document_id) do update set share = 0.1',
                                                                     '42501 42501 1 1 1 42501 1');
select pg_temp.expect('update public.reading_positions set user_id = gen_random_uuid()', '42501 42501 42501 42501 42501 42501 42501');
select pg_temp.expect('delete from public.reading_positions',        '42501 0 1 0 0 0 1');

select pg_temp.expect('select from public.note_drafts',              '42501 0 0 1 0 0 1');
select pg_temp.expect('insert into public.note_drafts (library_id, document_id, body) select current_setting(''test.library'')::uuid,
  (current_setting(''test.letter'') || ''0000000-0000-4000-8000-000000000001'')::uuid, ''x'' on conflict (user_id, document_id) do update set body = ''x''',
                                                                     '42501 42501 42501 1 1 42501 1');
select pg_temp.expect('delete from public.note_drafts',              '42501 0 0 1 0 0 1');

select pg_temp.expect('select from public.conversations',            '42501 0 1 0 0 0 1');
select pg_temp.expect('insert into public.conversations (library_id, title) values (current_setting(''test.library'')::uuid, ''x'')',
                                                                     '42501 42501 1 1 1 42501 1');
select pg_temp.expect('update public.conversations set title = ''x''', '42501 0 1 0 0 0 1');
select pg_temp.expect('select from public.questions',                '42501 0 1 0 0 0 1');
select pg_temp.expect('insert into public.questions (conversation_id, question, answer) values
  ((current_setting(''test.letter'') || ''0000000-0000-4000-8000-00000000000c'')::uuid, ''x'', ''{}'')',
                                                                     '42501 42501 1 42501 42501 42501 1');
select pg_temp.expect('delete from public.questions',                '42501 0 1 0 0 0 1');

select pg_temp.expect('select where public.read_again(array[''a0000000-0000-4000-8000-000000000002'']::uuid[]) = 1', '42501 0 0 1 1 0 0');
select pg_temp.expect('select from public.add_link(current_setting(''test.library'')::uuid, ''https://example.org/x'')',
                                                                     '42501 42501 42501 1 1 42501 1');
select pg_temp.expect('select from public.add_link(current_setting(''test.library'')::uuid, ''javascript:alert(1)'')',
                                                                     '42501 42501 42501 23514 23514 42501 23514');

-- A highlight needs a quote; a comment needs text.
select extensions.throws_ok(
  $$ insert into public.comments (library_id, document_id, body) values
     ('a0000000-0000-4000-8000-000000000000', 'a0000000-0000-4000-8000-000000000001', '') $$, '23514', null,
  'a comment without text needs a quote');

-- A comment's passage is deleted with its version; the comment finds its words in the next one.
create temporary table first as select public.replace_passages('a0000000-0000-4000-8000-00000000000a',
  '[{"start": 0, "end": 9, "content": "One lamp."}, {"start": 10, "end": 20, "content": "Two lamps."}]');
insert into public.comments (id, library_id, document_id, passage_id, quote, body)
  select 'a0000000-0000-4000-8000-0000000000c2', library_id, document_id, id, 'Two  lamps', '' from public.passages where content = 'Two lamps.';
insert into public.versions (id, library_id, document_id, body, mime_type, size_bytes) values
  ('a0000000-0000-4000-8000-00000000000b', 'a0000000-0000-4000-8000-000000000000', 'a0000000-0000-4000-8000-000000000001',
   'No lamp. One lamp. And two lamps.', '', 0);
create temporary table second as select public.replace_passages('a0000000-0000-4000-8000-00000000000b',
  '[{"start": 0, "end": 18, "content": "No lamp. One lamp."}, {"start": 19, "end": 33, "content": "And two lamps."}]');
select extensions.is(
  (select p.content from public.comments c join public.passages p on p.id = c.passage_id where c.id = 'a0000000-0000-4000-8000-0000000000c2'),
  'And two lamps.', 'a comment is moved to its quote in the next version');
select extensions.is((select count(*)::integer from public.comments where id = 'a0000000-0000-4000-8000-0000000000c2'), 1, 'the comment is kept');

-- The same words on another page are a different place.
insert into public.versions (id, library_id, document_id, body, mime_type, size_bytes) values
  ('a0000000-0000-4000-8000-00000000000c', 'a0000000-0000-4000-8000-000000000000', 'a0000000-0000-4000-8000-000000000001',
   'The lamp is lit. The lamp is out. And on.', '', 0);
create temporary table third as select public.replace_passages('a0000000-0000-4000-8000-00000000000c',
  '[{"start": 0, "end": 16, "page": 1, "content": "The lamp is lit."}, {"start": 17, "end": 41, "page": 3, "content": "The lamp is out. And on."}]');
insert into public.comments (id, library_id, document_id, quote, page, body) values
  ('a0000000-0000-4000-8000-0000000000c3', 'a0000000-0000-4000-8000-000000000000', 'a0000000-0000-4000-8000-000000000001', 'The lamp is out', 1, ''),
  ('a0000000-0000-4000-8000-0000000000c4', 'a0000000-0000-4000-8000-000000000000', 'a0000000-0000-4000-8000-000000000001', 'And on', 4, '');
select extensions.is((select page || ' ' || coalesce(passage_id::text, 'none') from public.comments where id = 'a0000000-0000-4000-8000-0000000000c3'),
  '1 none', 'a comment keeps its page even if its quote is on another page');
select extensions.is(
  (select c.page || ' ' || p.page from public.comments c join public.passages p on p.id = c.passage_id where c.id = 'a0000000-0000-4000-8000-0000000000c4'),
  '4 3', 'a comment on the second page of a passage keeps its page');

select * from finish();
rollback;
