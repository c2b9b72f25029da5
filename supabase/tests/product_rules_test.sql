-- Rules that the database enforces: limits, owners, versions, invitations, links, ingestion, search
begin;
\ir helpers.psql
select plan(76);

create function pg_temp.add_person(name text, details jsonb default '{}') returns uuid
  language sql
as $$
  insert into auth.users (id, email, email_confirmed_at, raw_user_meta_data)
    values (md5(name)::uuid, name || '@example.org', now(), details) returning id
$$;
create temporary table people as
  select pg_temp.add_person(name, details::jsonb)
  from (values ('ann', '{}'), ('ben', '{"full_name": " Ben B. "}'), ('cyd', '{}'), ('eve', '{}')) as p (name, details);

-- Profiles
select extensions.is((select display_name from public.profiles where id = md5('ann')::uuid), 'ann', 'the name defaults to the local part of the email');
select extensions.is((select display_name from public.profiles where id = md5('ben')::uuid), 'Ben B.', 'the name comes from the provider');
select extensions.matches(
  pg_temp.done('ann', format('update public.profiles set avatar_path = %L where id = auth.uid()', md5('ben')::uuid || '/x.png')),
  '^23514', 'a picture must be in the user''s folder');

select extensions.is((select string_agg(id || ' ' || file_size_limit, ', ' order by id) from storage.buckets
    where id in ('avatars', 'documents') and not exists (select from unnest(allowed_mime_types) t where t ~ 'svg|xml$|script')),
  'avatars 5242880, documents 52428800', 'buckets have size limits and allow no executable types');

-- Libraries and members
select extensions.matches(pg_temp.by(null, 'public.create_library(''x'')'), '^42501', 'anonymous users cannot create a library');
create temporary table lab as select (pg_temp.by('ann', '(public.create_library('' Lab '')).id'))::uuid as id;
create temporary table other as select (pg_temp.by('eve', '(public.create_library(''Other'')).id'))::uuid as id;
select extensions.is(pg_temp.by('ann', '(select string_agg((public.summary(l) - ''changed_at'')::text, '';'') from public.libraries l)'), '{"people": 1, "documents": 0}', 'a library''s card counts people and documents');
grant select on lab, other to authenticated;
select extensions.is((select name from public.libraries where id = (select id from lab)), 'Lab', 'a library''s name is trimmed');
select extensions.matches(pg_temp.by('ann', '(public.create_library(''  '')).id'), '^23514', 'a library needs a name');
select extensions.is(pg_temp.by('ann', '(select role from public.members where library_id = (select id from lab))'), 'owner', 'the creator of a library is its owner');
select extensions.matches(pg_temp.done('ann', 'delete from public.members where user_id = auth.uid()'), '^23514 A library needs at least', 'the last owner cannot leave');
select extensions.matches(pg_temp.done('ann', 'update public.members set role = ''editor'''), '^23514 A library needs at least', 'the last owner cannot step down');
insert into public.members select id, md5('ben')::uuid, 'editor' from lab;
select extensions.is(pg_temp.done('ann', format('update public.members set role = ''owner'' where user_id = %L', md5('ben')::uuid)), '1', 'an owner adds another owner');
select extensions.is(pg_temp.done('ann', 'update public.members set role = ''reader'' where user_id = auth.uid()'), '1', 'the first owner steps down');
select extensions.is(pg_temp.done('ann', 'update public.members set role = ''owner'' where user_id = auth.uid()'), '0', 'a former owner cannot become owner again');
-- One by one: the order of rows in one statement is undefined, and removing the last owner fails at each row.
update public.members set role = 'owner' where library_id = (select id from lab) and user_id = md5('ann')::uuid;
update public.members set role = 'editor' where library_id = (select id from lab) and user_id = md5('ben')::uuid;

select extensions.lives_ok($$
  insert into auth.users (id, email) select md5('crowd' || n)::uuid, 'crowd' || n || '@example.org' from generate_series(1, 199) n;
  insert into public.members select (select id from other), md5('crowd' || n)::uuid, 'reader' from generate_series(1, 199) n
$$, 'a library can have two hundred members');
select extensions.throws_like($$ insert into public.members select id, md5('cyd')::uuid, 'reader' from other $$, '%200 members%', 'a library has at most two hundred members');
select extensions.lives_ok($$ delete from public.libraries where id = (select id from other) $$, 'a library can be deleted with its last owner');
update other set id = (pg_temp.by('eve', '(public.create_library(''Other'')).id'))::uuid;

-- Second factor
select extensions.matches(pg_temp.done('eve', 'update public.libraries set require_second_factor = true'), '^42501 A second factor', 'requiring a second factor needs one');
select extensions.is(pg_temp.done('eve', 'update public.libraries set require_second_factor = true', 'aal2'), '1', 'an owner with a second factor requires it');
select extensions.is(pg_temp.by('eve', '(select count(*) from public.libraries)'), '0', 'the library is hidden without a second factor');
select extensions.is(pg_temp.by('eve', 'public.hidden_libraries()'), '1', 'hidden libraries are counted for their members');
select extensions.is(pg_temp.by('eve', 'public.hidden_libraries()', 'aal2'), '0', 'with a second factor no libraries are hidden');
select extensions.is(pg_temp.by('ann', 'public.hidden_libraries()'), '0', 'other users have no hidden libraries');
update public.libraries set require_second_factor = false where id = (select id from other);

-- Collections
create temporary table chain as select n, md5('collection' || n)::uuid as id from generate_series(1, 20) n;
grant select on chain to authenticated;
insert into public.collections (id, library_id, name) select id, (select id from lab), 'top' from chain where n = 1;
do $$ begin
  for n in 2..20 loop
    insert into public.collections (id, library_id, parent_id, name)
      values (md5('collection' || n)::uuid, (select id from lab), md5('collection' || n - 1)::uuid, 'in it');
  end loop;
end $$;
select extensions.is((select count(*) from public.collections where library_id = (select id from lab)), 20::bigint, 'collections nest up to twenty levels');
select extensions.matches(
  pg_temp.done('ben', 'insert into public.collections (library_id, parent_id, name) select lab.id, chain.id, ''x'' from lab, chain where n = 20'),
  '^23514 Collections can be nested up to 20', 'deeper collections are rejected');
insert into public.collections (id, library_id, name) select md5('second top')::uuid, id, 'second top' from lab;
select extensions.matches(
  pg_temp.done('ben', 'update public.collections set parent_id = md5(''second top'')::uuid where name = ''top'''),
  '^23514 Collections can be nested up to 20', 'moving a deep tree below another collection is rejected');
select extensions.matches(
  pg_temp.done('ben', 'update public.collections set parent_id = (select id from chain where n = 5) where name = ''top'''),
  '^23514 A collection can’t be moved into itself.', 'moving a collection into itself is rejected');
select extensions.matches(
  pg_temp.done('eve', 'insert into public.collections (library_id, parent_id, name) select other.id, chain.id, ''x'' from other, chain where n = 1'),
  '^23503', 'a parent in another library is rejected');

-- Documents and versions
create temporary table note as select (pg_temp.by('ben', '(public.add_note((select id from lab), ''Light'', ''A lighthouse shows where the land is.'')).id'))::uuid as id;
grant select on note to authenticated;
select extensions.is((select row(kind, state, mime_type, size_bytes)::text from public.documents where id = (select id from note)),
  '(note,queued,text/markdown,37)', 'a note is a queued document with a version');
select extensions.is(pg_temp.by('ben', '(public.save_note((select id from note), ''A lighthouse has a lens.'', (select current_version_id from public.documents where id = (select id from note)))).number'),
  '2', 'saving a note adds a version');
select extensions.matches(pg_temp.by('ben', 'public.save_note((select id from note), ''x'', (select id from public.versions where document_id = (select id from note) and number = 1))'),
  '^PT409 Someone else', 'saving based on an old version is rejected');
select extensions.is((select string_agg(body, ' | ' order by number) from public.versions where document_id = (select id from note)),
  'A lighthouse shows where the land is. | A lighthouse has a lens.', 'all versions are kept');
select extensions.matches(pg_temp.by('ben', 'public.add_note((select id from lab), ''Long'', repeat(''x'', 1048577))'), '^23514', 'a note has at most 1 MB');
select extensions.matches(pg_temp.by('eve', 'public.add_note((select id from lab), ''x'')'), '^42501', 'a stranger cannot add a note');

insert into storage.objects (bucket_id, name, metadata)
  select 'documents', lab.id || '/' || md5('file')::uuid || '/v1/a.pdf', '{"size": 1234, "mimetype": "application/pdf"}'::jsonb from lab
  union all select 'documents', lab.id || '/' || md5('huge')::uuid || '/v1/a.pdf', '{"size": 52428801, "mimetype": "application/pdf"}' from lab;
select extensions.is(pg_temp.by('ben', '(select row(title, mime_type, size_bytes, state)::text from public.add_file((select id from lab), md5(''file'')::uuid, (select id from lab) || ''/'' || md5(''file'')::uuid || ''/v1/a.pdf'', ''Ä.pdf''))'),
  '(Ä.pdf,application/pdf,1234,queued)', 'type and size of a file are those of the stored object');
select extensions.matches(pg_temp.by('ben', 'public.add_file((select id from lab), md5(''none'')::uuid, (select id from lab) || ''/'' || md5(''none'')::uuid || ''/v1/a.pdf'', ''a.pdf'')'),
  '^23503 The file is not in', 'a file that was not uploaded is rejected');
select extensions.matches(pg_temp.by('ben', 'public.add_file((select id from lab), md5(''thief'')::uuid, (select id from lab) || ''/'' || md5(''file'')::uuid || ''/v1/a.pdf'', ''a.pdf'')'),
  '^23514 Files of this document must be', 'the file of another document is rejected');
select extensions.matches(pg_temp.by('ben', 'public.add_file((select id from lab), md5(''huge'')::uuid, (select id from lab) || ''/'' || md5(''huge'')::uuid || ''/v1/a.pdf'', ''a.pdf'')'),
  '^23514', 'a file over 50 MB is rejected');
select extensions.matches(pg_temp.done('ben', 'insert into public.documents (library_id, kind, title, url) select id, ''link'', ''x'', ''javascript:alert(1)'' from lab'),
  '^23514', 'a link needs a web address');

-- Ingestion
insert into public.members select id, md5('cyd')::uuid, 'reader' from lab;
select extensions.is(pg_temp.by('cyd', 'public.read_again(array[(select id from note)])'), '0', 'a reader cannot queue documents');
select extensions.is(pg_temp.by('eve', 'public.read_again(array[(select id from note)])'), '0', 'a stranger cannot queue documents');
select extensions.is(pg_temp.by('ben', 'public.read_again(array[(select id from note)])'), '1', 'an editor queues a document');
select extensions.matches(pg_temp.by('ann', '(select body from public.take_document())'), '^42501', 'an owner cannot take queued documents');
select extensions.matches(pg_temp.by('ann', 'public.replace_passages((select current_version_id from public.documents where id = (select id from note)), ''[]'')'),
  '^42501', 'an owner cannot write passages');
create temporary table current as select current_version_id as id from public.documents where id = (select id from note);
select extensions.is((select public.replace_passages(id, '[
    {"heading": "Lens", "start": 0, "end": 10, "content": "A lighthouse has a lens of glass prisms."},
    {"start": 11, "end": 20, "content": "Catalogue cards lie in drawers."}, {"start": 21, "end": 30, "content": "Catalogue cards lie in drawers."}]', pages => 2, mime => 'text/markdown') from current),
  3, 'passages are stored');
select extensions.is((select row(state, progress, page_count)::text from public.documents where id = (select id from note)), '(ready,100,2)', 'the document is ready');
create temporary table ids as select id, ordinal from public.passages where document_id = (select id from note);
create temporary table again as select public.replace_passages(id, '[{"start": 0, "end": 9, "content": "New words."},
    {"start": 11, "end": 20, "content": "Catalogue cards lie in drawers."}, {"heading": "Lens", "start": 0, "end": 10, "content": "A lighthouse has a lens of glass prisms."}]') from current;
select extensions.is((select string_agg(i.ordinal || '→' || p.ordinal, ' ' order by i.ordinal) from ids i join public.passages p using (id)), '0→2 1→1',
  'a second run keeps the ids of unchanged passages');
select extensions.is((select public.replace_passages(v.id, '[{"start": 0, "end": 9, "content": "Old words."}]') from public.versions v where document_id = (select id from note) and number = 1),
  null, 'an old version cannot replace a newer one');
select extensions.is((select count(*) > 0 and bool_and(private and payload - 'id' = '{}') from realtime.messages
    where topic like 'library:' || (select id from lab) || ':%' and event = 'members'), true,
  'the library''s channel announces changed members without details');
select extensions.is((select count(*) from realtime.messages where topic like 'library:' || (select id from lab) || ':%' and event = 'ingest' and private and payload ->> 'state' = 'ready'),
  1::bigint, 'the library''s channel announces a finished document');

-- Search
create function pg_temp.found(person text, arguments text) returns text
  language sql
as $$
  select pg_temp.by(person, format('(select string_agg(content, '' '' order by score desc) from public.search_passages((select id from lab), %s))', arguments))
$$;
select extensions.is(pg_temp.found('cyd', '''lens'''), 'A lighthouse has a lens of glass prisms.', 'a member finds a word');
select extensions.is(pg_temp.found('cyd', '''catalog'''), 'Catalogue cards lie in drawers.', 'a member finds the beginning of a word');
select extensions.is(pg_temp.found('eve', '''lens'''), null, 'a stranger finds nothing');
select extensions.is(pg_temp.found('cyd', '''lens -glass'''), null, 'an excluded word applies to results by meaning, too');
select extensions.is(pg_temp.found('cyd', '''lens'', filters => ''{"kinds": ["file"]}'''), null, 'a filter is applied');
select extensions.is(pg_temp.found('cyd', '''xyzzy'', array_fill(0.1, array[384])::extensions.vector, ''gte-small'''), null, 'vectors of another model are not compared');
select extensions.is(pg_temp.by('cyd', '(select highlights from public.search_passages((select id from lab), ''lighthouses''))'), '[[2, 12]]', 'results have the offsets of their words');
select extensions.is((select private.highlights('😀 <b>lens</b> 😀 lens', 'en', array[('lens', 'lens', null, 1, 1, false, false, null, false)]::private.query_word[])::text),
  '[[6, 10], [18, 22]]', 'offsets are UTF-16 code units');

-- Comments and tags stay within their document and library
insert into public.documents (id, library_id, kind, title) select md5('elsewhere')::uuid, id, 'note', 'Elsewhere' from other;
insert into public.comments (id, library_id, document_id, body) select md5('comment')::uuid, lab.id, note.id, 'Hm' from lab, note;
insert into public.tags (id, library_id, name) select md5('tag')::uuid, id, 'tag' from lab;
select extensions.matches(pg_temp.done('eve', format('insert into public.comments (library_id, document_id, parent_id, body) select id, %L, %L, ''x'' from other', md5('elsewhere')::uuid, md5('comment')::uuid)),
  '^23503', 'a reply must be on the same document');
select extensions.matches(pg_temp.done('eve', format('insert into public.document_tags select id, %L, %L from other', md5('elsewhere')::uuid, md5('tag')::uuid)),
  '^23503', 'a tag must be in the same library');

-- Invitations
select extensions.matches(pg_temp.by('ben', 'public.invite_member((select id from lab), ''eve@example.org'')'), '^42501', 'an editor cannot invite');
create temporary table invitation as select (pg_temp.by('ann', 'public.invite_member((select id from lab), '' Eve@Example.org '', ''editor'')'))::jsonb as made;
grant select on invitation to authenticated, anon;
select extensions.is(pg_temp.by(null, '(select row(library_name, email, state)::text from public.find_invitation((select made ->> ''token'' from invitation)))'),
  '(Lab,eve@example.org,open)', 'an invitation link shows library and email');
select extensions.matches(pg_temp.by('cyd', 'public.accept_invitation((select (made ->> ''id'')::uuid from invitation))'), '^42501 This invitation can’t be', 'an invitation is rejected for another address');
update public.invitations set expires_at = now();
select extensions.matches(pg_temp.by('eve', 'public.accept_invitation((select (made ->> ''id'')::uuid from invitation))'), '^42501 This invitation can’t be', 'an expired invitation is rejected');
update public.invitations set expires_at = now() + interval '1 day';
select extensions.is(pg_temp.by('eve', '(select library_name from public.my_invitations())'), 'Lab', 'the invited user sees the invitation');
select extensions.is(pg_temp.by('eve', 'public.accept_invitation((select (made ->> ''id'')::uuid from invitation))'), (select id::text from lab), 'the invited user accepts it');
select extensions.is((select role::text from public.members where user_id = md5('eve')::uuid and library_id = (select id from lab)), 'editor', 'the new member has the offered role');
select extensions.matches(pg_temp.by('eve', 'public.accept_invitation((select (made ->> ''id'')::uuid from invitation))'), '^42501 This invitation can’t be', 'an invitation works only once');

select pg_temp.by('ann', format('public.invite_member((select id from lab), ''%s@elsewhere.example'', ''owner'')', name)) from (values ('ann'), ('ben')) as p (name);
update public.invitations set invited_by = md5('eve')::uuid where email = 'ben@elsewhere.example';
update public.members set role = 'owner' where user_id = md5('eve')::uuid and library_id = (select id from lab);
select extensions.is(pg_temp.done('ann', format('update public.members set role = ''editor'' where user_id = %L', md5('eve')::uuid)), '1', 'an owner is demoted');
select extensions.is((select string_agg(email, ', ') from public.invitations where accepted_at is null), 'ann@elsewhere.example', 'a former owner''s open invitations end');

-- Share links
create temporary table link as select (pg_temp.by('ben', 'public.create_share_link((select id from note))'))::jsonb ->> 'token' as token;
grant select on link to anon;
select extensions.is(pg_temp.by(null, '(select row(title, body)::text from public.open_share_link((select token from link)))'), '(Light,"A lighthouse has a lens.")', 'a shared note is read without an account');
select extensions.is(pg_temp.by(null, '(select title from public.open_share_link(''guess''))'), null, 'a guessed link opens nothing');
update public.share_links set revoked_at = now();
select extensions.is(pg_temp.by(null, '(select title from public.open_share_link((select token from link)))'), null, 'a revoked link opens nothing');
update public.share_links set revoked_at = null, created_at = now() - interval '2 days', expires_at = now() - interval '1 second';
select extensions.is(pg_temp.by(null, '(select title from public.open_share_link((select token from link)))'), null, 'an expired link opens nothing');
update public.share_links set expires_at = null;
update public.documents set deleted_at = now() where id = (select id from note);
select extensions.is(pg_temp.by(null, '(select title from public.open_share_link((select token from link)))'), null, 'a link to a document in the trash opens nothing');
select extensions.is(pg_temp.found('ann', '''lens'''), null, 'search excludes the trash');

select * from finish();
rollback;
