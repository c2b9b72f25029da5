-- References: who writes them and in which form, that author and date follow, and that reading a document keeps them
begin;
\ir helpers.psql
select plan(24);

select pg_temp.add_people('owner', 'editor', 'helper', 'reader', 'stranger');
insert into public.libraries (id, name) values (md5('lab')::uuid, 'Lab');
insert into public.members (library_id, user_id, role) select md5('lab')::uuid, md5(p)::uuid, p::public.member_role
  from unnest(array['owner', 'editor', 'reader']) p;
insert into public.members (library_id, user_id, role) values (md5('lab')::uuid, md5('helper')::uuid, 'guest');
insert into public.collections (id, library_id, name) values (md5('desk')::uuid, md5('lab')::uuid, 'Desk');
insert into public.collection_grants (library_id, collection_id, user_id, role)
  values (md5('lab')::uuid, md5('desk')::uuid, md5('helper')::uuid, 'editor');
insert into public.documents (id, library_id, collection_id, kind, title, author, dated)
  values (md5('paper')::uuid, md5('lab')::uuid, md5('desk')::uuid, 'note', 'Paper', 'Scanner', '2020-05-05');

create function pg_temp.cite(person text, reference text) returns text
  language sql
as $$ select pg_temp.done(person, format('update public.documents set reference = %L', reference)) $$;
create function pg_temp.reference() returns jsonb
  language sql
as $$ select reference from public.documents where id = md5('paper')::uuid $$;
create function pg_temp.facts() returns text
  language sql
as $$ select concat_ws('; ', author, dated) from public.documents where id = md5('paper')::uuid $$;

-- Rights
select extensions.is(pg_temp.cite(person, '{"DOI": "10.1000/1"}'), '1', person || ' sets a reference') from unnest(array['owner', 'editor', 'helper']) person;
select extensions.is(pg_temp.cite(person, '{"DOI": "10.1000/2"}'), '0', person || ' cannot set a reference') from unnest(array['reader', 'stranger']) person;
select extensions.matches(pg_temp.cite(null, '{}'), '^42501', 'anonymous users cannot set a reference');
select extensions.is(pg_temp.by('reader', $$(select reference ->> 'DOI' from public.documents)$$), '10.1000/1', 'a reader sees the reference');
select extensions.is(pg_temp.by('stranger', '(select count(reference) from public.documents)'), '0', 'a stranger cannot see the reference');
select extensions.is(pg_temp.facts(), 'Scanner; 2020-05-05', 'a reference without author and date keeps the document''s');

-- Validation
select extensions.matches(pg_temp.cite('owner', wrong), '^23514', 'an invalid reference is rejected: ' || left(wrong, 20))
  from unnest(array['[]', '"a book"', '1', 'null', jsonb_build_object('note', repeat('x', 8192))::text]) wrong;
select extensions.is(pg_temp.cite('owner', jsonb_build_object('note', repeat('x', 8000))::text), '1', 'a reference of eight kilobytes is accepted');

-- Author and date
select pg_temp.cite('owner', '{"author": [{"given": "Ludwig", "non-dropping-particle": "van", "family": "Berg"}, {"literal": "The Society"}, {}, 7],
  "issued": {"date-parts": [[1822, "7"]]}}');
select extensions.is(pg_temp.facts(), 'Ludwig van Berg, The Society; 1822-07-01', 'author and date follow the reference');
create function pg_temp.dated(issued jsonb) returns text
  language plpgsql
as $$
begin
  update public.documents set reference = jsonb_build_object('author', 'nobody', 'issued', issued) where id = md5('paper')::uuid;
  return pg_temp.facts();
end
$$;
select extensions.is(pg_temp.dated(issued), coalesce(day, ''), 'the date of ' || issued::text)
  from (values
    ('{"date-parts": [[2024, 2, 31]]}'::jsonb, '2024-03-02'), ('{"date-parts": [[99999, 1]]}', null), ('{"date-parts": [[2020, 13]]}', '2020-01-01'),
    ('{"raw": "soon"}', null)) dates (issued, day);

-- Reading fills in what is missing
create function pg_temp.read(reading text) returns void
  language sql
as $$ select private.adopt_facts(md5('paper')::uuid, null, reading::jsonb) $$;
update public.documents set reference = null where id = md5('paper')::uuid;
select extensions.is(pg_temp.facts(), '', 'without a reference there is no author or date');
select pg_temp.read('{"author": "Program", "dated": "2001-01-01", "reference": {"DOI": "10.1000/read"}}');
select extensions.is(pg_temp.facts() || pg_temp.reference()::text, 'Program; 2001-01-01{"DOI": "10.1000/read"}', 'indexing fills in a missing reference');
select pg_temp.cite('editor', '{"author": [{"family": "Hand"}], "issued": {"date-parts": [[1900]]}}');
select pg_temp.read('{"author": "Program", "dated": "2001-01-01", "reference": {"DOI": "10.1000/read"}}');
select extensions.is(pg_temp.facts(), 'Hand; 1900-01-01', 'indexing keeps author and date set by a user');
select pg_temp.read('{"author": "Program", "reference": null}');
select extensions.is(pg_temp.reference() -> 'author' ->> 0, '{"family": "Hand"}', 'indexing keeps a reference set by a user');

select * from extensions.finish();
rollback;
