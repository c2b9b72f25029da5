-- Embedding models: vectors of any length, and switching models
begin;
\ir helpers.psql
select plan(18);
select pg_temp.add_people('ann');
insert into public.libraries (id, name) values (md5('a')::uuid, 'A'), (md5('closed')::uuid, 'Closed');
update public.libraries set allows_models = false where name = 'Closed';
insert into public.members (library_id, user_id, role) select id, md5('ann')::uuid, 'owner' from public.libraries where name in ('A', 'Closed');
-- Stores documents of one passage each. passages: { title: vector or null, … }
create function pg_temp.store(passages jsonb, model text, library text default 'a') returns void
  language plpgsql
as $$
begin
  insert into public.documents (id, library_id, kind, title) select md5(key)::uuid, md5(library)::uuid, 'note', key from jsonb_each(passages)
  on conflict do nothing;
  insert into public.versions (library_id, document_id, body, mime_type, size_bytes)
    select md5(library)::uuid, md5(key)::uuid, 'x', '', 0 from jsonb_each(passages);
  perform public.replace_passages(d.current_version_id, jsonb_build_array(jsonb_build_object(
      'start', 0, 'end', 9, 'content', 'About ' || key || '.', 'embedding', value)), model)
    from jsonb_each(passages) join public.documents d on d.id = md5(key)::uuid;
end
$$;
create function pg_temp.found(query text, vector text, model text) returns text
  language sql
as $$
  select pg_temp.by('ann', format('(select string_agg(title || case when related then ''*'' else '''' end, '' '' order by score desc)
    from public.search_passages(md5(''a'')::uuid, %L, %L, %L))', query, vector, model))
$$;
create function pg_temp.waiting() returns text
  language sql
as $$ select string_agg(d.title, ' ' order by d.title) from private.indexing_runs r join public.documents d on d.id = r.document_id and d.library_id in (md5('a')::uuid, md5('closed')::uuid) $$;

select public.announce_indexer(7, 'polyglot (3)', null, 0.2);
select pg_temp.store('{"boats": [1, 0, 0], "ships": [0.9, 0.4, 0], "bread": [0, 0, 1], "tides": null}', 'polyglot (3)');
select extensions.is(pg_temp.found('Schiff', '[1,0,0]', 'polyglot (3)'), 'boats* ships*', 'vectors with three dimensions are searched by meaning');
select extensions.is(pg_temp.found('bread', '[1,0,0]', 'polyglot (3)'), 'boats* ships* bread', 'results by meaning and by words are combined');
select extensions.is(pg_temp.found('Schiff', array_fill(1, array[384])::extensions.vector::text, 'polyglot (3)'), null, 'vectors of another length are not compared');
select extensions.is(pg_temp.found('Schiff', '[1,0,0]', 'gte-small'), null, 'vectors of another model are not compared');
select extensions.is(pg_temp.by('ann', '(select string_agg(title, '' '') from public.related_documents(md5(''boats'')::uuid))'), 'ships', 'related documents use the library''s model');
select extensions.is(pg_temp.by('ann', '(select string_agg(title, '' '') from public.related_documents(md5(''tides'')::uuid))'), null, 'a document without a vector has no related documents');
select extensions.is(pg_temp.by('ann', '(public.library_insights(md5(''a'')::uuid) -> ''models'')'), '{"polyglot (3)": 3, "lexical-384-v1": 1}', 'insights have the names of models');
select extensions.is(pg_temp.by('ann', '(select public.has_meaning(l) from public.libraries l where l.name = ''A'')'), 'true', 'the library can be searched by meaning');
select extensions.throws_ok($$ select pg_temp.store(jsonb_build_object('long', array_fill(1, array[1537])), 'long (1537)') $$, '23514', null, 'a vector that is too long is rejected');
select pg_temp.store(jsonb_build_object('wide', array_fill(0.1, array[1536])), 'wide (1536)');
select extensions.is(pg_temp.found('Schiff', array_fill(1, array[1536])::extensions.vector::text, 'wide (1536)'), null, 'the longest vector is stored, and is not compared with other models'' bounds');

-- Switching models
select pg_temp.store('{"secrets": null}', null, 'closed');
delete from private.indexing_runs;
update public.documents set state = 'ready';
insert into public.documents (id, library_id, kind, title) values (md5('new')::uuid, md5('a')::uuid, 'note', 'new');
insert into public.versions (library_id, document_id, body, mime_type, size_bytes) values (md5('a')::uuid, md5('new')::uuid, 'x', '', 0);
update private.indexing_runs set run = md5('run')::uuid, reported_at = now() where document_id = md5('new')::uuid;
select public.store_passages(md5('run')::uuid, 0, '[{"start": 0, "end": 5, "content": "New words."}]');
select public.complete_reading(md5('run')::uuid, '{"count": 1}');
select extensions.ok(public.store_embeddings(md5('run')::uuid, '[{"ordinal": 0, "embedding": [1, 0, 0]}]', 'polyglot (3)'), 'a run stores vectors of the current model');
select public.announce_indexer(7, 'next (2)', null, 0.5);
select extensions.is(pg_temp.waiting(), 'boats bread new ships tides wide', 'after a switch, documents of libraries that allow models are queued again');
select extensions.is(pg_temp.found('boats', '[1,0]', 'next (2)'), 'boats', 'queued documents are still found by words');
select extensions.is((select count(*) from public.passages_to_embed(md5('run')::uuid, 9)), 1::bigint, 'vectors of the previous model are computed again');
select extensions.ok(not public.store_embeddings(md5('run')::uuid, '[{"ordinal": 0, "embedding": [1, 0, 0]}]', 'polyglot (3)'), 'a run cannot store vectors of the previous model');

-- An unavailable model
delete from private.indexing_runs;
select public.announce_indexer(7, 'next (2)', null, 0.5);
select extensions.is((select count(*) from private.indexing_runs), 0::bigint, 'announcing the same model again queues nothing');
select pg_temp.store('{"boats": [1, 0], "ships": [1, 0], "bread": [0, 1], "wide": [0, 1], "new": [0, 1]}', 'next (2)');
select pg_temp.store('{"tides": null}', null);
select public.announce_indexer(7, 'next (2)', null, 0.5);
select extensions.is(pg_temp.waiting(), 'tides', 'documents stored without a model meanwhile are queued');
delete from private.indexing_runs;
select public.announce_indexer(7, 'next (2)', null, 0.5);
select extensions.is(pg_temp.waiting(), null, 'they are queued only once');
select * from finish();
rollback;
