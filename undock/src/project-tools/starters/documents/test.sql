-- Run with `npx undock db test`, which rolls everything back.
begin;
create extension if not exists pgtap with schema extensions;
select plan(12);

insert into auth.users (id, email) values
  ('a0000000-0000-4000-8000-00000000000a', 'owner@documents.test'),
  ('b0000000-0000-4000-8000-00000000000b', 'stranger@documents.test');
insert into public.documents (owner_id, title, body, is_shared) values
  ('b0000000-0000-4000-8000-00000000000b', 'Private', 'Xylophones are hidden.', false),
  ('b0000000-0000-4000-8000-00000000000b', 'Shared', 'A xylophone for everybody.', true);
insert into storage.objects (bucket_id, name) values ('documents', 'b0000000-0000-4000-8000-00000000000b/private.txt');

set local role authenticated;
set local request.jwt.claims = '{"sub": "a0000000-0000-4000-8000-00000000000a", "role": "authenticated"}';
select lives_ok(
  $$insert into public.documents (title, body) values ('Xylophone', 'Mine')$$, 'users add documents, which become theirs');
select results_eq(
  $$select title, excerpt like '%**xylophone**%' from public.search_documents('xylophones')$$,
  $$values ('Xylophone', false), ('Shared', true)$$,
  'the search finds own and shared documents; a word of the title counts more');
select is_empty($$select from public.search_documents('hidden')$$, 'the search does not find documents of others');
select is_empty($$select from public.search_documents('')$$, 'an empty search finds nothing');
select results_eq(
  $$update public.documents set body = 'New text' where title in ('Xylophone', 'Shared') returning title$$,
  array['Xylophone'], 'users change their own documents alone');
select results_eq(
  $$select title from public.search_documents('new text')$$, array['Xylophone'], 'a change is found at once');
select throws_ok(
  $$update public.documents set file_path = 'b0000000-0000-4000-8000-00000000000b/private.txt'$$, '23514', null,
  'a document refers to a file of its owner');
select results_eq(
  $$delete from public.documents where title in ('Xylophone', 'Shared') returning title$$,
  array['Xylophone'], 'users delete their own documents alone');
select is_empty($$select from storage.objects where bucket_id = 'documents'$$, 'users read no files of others');
select lives_ok(
  $$insert into storage.objects (bucket_id, name) values ('documents', 'a0000000-0000-4000-8000-00000000000a/mine.txt')$$,
  'users upload files to their folder');
select throws_ok(
  $$insert into storage.objects (bucket_id, name) values ('documents', 'b0000000-0000-4000-8000-00000000000b/x.txt')$$,
  '42501', null, 'users upload no files to the folder of others');

set local role anon;
set local request.jwt.claims = '{"role": "anon"}';
select throws_ok($$select public.search_documents('xylophone')$$, '42501', null, 'who is not signed in searches nothing');

select * from finish();
rollback;
