-- A saved search with a field filter finds the same in the inbox as on the screen.
begin;
\ir helpers.psql
select plan(2);
select pg_temp.add_people('ann', 'ben');
insert into public.libraries (id, name) values (md5('a')::uuid, 'A');
insert into public.members (library_id, user_id, role) values (md5('a')::uuid, md5('ann')::uuid, 'owner'), (md5('a')::uuid, md5('ben')::uuid, 'reader');
insert into public.collections (id, library_id, name) values (md5('letters')::uuid, md5('a')::uuid, 'Letters');
create temporary table f as select pg_temp.by('ann', format('(public.save_field(%L, null, ''Client'', ''text'')).id', md5('letters')::uuid))::uuid as client;
-- Ben saves a search for boiler with Client = Zeppelin (as the app stores it: filters.fields).
insert into public.saved_searches (id, library_id, user_id, name, query, filters, looked_at, checked_at)
  select md5('s')::uuid, md5('a')::uuid, md5('ben')::uuid, 'Boilers of Zeppelin', 'boiler',
    jsonb_build_object('fields', jsonb_build_array(jsonb_build_object('fields', jsonb_build_array(client), 'words', 'Zeppelin'))),
    now() - interval '1 day', now() - interval '1 day' from f;
-- Ann adds a document about boilers with an empty Client.
select pg_temp.by('ann', 'pg_temp.touched($$ insert into public.documents (id, library_id, collection_id, kind, title) values (md5(''x'')::uuid, md5(''a'')::uuid, md5(''letters'')::uuid, ''note'', ''X'') $$)');
select pg_temp.by('ann', 'pg_temp.touched($$ insert into public.versions (library_id, document_id, body, mime_type, size_bytes) values (md5(''a'')::uuid, md5(''x'')::uuid, ''x'', '''', 0) $$)');
select public.replace_passages(d.current_version_id, '[{"start":0,"end":9,"content":"The boiler is warm."}]', language => 'en') from public.documents d;
select private.notify_of_hits();
select extensions.is(pg_temp.by('ben', (select format('(select count(*) from public.search_passages(%L, ''boiler'', filters => %L))', md5('a')::uuid,
  (select filters from public.saved_searches))))::int, 0, 'the search with its field filter finds nothing');
select extensions.is((select count(*)::int from public.notifications n where n.user_id = md5('ben')::uuid and n.kind = 'search'), 0, 'the inbox has no notification');
select * from finish();
rollback;
