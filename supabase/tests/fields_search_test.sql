-- Search by field values: kept up to date with values, options and collections, for people who see the document
begin;
\ir helpers.psql
select plan(25);

select pg_temp.add_people('ann', 'gil', 'eve');
insert into public.libraries (id, name) values (md5('a')::uuid, 'A');
insert into public.members (library_id, user_id, role) values
  (md5('a')::uuid, md5('ann')::uuid, 'owner'), (md5('a')::uuid, md5('gil')::uuid, 'guest');
insert into public.collections (id, library_id, parent_id, name) values
  (md5('letters')::uuid, md5('a')::uuid, null, 'Letters'), (md5('open')::uuid, md5('a')::uuid, md5('letters')::uuid, 'Open'),
  (md5('closed')::uuid, md5('a')::uuid, md5('letters')::uuid, 'Closed'), (md5('beside')::uuid, md5('a')::uuid, null, 'Beside');
insert into public.collection_grants (library_id, collection_id, user_id, role)
  values (md5('a')::uuid, md5('open')::uuid, md5('gil')::uuid, 'reader');

create function pg_temp.found(person text, query text) returns text
  language sql
as $$
  select pg_temp.by(person, format('(select string_agg(distinct title, '', '' order by title) from public.search_passages(md5(''a'')::uuid, %L, correct => false))', query))
$$;
create function pg_temp.named(person text, query text) returns text
  language sql
as $$
  select pg_temp.by(person, format('(select string_agg(title, '', '' order by title) from public.find_documents(md5(''a'')::uuid, %L))', query))
$$;
create function pg_temp.add(title text, place text, contents text[]) returns void
  language sql
as $$
  insert into public.documents (id, library_id, collection_id, kind, title) values (md5(title)::uuid, md5('a')::uuid, md5(place)::uuid, 'note', title);
  insert into public.versions (library_id, document_id, body, mime_type, size_bytes) values (md5('a')::uuid, md5(title)::uuid, 'x', '', 0);
  select public.replace_passages(d.current_version_id, (
    select jsonb_agg(jsonb_build_object('start', n, 'end', n + 1, 'content', content)) from unnest(contents) with ordinality as c (content, n)
  ), language => 'en') from public.documents d where d.id = md5(title)::uuid;
$$;
create function pg_temp.put(title text, field uuid, value jsonb) returns void
  language plpgsql
as $$
begin
  perform pg_temp.by('ann', format('public.set_field_value(array[%L::uuid], %L, %L)', md5(title)::uuid, field, value));
  set constraints all immediate;
  set constraints all deferred;
end
$$;
select pg_temp.add('First', 'open', array['The boiler is warm.', 'The pipe is cold.']);
select pg_temp.add('Second', 'closed', array['The boiler was sold.', 'The roof is wet.']);
create temporary table fields as select
  pg_temp.by('ann', format('(public.save_field(%L, null, ''Client'', ''text'')).id', md5('letters')::uuid))::uuid as client,
  pg_temp.by('ann', format('(public.save_field(%L, null, ''Status'', ''choice'', false, ''[{"name": "Overdue"}, {"name": "Paid"}]'')).id', md5('letters')::uuid))::uuid as status;
create function pg_temp.option(option text) returns jsonb
  language sql as $$ select to_jsonb(o.id) from public.field_options o where o.name = option $$;
create temporary table lengths as select t.passage_id, t.length from private.passage_terms t;

select extensions.is(pg_temp.found('ann', 'zeppelin'), null, 'an unknown word finds nothing');
select pg_temp.put('First', (select client from fields), '"Graf Zeppelin GmbH"');
select extensions.is(pg_temp.found('ann', 'zeppelin'), 'First', 'words of a text field find the document');
select extensions.is(pg_temp.found('ann', 'zeppelin pipe'), 'First', 'words of a field and of the text can be combined');
select extensions.is(pg_temp.found('ann', '"graf zeppelin"'), 'First', 'a field is found by a phrase');
select extensions.is(pg_temp.found('ann', 'boiler -"graf zeppelin"'), 'Second', 'a phrase in a field can be excluded');
select extensions.is(pg_temp.by('ann', '(select string_agg(word, '','') from private.library_vocabulary where library_id = md5(''a'')::uuid and word like ''zepp%'')'), 'zeppelin', 'words of fields are in the library''s vocabulary');
select extensions.is((select count(*) from lengths l join private.passage_terms t using (passage_id) where t.length <> l.length), 0::bigint, 'fields do not change the length of passages');
select extensions.is(pg_temp.named('ann', 'zepp'), 'First', 'the palette finds words of fields');
select pg_temp.put('Second', (select status from fields), pg_temp.option('Overdue'));
select extensions.is(pg_temp.found('ann', 'overdue'), 'Second', 'the name of a chosen option finds the document');
select extensions.is(pg_temp.named('ann', 'overdue'), 'Second', 'the palette finds the name of an option');
select extensions.is(pg_temp.found('gil', 'overdue'), null, 'a guest cannot find hidden documents by fields');
select extensions.is(pg_temp.named('gil', 'overdue'), null, 'a guest cannot find them in the palette');
select extensions.is(pg_temp.found('gil', 'zeppelin'), 'First', 'a guest finds visible documents by fields');
select extensions.is(pg_temp.found('eve', 'zeppelin'), null, 'a stranger finds nothing');

select pg_temp.by('ann', format('(public.save_field(%L, %L, ''State'', ''choice'', false, %L)).id', md5('letters')::uuid, (select status from fields),
  (select jsonb_agg(jsonb_build_object('id', o.id, 'name', case o.name when 'Overdue' then 'Dunned' else o.name end)) from public.field_options o)));
set constraints all immediate;
set constraints all deferred;
select extensions.is(concat_ws(' / ', pg_temp.found('ann', 'overdue'), pg_temp.found('ann', 'dunned')), 'Second', 'a renamed option is found by its new name');
select pg_temp.put('First', (select client from fields), '"Blimp AG"');
select extensions.is(concat_ws(' / ', pg_temp.found('ann', 'zeppelin'), pg_temp.found('ann', 'blimp')), 'First', 'a changed value is found by its new words');

update public.documents set collection_id = md5('beside')::uuid where title = 'First';
set constraints all immediate;
set constraints all deferred;
select extensions.is(concat_ws(' / ', pg_temp.found('ann', 'blimp'), pg_temp.named('ann', 'blimp')), '', 'a value outside its field''s collection is not found');
update public.collections set parent_id = md5('letters')::uuid where name = 'Beside';
set constraints all immediate;
set constraints all deferred;
select extensions.is(pg_temp.found('ann', 'blimp'), 'First', 'it is found again after its collection moves into the field''s collection');
update public.documents set deleted_at = now() where title = 'First';
select extensions.is(pg_temp.found('ann', 'blimp'), null, 'documents in the trash are not found');
update public.documents set deleted_at = null where title = 'First';
select extensions.is(pg_temp.found('ann', 'blimp'), 'First', 'restored documents are found again');

-- Larger changes are followed in the background, by a function called at commit.
select pg_temp.add('Book ' || n, 'closed', array(select 'Page ' || p from generate_series(1, 60) p)) from generate_series(1, 3) n;
select pg_temp.by('ann', format('public.set_field_value(%L::uuid[], %L, ''"Montgolfier"'')',
  (select array_agg(d.id) from public.documents d where d.title like 'Book%'), (select client from fields)));
delete from private.indexing_calls;
select set_config('carrel.indexer_called', '', true);
set constraints all immediate;
set constraints all deferred;
select extensions.is((select count(*) from private.indexing_calls), 1::bigint, 'the indexer is called for the remaining documents');
select extensions.is((select count(*) from private.outdated_words), 2::bigint, 'a change of many documents does not wait for all of them');
select public.reindex_waiting();
select extensions.is(pg_temp.found('ann', 'montgolfier'), 'Book 1, Book 2, Book 3', 'all documents are found once the indexer has finished');
delete from public.collection_fields f where f.name = 'Client';
select public.reindex_waiting();
set constraints all immediate;
select extensions.is(concat_ws(' / ', pg_temp.found('ann', 'montgolfier'), pg_temp.found('ann', 'blimp')), '', 'a deleted field is no longer found');
select extensions.is(
  (select count(*) from private.library_vocabulary v where v.library_id = md5('a')::uuid and v.word in ('montgolfier', 'blimp', 'zeppelin', 'overdue') group by v.word having sum(v.passages) <> 0),
  null, 'words of deleted fields are not counted');
select * from extensions.finish();
rollback;
