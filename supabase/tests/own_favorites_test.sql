-- Favorites and recent documents: private, and limited to what their owner sees now
begin;
\ir helpers.psql
select plan(17);

-- Returns '1', or the SQLSTATE of the error.
create function pg_temp.star(person text, name text, kind text default 'document') returns text
  language sql
as $$
  select left(pg_temp.answer(person, format('insert into public.favorites (id, library_id, %s_id) values (%L, %L, %L) returning 1', kind,
    md5(person || name)::uuid, md5('lab')::uuid, md5(name)::uuid)), 5)
$$;
create function pg_temp.stars(person text) returns text
  language sql
as $$
  select pg_temp.answer(person, $q$select string_agg(coalesce(d.title, c.name), ' ' order by f.position, f.created_at, f.id)
    from public.favorites f left join public.documents d on d.id = f.document_id left join public.collections c on c.id = f.collection_id$q$)
$$;

select pg_temp.add_people('ann', 'gil', 'out');
insert into public.libraries (id, name) values (md5('lab')::uuid, 'Lab');
insert into public.members (library_id, user_id, role) values (md5('lab')::uuid, md5('ann')::uuid, 'owner'), (md5('lab')::uuid, md5('gil')::uuid, 'guest');
insert into public.collections (id, library_id, name) select md5(name)::uuid, md5('lab')::uuid, name from unnest(array['Open', 'Closed']) name;
insert into public.collection_grants (library_id, collection_id, user_id, role) values (md5('lab')::uuid, md5('Open')::uuid, md5('gil')::uuid, 'reader');
insert into public.documents (id, library_id, collection_id, kind, title)
  select md5(title)::uuid, md5('lab')::uuid, md5(place)::uuid, 'note', title from (values ('Lamps', 'Open'), ('Wicks', 'Open'), ('Secret', 'Closed')) d (title, place);

select extensions.is(concat_ws(' ', pg_temp.star('ann', 'Lamps'), pg_temp.star('ann', 'Open', 'collection'), pg_temp.star('ann', 'Secret')), '1 1 1', 'a member adds favorites');
select extensions.is(concat_ws(' ', pg_temp.star('gil', 'Lamps'), pg_temp.star('gil', 'Secret'), pg_temp.star('gil', 'Closed', 'collection')), '1 42501 42501', 'a guest adds only visible favorites');
select extensions.matches(pg_temp.star('out', 'Lamps'), '^42501', 'a stranger cannot add favorites');
select extensions.is(pg_temp.star('ann', 'Lamps'), '23505', 'a favorite cannot be added twice');
select extensions.matches(pg_temp.answer('ann', format('insert into public.favorites (library_id) values (%L) returning 1', md5('lab')::uuid)), '^23514', 'a favorite needs a document or collection');
select extensions.matches(pg_temp.answer('ann', format('insert into public.favorites (user_id, library_id, document_id) values (%L, %L, %L) returning 1', md5('gil')::uuid, md5('lab')::uuid, md5('Wicks')::uuid)), '^42501', 'favorites cannot be added for other users');
select extensions.is(pg_temp.done('gil', format('update public.favorites set position = 1 where id = %L', md5('annLamps')::uuid)), '0', 'favorites of other users cannot be reordered');
select extensions.matches(pg_temp.done('gil', format('update public.favorites set user_id = %L', md5('ann')::uuid)), '^42501', 'favorites cannot be given to other users');
select extensions.matches(pg_temp.answer(null, 'select count(*) from public.favorites'), '^42501', 'anonymous users have none');
update public.favorites set created_at = now() + interval '1 second' where collection_id is not null;
update public.favorites set created_at = now() + interval '2 seconds' where document_id = md5('Secret')::uuid;
select extensions.is(pg_temp.stars('ann'), 'Lamps Open Secret', 'new favorites are last');
select pg_temp.answer('ann', format('select public.move_favorite(%L, %L)', md5('annSecret')::uuid, md5('annOpen')::uuid));
select extensions.is(pg_temp.stars('ann'), 'Lamps Secret Open', 'a favorite is moved before another');
select pg_temp.answer('gil', format('select public.move_favorite(%L)', md5('annLamps')::uuid)), pg_temp.answer('ann', format('select public.move_favorite(%L)', md5('annLamps')::uuid));
select extensions.is(pg_temp.stars('ann') || ' ' || pg_temp.stars('gil'), 'Secret Open Lamps Lamps', 'a favorite is moved to the end, only for its user');
update public.documents set collection_id = md5('Closed')::uuid where title = 'Lamps';
select extensions.is(pg_temp.stars('gil'), null, 'hidden favorites are not listed');
select extensions.is(pg_temp.answer('gil', 'delete from public.favorites returning 1'), '1', 'a hidden favorite can be removed');
update public.documents set collection_id = md5('Open')::uuid where title = 'Lamps';

-- Recent documents
select pg_temp.answer(person, format('select public.open_document(%L)', md5(title)::uuid)) from (values ('gil', 'Lamps'), ('gil', 'Secret'), ('gil', 'Wicks')) o (person, title);
update public.reading_positions set share = 0.5, page = 3 where document_id = md5('Lamps')::uuid;
select pg_temp.answer('gil', format('select public.open_document(%L)', md5('Lamps')::uuid));
select extensions.is(pg_temp.answer('gil', 'select string_agg(concat_ws('' '', library_name, title, page, share), '','' order by title) from public.recent_documents()'), 'Lab Lamps 3 0.5,Lab Wicks 0', 'recent documents have their reading progress');
select extensions.is(pg_temp.answer('ann', 'select count(*) from public.recent_documents()'), '0', 'recent documents are private');
update public.documents set deleted_at = now() where title = 'Wicks';
select extensions.is(pg_temp.answer('gil', 'select count(*) from public.recent_documents()'), '1', 'deleted documents are not listed');

select * from finish();
rollback;
