-- Effects of changing a document, their order, and who is notified of changed tags and fields
begin;
\ir helpers.psql
select plan(32);

select pg_temp.add_people('owner', 'reader', 'guest', 'stranger');
insert into public.libraries (id, name) select md5(l)::uuid, l from unnest(array['lab', 'other']) l;
insert into public.members (library_id, user_id, role) select md5('lab')::uuid, md5(p)::uuid, p::public.member_role
  from unnest(array['owner', 'reader', 'guest']) p;
insert into public.members (library_id, user_id, role) values (md5('other')::uuid, md5('stranger')::uuid, 'owner');
insert into public.collections (id, library_id, name) select md5(c)::uuid, md5('lab')::uuid, c from unnest(array['desk', 'attic']) c;
insert into public.collection_grants (library_id, collection_id, user_id, role) values
  (md5('lab')::uuid, md5('desk')::uuid, md5('guest')::uuid, 'editor');
insert into public.documents (id, library_id, collection_id, kind, title)
  select md5(d)::uuid, md5('lab')::uuid, md5('desk')::uuid, 'note', d from unnest(array['one', 'two', 'three']) d;
insert into public.documents (id, library_id, collection_id, kind, title)
  select md5('many ' || n)::uuid, md5('lab')::uuid, md5('attic')::uuid, 'note', 'many ' || n from generate_series(1, 101) n;
insert into public.tags (id, library_id, name) select md5(t)::uuid, md5('lab')::uuid, t from unnest(array['red', 'blue']) t;
create temporary table fields as
  select pg_temp.by('owner', format('(public.save_field(%L, null, %L, %L)).id', md5('desk')::uuid, name, kind))::uuid as id, name
  from (values ('amount', 'number'), ('word', 'text')) f (name, kind);

-- One trigger before and one after a row, so that their bodies define the order; the index changes once per statement
select extensions.is((select array_agg(tgname::text order by tgname) from pg_trigger where tgrelid = 'public.documents'::regclass and not tgisinternal),
  '{after_change,before_change,index_trashed_or_restored}', 'documents have one row trigger before and one after a change');
select extensions.is((select array_agg(tgname::text order by tgname) from pg_trigger where tgrelid = 'public.versions'::regclass and not tgisinternal),
  '{after_change,before_change}', 'versions have one row trigger before and one after a change');

create function pg_temp.sorted(ids jsonb) returns jsonb
  language sql
as $$ select jsonb_agg(id order by id) from jsonb_array_elements(nullif(ids, 'null')) id $$;
/* Fires deferred triggers and returns the documents broadcast since the last call. */
create function pg_temp.told() returns jsonb
  language plpgsql
as $$
declare
  messages jsonb;
begin
  set constraints all immediate;
  set constraints all deferred;
  select jsonb_agg(jsonb_build_object('topic', m.topic, 'ids', pg_temp.sorted(m.payload -> 'ids'))) into messages
    from realtime.messages m where m.event = 'documents' and m.private;
  delete from realtime.messages;
  return messages;
end
$$;
create function pg_temp.in_lab(variadic documents text[] default '{}') returns jsonb
  language sql
as $$
  select jsonb_build_array(jsonb_build_object('topic', private.library_topic(md5('lab')::uuid),
    'ids', (select to_jsonb(array_agg(md5(d)::uuid order by md5(d)::uuid)) from unnest(documents) d)))
$$;
create function pg_temp.tag(person text, name text, variadic documents text[]) returns text
  language sql
as $$
  select pg_temp.done(person, format('insert into public.document_tags (library_id, document_id, tag_id)
    select md5(''lab'')::uuid, md5(d)::uuid, md5(%L)::uuid from unnest(%L::text[]) d on conflict do nothing', name, documents))
$$;
select pg_temp.told();
-- Within a test, now() is constant.
update public.documents set updated_at = '2020-01-01';

select extensions.is(pg_temp.tag('owner', 'red', 'one', 'two'), '2', 'an owner tags two documents');
select extensions.is(pg_temp.told(), pg_temp.in_lab('one', 'two'), 'one broadcast lists the tagged documents');
select extensions.is(pg_temp.tag('owner', 'red', 'one', 'two'), '0', 'tagging again changes nothing');
select extensions.is(pg_temp.told(), null, 'an unchanged tag is not broadcast');
select pg_temp.by('owner', format('public.set_field_value(array[%L]::uuid[], %L, ''7'')', md5('two')::uuid, (select id from fields where name = 'amount')));
select pg_temp.by('owner', format('public.set_field_value(array[%L]::uuid[], %L, ''8'')', md5('two')::uuid, (select id from fields where name = 'amount')));
select pg_temp.tag('owner', 'blue', 'three');
select extensions.is(pg_temp.told(), pg_temp.in_lab('two', 'three'), 'tag and field changes of a transaction are broadcast together');
select pg_temp.tag('owner', 'blue', variadic (select array_agg('many ' || n) from generate_series(1, 100) n));
select extensions.is(jsonb_array_length(pg_temp.told() -> 0 -> 'ids'), 100, 'up to a hundred documents are listed');
select pg_temp.done('owner', format('delete from public.document_tags where tag_id = %L', md5('blue')::uuid));
select extensions.is(pg_temp.told(), pg_temp.in_lab(), 'more than a hundred documents are broadcast without ids');
select pg_temp.tag('owner', 'red', 'three');
select pg_temp.told();
update public.documents set deleted_at = now() where title = 'three';
select pg_temp.done('owner', format('delete from public.document_tags where document_id = %L', md5('three')::uuid));
select extensions.is(pg_temp.told(), null, 'documents in the trash are not broadcast, because readers cannot see them');
update public.documents set deleted_at = null where title = 'three';
select pg_temp.done('owner', format('delete from public.tags where id = %L', md5('red')::uuid));
select extensions.is(pg_temp.told(), pg_temp.in_lab('one', 'two'), 'deleting a tag is broadcast');
insert into public.tags (id, library_id, name) values (md5('red')::uuid, md5('lab')::uuid, 'red');
select extensions.is((select count(*) from private.arranged_documents), 0::bigint, 'the list of changed documents is cleared');

-- A rule broadcasts once for all its changes.
create temporary table rule as select pg_temp.by('owner', format('(public.save_rule(%L, %L)).id', md5('lab')::uuid, jsonb_build_object(
  'name', 'Red', 'is_on', false, 'collection_id', md5('desk')::uuid, 'actions', jsonb_build_array(
    jsonb_build_object('do', 'tag', 'tag', md5('red')::uuid),
    jsonb_build_object('do', 'set', 'field', (select id from fields where name = 'amount'), 'value', 1)))))::uuid as id;
select extensions.is(pg_temp.by('owner', format('(select count(*) from public.apply_rule(%L, (select array_agg(d.id) from public.documents d)))', (select id from rule))), '3',
  'a rule is applied to three documents');
select extensions.is(pg_temp.told(), pg_temp.in_lab('one', 'two', 'three'), 'changes by a rule are broadcast together');

-- Recipients
create function pg_temp.heard(person text) returns text
  language sql
as $$ select pg_temp.by(person, '(select count(*) from realtime.messages where topic = realtime.topic())') $$;
select pg_temp.tag('owner', 'blue', 'one');
set constraints all immediate;
set constraints all deferred;
select set_config('realtime.topic', private.library_topic(md5('lab')::uuid), true);
select extensions.is(pg_temp.heard('reader'), '1', 'members receive the broadcast');
select extensions.is(pg_temp.heard('guest'), '0', 'guests do not receive the broadcast');
select extensions.is(pg_temp.heard('stranger'), '0', 'strangers do not receive the broadcast');
select extensions.is((select count(*) from realtime.messages where event = 'documents' and topic <> private.library_topic(md5('lab')::uuid)), 0::bigint,
  'the event is sent only to the library''s channel');
delete from realtime.messages;

-- updated_at
select extensions.is((select count(*) from public.documents where updated_at <> '2020-01-01' and title <> 'three'), 0::bigint,
  'tags, fields and rules do not change updated_at');
update public.documents set title = title, summary = summary, progress = 10 where title = 'one';
select extensions.is((select updated_at from public.documents where title = 'one'), '2020-01-01', 'unchanged values and indexing do not change updated_at');
update public.documents set summary = 'Of one.' where title = 'one';
select extensions.is((select updated_at from public.documents where title = 'one'), now(), 'a new summary changes updated_at');

-- The order
select pg_temp.by('owner', format('public.set_field_value(array[%L]::uuid[], %L, ''"zinc"'')', md5('two')::uuid, (select id from fields where name = 'word')));
insert into public.versions (library_id, document_id, body, mime_type, size_bytes) values (md5('lab')::uuid, md5('two')::uuid, 'x', '', 0);
select public.replace_passages(current_version_id, '[{"start": 0, "end": 1, "content": "copper"}]', language => 'en') from public.documents where title = 'two';
select pg_temp.told();
create function pg_temp.has_word(word text) returns boolean
  language sql
as $$ select word = any (w.words) from private.document_words w where w.document_id = md5('two')::uuid $$;
select extensions.is(pg_temp.has_word('zinc'), true, 'a document is found by a field');
update public.documents set title = 'second', collection_id = md5('attic')::uuid where title = 'two';
select extensions.is(pg_temp.has_word('zinc'), false, 'after a move and a rename, the fields of the new place are indexed');

update public.documents set collection_id = md5('desk')::uuid where title = 'second';
select pg_temp.told();
create temporary table topics as select private.library_topic(md5('lab')::uuid) as former;
update public.library_channels set renewed_in = null;
update public.documents set collection_id = null, progress = 50 where title = 'second';
select extensions.isnt(private.library_topic(md5('lab')::uuid), (select former from topics), 'moving a note away from its writers ends the channels');
select extensions.is((select array_agg(distinct topic) from realtime.messages where event = 'ingest'), (select array_agg(former) from topics),
  'the change is broadcast in the old channel first');

update public.documents set deleted_at = '2021-01-01' where title = 'second';
select extensions.is(pg_temp.answer('owner', format('update public.documents set deleted_at = ''1999-01-01'' where id = %L returning deleted_at', md5('two')::uuid)),
  (select deleted_at::text from public.documents where title = 'second'), 'the deletion time is set before other triggers see it');

-- Many documents in one statement, with the caller's rights
create function pg_temp.many() returns text
  language sql
as $$ select array_agg(md5('many ' || n)::uuid)::text from generate_series(1, 101) n $$;
create function pg_temp.count_many(condition text) returns bigint
  language plpgsql
as $$
declare
  found bigint;
begin
  execute 'select count(*) from public.documents d where d.title like ''many %'' and ' || condition into found;
  return found;
end
$$;
insert into public.document_tags (library_id, document_id, tag_id)
  select md5('lab')::uuid, md5('many ' || n)::uuid, md5('blue')::uuid from generate_series(1, 101) n;
select pg_temp.by(person, format(call, pg_temp.many())) from unnest(array['reader', 'guest', 'stranger']) person, unnest(array[
  'public.move_documents(%L)', 'public.trash_documents(%L, true)', format('public.untag_documents(%%L, %L)', md5('blue')::uuid)]) call;
select extensions.is(pg_temp.count_many('d.deleted_at is null and d.collection_id is not null and exists (
  select from public.document_tags t where t.document_id = d.id)'), 101::bigint, 'only editors change many documents');
select pg_temp.by('owner', format('public.move_documents(%L, %L)', pg_temp.many(), md5('desk')::uuid));
select extensions.is(pg_temp.count_many(format('d.collection_id = %L', md5('desk')::uuid)), 101::bigint, 'many documents are moved');
select pg_temp.by('owner', format('public.move_documents(%L)', pg_temp.many()));
select extensions.is(pg_temp.count_many('d.collection_id is null'), 101::bigint, 'many documents are taken out of their collection');
select pg_temp.by('owner', format('public.untag_documents(%L, %L)', pg_temp.many(), md5('blue')::uuid));
select extensions.is(pg_temp.count_many('exists (select from public.document_tags t where t.document_id = d.id)'), 0::bigint, 'a tag is taken from many documents');
select pg_temp.by('owner', format('public.trash_documents(%L, true)', pg_temp.many()));
select extensions.is(pg_temp.count_many('d.deleted_at is not null'), 101::bigint, 'many documents are moved to the trash');
select pg_temp.by('owner', format('public.trash_documents(%L, false)', pg_temp.many()));
select extensions.is(pg_temp.count_many('d.deleted_at is null'), 101::bigint, 'many documents are restored');

select * from extensions.finish();
rollback;
