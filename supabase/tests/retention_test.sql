-- Retention: who sets rules, which documents they move and retain, and legal holds against every way of deleting
begin;
\ir helpers.psql
set local storage.allow_delete_query = true;
select plan(85);


select pg_temp.add_people('owner', 'editor', 'reader', 'guest', 'stranger', 'alone');
insert into public.libraries (id, name) values (md5('library')::uuid, 'Lab'), (md5('own')::uuid, 'Own'), (md5('other')::uuid, 'Other');
insert into public.members (library_id, user_id, role) select md5(library)::uuid, md5(person)::uuid, role::public.member_role
  from (values ('library', 'owner', 'owner'), ('library', 'editor', 'editor'), ('library', 'reader', 'reader'), ('library', 'guest', 'guest'),
    ('own', 'alone', 'owner'), ('other', 'stranger', 'owner')) m (library, person, role);
insert into public.collections (id, library_id, parent_id, name) values
  (md5('outer')::uuid, md5('library')::uuid, null, 'Outer'), (md5('inner')::uuid, md5('library')::uuid, md5('outer')::uuid, 'Inner'),
  (md5('deep')::uuid, md5('library')::uuid, md5('inner')::uuid, 'Deep'), (md5('beside')::uuid, md5('library')::uuid, null, 'Beside');
insert into public.collection_grants (library_id, collection_id, user_id, role)
  values (md5('library')::uuid, md5('outer')::uuid, md5('guest')::uuid, 'editor');
insert into public.documents (id, library_id, collection_id, kind, title, created_at)
  select md5(title)::uuid, md5(library)::uuid, md5(place)::uuid, 'file', title, now() - age::interval
  from (values ('library', 'Loose', null, '400 days'), ('library', 'Out', 'outer', '400 days'), ('library', 'In', 'inner', '400 days'),
    ('library', 'Depth', 'deep', '400 days'), ('library', 'Side', 'beside', '345 days'), ('library', 'New', 'beside', '1 day'),
    ('own', 'Mine', null, '1 day')) d (library, title, place, age);
insert into storage.objects (bucket_id, name, metadata)
  select 'documents', library_id || '/' || id || '/v1/file.txt', '{"size": 7, "mimetype": "text/plain"}'::jsonb from public.documents
  where library_id in (md5('library')::uuid, md5('own')::uuid);
insert into public.versions (library_id, document_id, storage_path, mime_type, size_bytes)
  select library_id, id, library_id || '/' || id || '/v1/file.txt', '', 0 from public.documents
  where library_id in (md5('library')::uuid, md5('own')::uuid);

-- Setting rules
create function pg_temp.rule(person text, place text, columns text) returns text
  language sql
as $$
  select pg_temp.done(person, format('with terms as (select %s) insert into public.retention_rules (library_id, collection_id, trash_after, trash_unit, trash_days, keep_years)
    select %L, %L, trash_after, trash_unit, trash_days, keep_years from terms', columns, md5('library')::uuid, md5(place)::uuid))
$$;
create function pg_temp.switch(person text, is_on boolean, place text default null) returns text
  language sql
as $$
  select pg_temp.done(person, format('update public.retention_rules set is_on = %L where collection_id is not distinct from %L', is_on, md5(place)::uuid))
$$;
create function pg_temp.due(person text default 'owner', place text default null) returns text
  language sql
as $$
  select pg_temp.by(person, format('string_agg(p.title, '' '' order by p.title) from public.retention_rules r cross join lateral public.preview_retention(r.id) p
    where r.collection_id is not distinct from %L', md5(place)::uuid))
$$;
create function pg_temp.trashed() returns text
  language sql
as $$ select string_agg(title, ' ' order by title) from public.documents where deleted_at is not null $$;
select extensions.matches(pg_temp.rule(person, null, '1 trash_after, ''year'' trash_unit, 30 trash_days, null::int keep_years'), '^42501', person || ' cannot add a rule')
  from unnest(array['editor', 'reader', 'guest', 'stranger']) person;
select extensions.is(pg_temp.rule('owner', null, '1 trash_after, ''year'' trash_unit, 10 trash_days, null::int keep_years'), '1', 'an owner adds a rule');
select extensions.matches(pg_temp.rule('owner', null, '1 trash_after, ''year'' trash_unit, 30 trash_days, null::int keep_years'), '^23505', 'a place has at most one rule');
select extensions.matches(pg_temp.rule('owner', 'beside', '1 trash_after, ''year'' trash_unit, 6 trash_days, null::int keep_years'), '^23514', 'the trash keeps documents for at least a week');
select extensions.is(pg_temp.by(person, 'count(*) from public.retention_rules'), expected, person || ' sees rules: ' || expected)
  from (values ('editor', '1'), ('reader', '1'), ('guest', '0'), ('stranger', '0')) p (person, expected);
select extensions.is(pg_temp.due(), 'Depth In Loose Out Side', 'the preview lists documents due within thirty days');
select extensions.is(pg_temp.due('reader'), null, 'only owners see the preview');
select extensions.is(pg_temp.by('editor', 'count(*) from private.retention_moves'), '0', 'only owners see moved documents');
select extensions.is(public.apply_retention(), 0, 'a disabled rule does nothing');
select extensions.is((select count(*)::integer from public.notifications where kind = 'retention'), 0, 'a disabled rule does not notify');
select extensions.is(pg_temp.switch('editor', true), '0', 'an editor cannot enable a rule');

-- The nearest rule; holds
select pg_temp.rule('owner', 'inner', 'null::int trash_after, ''year'' trash_unit, 90 trash_days, 5 keep_years'), pg_temp.switch('owner', true, 'inner');
select extensions.is(pg_temp.due(), 'Loose Out Side', 'the nearest rule applies, even in nested collections');
create function pg_temp.hold(person text, title text, reason text default 'Case 12') returns text
  language sql
as $$
  select pg_temp.done(person, format('insert into public.legal_holds (library_id, document_id, reason) select library_id, id, %L from public.documents where title = %L', reason, title))
$$;
select extensions.matches(pg_temp.hold(person, 'Out'), '^(42501|0$)', person || ' cannot place a hold') from unnest(array['editor', 'reader', 'guest', 'stranger']) person;
select extensions.matches(pg_temp.hold('owner', 'Out', ' '), '^23514', 'a hold needs a reason');
select extensions.is(pg_temp.hold('owner', 'Out'), '1', 'an owner places a hold');
select extensions.is((select row(reason, placed_by = md5('owner')::uuid)::text from public.legal_holds), '("Case 12",t)', 'reason and author of a hold are stored');
select extensions.is(pg_temp.due(), 'Loose Side', 'rules skip held documents');

-- Applying a rule
select extensions.is(pg_temp.switch('owner', true), '1', 'an owner enables the rule');
select extensions.is(public.apply_retention(), 0, 'nothing is moved at first');
select extensions.is((select string_agg(p.display_name || ' ' || n.amount, ', ') from public.notifications n join public.profiles p on p.id = n.user_id where n.kind = 'retention'),
  'owner 1', 'owners are notified how many documents are due within a week');
select public.apply_retention();
select extensions.is((select count(*)::integer from public.notifications where kind = 'retention'), 1, 'owners are notified once');
update public.retention_rules set warned_at = now() - interval '8 days' where collection_id is null;
select extensions.is(public.apply_retention(), 1, 'due documents are moved a week later');
select extensions.is(pg_temp.trashed(), 'Loose', 'they are moved to the trash');
select extensions.is((select verb || ' ' || (subject ->> 'title') || coalesce(actor_id::text, '') || case when subject ? 'rule' then ' by a rule' else '' end from public.activity where document_id = md5('Loose')::uuid order by id desc limit 1),
  'document.trashed Loose by a rule', 'the activity names the rule');
update public.documents set deleted_at = null where title = 'Loose';
select extensions.is(public.apply_retention(), 0, 'restored documents are not moved again');

-- Time in the trash
update public.documents set deleted_at = now() - interval '9 days' where title in ('Loose', 'In');
select extensions.is(public.purge_trash(), 0, 'the trash keeps documents as long as the rule says');
update public.documents set deleted_at = now() - interval '91 days' where title in ('Loose', 'In');
select extensions.is(pg_temp.by('owner', $$string_agg(title || ' ' || coalesce((public.gone_at(d) > now())::text, 'never'), ' ' order by title) from public.documents d where deleted_at is not null$$),
  'In true Loose false', 'the end of the time in the trash is shown');
select extensions.is(public.purge_trash(), 1, 'documents are purged at the end');
select extensions.is(pg_temp.trashed(), 'In', 'documents retained by another rule are not purged');
select extensions.matches(pg_temp.done('owner', $$delete from public.documents where title = 'In'$$), '^23514 A retention rule keeps “In” until 20', 'an owner cannot delete a retained document');
select extensions.is(pg_temp.done('owner', $$delete from storage.objects where name like '%' || md5('In')::uuid || '%'$$), '0', 'an owner cannot delete its file');
select extensions.matches(pg_temp.done('owner', $$delete from public.libraries$$), '^23514 A (retention rule keeps|legal hold protects)', 'an owner cannot delete its library');
select extensions.matches(pg_temp.done('editor', $$delete from public.collections where name = 'Inner'$$), '^23514 This collection has a retention', 'an editor cannot delete a collection with a rule');

-- A hold against each way of deleting
select extensions.matches(pg_temp.done(person, $$update public.documents set deleted_at = now() where title = 'Out'$$), '^23514 A legal hold protects “Out”: Case 12', person || ' cannot move a held document to the trash')
  from unnest(array['owner', 'editor', 'guest']) person;
select pg_temp.hold('owner', 'In', 'Case 13');
select pg_temp.switch('owner', false, 'inner');
update public.documents set deleted_at = now() - interval '400 days' where title = 'In';
select extensions.is(public.purge_trash(), 0, 'the purge keeps held documents');
select extensions.matches(pg_temp.done('owner', $$delete from public.documents where title = 'In'$$), '^23514 A legal hold', 'an owner cannot delete a held document');
select extensions.throws_like($$delete from public.documents where title = 'In'$$, 'A legal hold protects%', 'the service role cannot delete a held document');
select extensions.throws_like($$delete from public.versions where document_id = md5('In')::uuid$$, 'A legal hold protects%', 'versions of a held document cannot be deleted');
select extensions.is(pg_temp.done('owner', $$delete from storage.objects where name like '%' || md5('In')::uuid || '%'$$), '0', 'the file of a held document cannot be deleted');
select extensions.is((select count(*)::integer from public.unreferenced_files() where path like '%' || md5('In')::uuid || '%'), 0, 'the purge of files keeps it');
select extensions.throws_like($$delete from public.libraries where id = md5('library')::uuid$$, 'A legal hold protects%', 'a library with a held document cannot be deleted');
select pg_temp.by('alone', format('pg_temp.touched(%L)', $$insert into public.legal_holds (library_id, document_id, reason) values (md5('own')::uuid, md5('Mine')::uuid, 'Court')$$));
select extensions.matches(pg_temp.by('alone', 'public.delete_account()'), '^23514 A legal hold protects “Mine”: Court', 'the only member''s account cannot be deleted');
select extensions.is(pg_temp.done('editor', 'delete from public.legal_holds'), '0', 'an editor cannot lift a hold');
select extensions.is(pg_temp.done('owner', 'delete from public.legal_holds'), '2', 'an owner lifts holds');
select extensions.is(pg_temp.done('owner', $$delete from public.documents where title = 'In'$$), '1', 'the document can be deleted afterwards');
select extensions.is((select string_agg(verb || ' ' || (subject ->> 'reason'), ', ' order by id) from public.activity where verb ~ '^hold' and subject ->> 'title' = 'Out'),
  'hold.placed Case 12, hold.lifted Case 12', 'placing and lifting a hold is logged');
select extensions.is(pg_temp.done('owner', $$delete from public.libraries$$), '1', 'the library can be deleted afterwards');

-- Documents stay retained after a move
insert into public.libraries (id, name) values (md5('archive')::uuid, 'Archive');
insert into public.members (library_id, user_id, role) select md5('archive')::uuid, md5(person)::uuid, person::public.member_role
  from unnest(array['owner', 'editor']) person;
insert into public.collections (id, library_id, parent_id, name) values
  (md5('ruled')::uuid, md5('archive')::uuid, null, 'Ruled'), (md5('shelf')::uuid, md5('archive')::uuid, md5('ruled')::uuid, 'Shelf'),
  (md5('box')::uuid, md5('archive')::uuid, md5('shelf')::uuid, 'Box'), (md5('crate')::uuid, md5('archive')::uuid, md5('ruled')::uuid, 'Crate'),
  (md5('free')::uuid, md5('archive')::uuid, null, 'Free');
insert into public.documents (id, library_id, collection_id, kind, title, created_at)
  select md5(title)::uuid, md5('archive')::uuid, md5(place)::uuid, 'file', title, now() - interval '400 days'
  from (values ('Moved', 'ruled'), ('Boxed', 'box'), ('Orphan', 'crate'), ('Unruled', 'free')) d (title, place);
insert into public.retention_rules (library_id, collection_id, is_on, trash_days, keep_years)
  values (md5('archive')::uuid, md5('ruled')::uuid, true, 30, 5);
create function pg_temp.kept(title text) returns text
  language sql
as $$ select to_char(private.kept_until(d), 'YYYY') from public.documents d where d.title = kept.title $$;
select extensions.is(pg_temp.done('editor', $$update public.documents set collection_id = md5('free')::uuid where title = 'Moved'$$), '1', 'an editor moves a retained document to another collection');
select extensions.is(pg_temp.done('editor', $$update public.documents set collection_id = null where title = 'Moved'$$), '1', 'an editor moves it out of all collections');
select extensions.is(pg_temp.done('editor', $$update public.collections set parent_id = md5('free')::uuid where name = 'Shelf'$$), '1', 'an editor moves a collection with a retained document');
select extensions.is(pg_temp.done('editor', $$delete from public.collections where name = 'Shelf'$$), '1', 'an editor deletes that collection');
select extensions.is(pg_temp.done('editor', $$delete from public.collections where name = 'Crate'$$), '1', 'an editor deletes a collection nested in the rule''s');
select extensions.is((select count(*)::integer from public.documents where library_id = md5('archive')::uuid and collection_id is null), 3, 'all documents are outside the rule''s collection');
select extensions.is(pg_temp.kept(title), to_char(now() - interval '400 days' + interval '5 years', 'YYYY'), title || ' is still retained')
  from unnest(array['Moved', 'Boxed', 'Orphan']) title;
select extensions.is(pg_temp.kept('Unruled'), null, 'a document that was never in the collection is not retained');
select extensions.is(pg_temp.done('editor', $$update public.documents set deleted_at = now() where library_id = md5('archive')::uuid$$), '4', 'an editor moves all documents to the trash');
update public.documents set deleted_at = now() - interval '60 days' where library_id = md5('archive')::uuid;
select extensions.is(public.purge_trash(), 1, 'only the document that was never retained is purged');
select extensions.matches(pg_temp.done('owner', format('delete from public.documents where title = %L', title)), '^23514 A retention rule keeps', 'an owner cannot delete ' || title)
  from unnest(array['Moved', 'Boxed', 'Orphan']) title;
select extensions.matches(pg_temp.done('owner', $$delete from public.libraries where name = 'Archive'$$), '^23514 A retention rule keeps', 'the library cannot be deleted');
select extensions.is(pg_temp.done('editor', 'update public.retention_rules set keep_years = 1'), '0', 'an editor cannot shorten the rule');
select extensions.is(pg_temp.done('owner', $$update public.retention_rules set keep_years = 1 where library_id = md5('archive')::uuid$$), '1', 'an owner shortens the rule');
select extensions.is(pg_temp.done('owner', $$delete from public.documents where title = 'Moved'$$), '1', 'an old enough document can be deleted');
select extensions.is((select row(actor_id = md5('owner')::uuid, subject)::text from public.activity where verb = 'retention.set' and library_id = md5('archive')::uuid order by id desc limit 1),
  row(true, '{"from": 5, "keep_years": 1, "collection": "Ruled"}'::jsonb)::text, 'the change of the rule is logged with its author');
update public.retention_rules set keep_years = 5 where library_id = md5('archive')::uuid;
select pg_temp.done('owner', $$delete from public.retention_rules where library_id = md5('archive')::uuid$$);
select extensions.is(pg_temp.done('owner', $$delete from public.documents where title = 'Boxed'$$), '1', 'deleting the rule releases the other documents');
select extensions.is((select row(actor_id = md5('owner')::uuid, subject)::text from public.activity where verb = 'retention.ended' and library_id = md5('archive')::uuid order by id desc limit 1),
  row(true, '{"from": 5, "collection": "Ruled"}'::jsonb)::text, 'the end of the rule is logged');

-- Comments on held documents
select pg_temp.done('owner', $$update public.documents set deleted_at = null where title = 'Orphan'$$);
select pg_temp.by('editor', format('pg_temp.touched(%L)', $$insert into public.comments (library_id, document_id, body) values (md5('archive')::uuid, md5('Orphan')::uuid, 'Shred this')$$));
select pg_temp.by('owner', format('pg_temp.touched(%L)', $$insert into public.legal_holds (library_id, document_id, reason) values (md5('archive')::uuid, md5('Orphan')::uuid, 'Case 14')$$));
select extensions.matches(pg_temp.done('editor', $$update public.comments set body = 'Lunch?' where body = 'Shred this'$$), '^23514 A legal hold protects “Orphan”: Case 14', 'the author cannot change a comment on a held document');
select extensions.matches(pg_temp.done('editor', $$delete from public.comments where body = 'Shred this'$$), '^23514 A legal hold', 'the author cannot delete a comment on a held document');
select extensions.matches(pg_temp.done('owner', $$delete from public.comments where body = 'Shred this'$$), '^23514 A legal hold', 'an owner cannot delete a comment on a held document');
select extensions.is(pg_temp.done('owner', $$update public.comments set resolved_at = now() where body = 'Shred this'$$), '1', 'a comment on a held document can be resolved');
select pg_temp.done('owner', 'delete from public.legal_holds');
select extensions.is(pg_temp.done('editor', $$delete from public.comments where body = 'Shred this'$$), '1', 'without the hold the author deletes the comment');

select * from extensions.finish();
rollback;
