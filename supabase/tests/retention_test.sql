-- Retention: who sets rules, what they move and keep, and legal holds against every way of deleting
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
select extensions.matches(pg_temp.rule(person, null, '1 trash_after, ''year'' trash_unit, 30 trash_days, null::int keep_years'), '^42501', 'no rule by: ' || person)
  from unnest(array['editor', 'reader', 'guest', 'stranger']) person;
select extensions.is(pg_temp.rule('owner', null, '1 trash_after, ''year'' trash_unit, 10 trash_days, null::int keep_years'), '1', 'an owner makes a rule');
select extensions.matches(pg_temp.rule('owner', null, '1 trash_after, ''year'' trash_unit, 30 trash_days, null::int keep_years'), '^23505', 'one for each place');
select extensions.matches(pg_temp.rule('owner', 'beside', '1 trash_after, ''year'' trash_unit, 6 trash_days, null::int keep_years'), '^23514', 'the trash keeps a week at least');
select extensions.is(pg_temp.by(person, 'count(*) from public.retention_rules'), expected, 'rules that are seen by ' || person || ': ' || expected)
  from (values ('editor', '1'), ('reader', '1'), ('guest', '0'), ('stranger', '0')) p (person, expected);
select extensions.is(pg_temp.due(), 'Depth In Loose Out Side', 'before it is on, the preview says what is due now and within thirty days');
select extensions.is(pg_temp.due('reader'), null, 'to owners only');
select extensions.is(pg_temp.by('editor', 'count(*) from private.retention_moves'), '0', 'who alone see what was moved');
select extensions.is(public.apply_retention(), 0, 'a rule that is off does nothing');
select extensions.is((select count(*)::integer from public.notifications where kind = 'retention'), 0, 'and tells nobody');
select extensions.is(pg_temp.switch('editor', true), '0', 'an editor does not switch it on');

-- The nearest rule; holds
select pg_temp.rule('owner', 'inner', 'null::int trash_after, ''year'' trash_unit, 90 trash_days, 5 keep_years'), pg_temp.switch('owner', true, 'inner');
select extensions.is(pg_temp.due(), 'Loose Out Side', 'the rule of a nearer collection holds alone, in those inside, too');
create function pg_temp.hold(person text, title text, reason text default 'Case 12') returns text
  language sql
as $$
  select pg_temp.done(person, format('insert into public.legal_holds (library_id, document_id, reason) select library_id, id, %L from public.documents where title = %L', reason, title))
$$;
select extensions.matches(pg_temp.hold(person, 'Out'), '^(42501|0$)', 'no hold by: ' || person) from unnest(array['editor', 'reader', 'guest', 'stranger']) person;
select extensions.matches(pg_temp.hold('owner', 'Out', ' '), '^23514', 'a hold has a reason');
select extensions.is(pg_temp.hold('owner', 'Out'), '1', 'an owner places a hold');
select extensions.is((select row(reason, placed_by = md5('owner')::uuid)::text from public.legal_holds), '("Case 12",t)', 'who placed it and why is recorded');
select extensions.is(pg_temp.due(), 'Loose Side', 'a rule passes over what is held');

-- Applying a rule
select extensions.is(pg_temp.switch('owner', true), '1', 'an owner switches the rule on');
select extensions.is(public.apply_retention(), 0, 'at first it moves nothing');
select extensions.is((select string_agg(p.display_name || ' ' || n.amount, ', ') from public.notifications n join public.profiles p on p.id = n.user_id where n.kind = 'retention'),
  'owner 1', 'and tells the owners how many are due within a week');
select public.apply_retention();
select extensions.is((select count(*)::integer from public.notifications where kind = 'retention'), 1, 'once');
update public.retention_rules set warned_at = now() - interval '8 days' where collection_id is null;
select extensions.is(public.apply_retention(), 1, 'a week later it moves what is due');
select extensions.is(pg_temp.trashed(), 'Loose', 'to the trash');
select extensions.is((select verb || ' ' || (subject ->> 'title') || coalesce(actor_id::text, '') || case when subject ? 'rule' then ' by a rule' else '' end from public.activity where document_id = md5('Loose')::uuid order by id desc limit 1),
  'document.trashed Loose by a rule', 'the activity has it as the rule''s');
update public.documents set deleted_at = null where title = 'Loose';
select extensions.is(public.apply_retention(), 0, 'what somebody restored it leaves alone');

-- Time in the trash
update public.documents set deleted_at = now() - interval '9 days' where title in ('Loose', 'In');
select extensions.is(public.purge_trash(), 0, 'the trash keeps for the days of the rule');
update public.documents set deleted_at = now() - interval '91 days' where title in ('Loose', 'In');
select extensions.is(pg_temp.by('owner', $$string_agg(title || ' ' || coalesce((public.gone_at(d) > now())::text, 'never'), ' ' order by title) from public.documents d where deleted_at is not null$$),
  'In true Loose false', 'and says until when');
select extensions.is(public.purge_trash(), 1, 'then they are gone');
select extensions.is(pg_temp.trashed(), 'In', 'but for what another rule keeps for years');
select extensions.matches(pg_temp.done('owner', $$delete from public.documents where title = 'In'$$), '^23514 A retention rule keeps “In” until 20', 'an owner does not delete that either');
select extensions.is(pg_temp.done('owner', $$delete from storage.objects where name like '%' || md5('In')::uuid || '%'$$), '0', 'nor its file');
select extensions.matches(pg_temp.done('owner', $$delete from public.libraries$$), '^23514 A (retention rule keeps|legal hold protects)', 'nor the library');
select extensions.matches(pg_temp.done('editor', $$delete from public.collections where name = 'Inner'$$), '^23514 This collection has a retention', 'an editor does not end a rule with its collection');

-- A hold against each way of deleting
select extensions.matches(pg_temp.done(person, $$update public.documents set deleted_at = now() where title = 'Out'$$), '^23514 A legal hold protects “Out”: Case 12', 'not to the trash: ' || person)
  from unnest(array['owner', 'editor', 'guest']) person;
select pg_temp.hold('owner', 'In', 'Case 13');
select pg_temp.switch('owner', false, 'inner');
update public.documents set deleted_at = now() - interval '400 days' where title = 'In';
select extensions.is(public.purge_trash(), 0, 'not by the purge');
select extensions.matches(pg_temp.done('owner', $$delete from public.documents where title = 'In'$$), '^23514 A legal hold', 'not by an owner');
select extensions.throws_like($$delete from public.documents where title = 'In'$$, 'A legal hold protects%', 'not by the service role');
select extensions.throws_like($$delete from public.versions where document_id = md5('In')::uuid$$, 'A legal hold protects%', 'nor its versions');
select extensions.is(pg_temp.done('owner', $$delete from storage.objects where name like '%' || md5('In')::uuid || '%'$$), '0', 'not its file');
select extensions.is((select count(*)::integer from public.unreferenced_files() where path like '%' || md5('In')::uuid || '%'), 0, 'which the purge of files does not take');
select extensions.throws_like($$delete from public.libraries where id = md5('library')::uuid$$, 'A legal hold protects%', 'not with the library');
select pg_temp.by('alone', format('pg_temp.touched(%L)', $$insert into public.legal_holds (library_id, document_id, reason) values (md5('own')::uuid, md5('Mine')::uuid, 'Court')$$));
select extensions.matches(pg_temp.by('alone', 'public.delete_account()'), '^23514 A legal hold protects “Mine”: Court', 'not with the account of its only member');
select extensions.is(pg_temp.done('editor', 'delete from public.legal_holds'), '0', 'an editor lifts none');
select extensions.is(pg_temp.done('owner', 'delete from public.legal_holds'), '2', 'an owner lifts them');
select extensions.is(pg_temp.done('owner', $$delete from public.documents where title = 'In'$$), '1', 'then it can be deleted');
select extensions.is((select string_agg(verb || ' ' || (subject ->> 'reason'), ', ' order by id) from public.activity where verb ~ '^hold' and subject ->> 'title' = 'Out'),
  'hold.placed Case 12, hold.lifted Case 12', 'the activity has both');
select extensions.is(pg_temp.done('owner', $$delete from public.libraries$$), '1', 'and the library');

-- Kept documents stay kept after a move
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
select extensions.is(pg_temp.done('editor', $$update public.documents set collection_id = md5('free')::uuid where title = 'Moved'$$), '1', 'an editor moves a kept document out');
select extensions.is(pg_temp.done('editor', $$update public.documents set collection_id = null where title = 'Moved'$$), '1', 'and on');
select extensions.is(pg_temp.done('editor', $$update public.collections set parent_id = md5('free')::uuid where name = 'Shelf'$$), '1', 'and a collection around one');
select extensions.is(pg_temp.done('editor', $$delete from public.collections where name = 'Shelf'$$), '1', 'deletes that one');
select extensions.is(pg_temp.done('editor', $$delete from public.collections where name = 'Crate'$$), '1', 'and one in the ruled collection');
select extensions.is((select count(*)::integer from public.documents where library_id = md5('archive')::uuid and collection_id is null), 3, 'so that all are elsewhere');
select extensions.is(pg_temp.kept(title), to_char(now() - interval '400 days' + interval '5 years', 'YYYY'), 'still kept: ' || title)
  from unnest(array['Moved', 'Boxed', 'Orphan']) title;
select extensions.is(pg_temp.kept('Unruled'), null, 'what was never there is not kept');
select extensions.is(pg_temp.done('editor', $$update public.documents set deleted_at = now() where library_id = md5('archive')::uuid$$), '4', 'an editor moves all to the trash');
update public.documents set deleted_at = now() - interval '60 days' where library_id = md5('archive')::uuid;
select extensions.is(public.purge_trash(), 1, 'the purge takes what was never kept alone');
select extensions.matches(pg_temp.done('owner', format('delete from public.documents where title = %L', title)), '^23514 A retention rule keeps', 'not by an owner: ' || title)
  from unnest(array['Moved', 'Boxed', 'Orphan']) title;
select extensions.matches(pg_temp.done('owner', $$delete from public.libraries where name = 'Archive'$$), '^23514 A retention rule keeps', 'not with the library');
select extensions.is(pg_temp.done('editor', 'update public.retention_rules set keep_years = 1'), '0', 'an editor does not shorten the rule');
select extensions.is(pg_temp.done('owner', $$update public.retention_rules set keep_years = 1 where library_id = md5('archive')::uuid$$), '1', 'an owner does');
select extensions.is(pg_temp.done('owner', $$delete from public.documents where title = 'Moved'$$), '1', 'then what is old enough can go');
select extensions.is((select row(actor_id = md5('owner')::uuid, subject)::text from public.activity where verb = 'retention.set' and library_id = md5('archive')::uuid order by id desc limit 1),
  row(true, '{"from": 5, "keep_years": 1, "collection": "Ruled"}'::jsonb)::text, 'who shortened it is recorded, and from what');
update public.retention_rules set keep_years = 5 where library_id = md5('archive')::uuid;
select pg_temp.done('owner', $$delete from public.retention_rules where library_id = md5('archive')::uuid$$);
select extensions.is(pg_temp.done('owner', $$delete from public.documents where title = 'Boxed'$$), '1', 'the end of the rule frees the rest');
select extensions.is((select row(actor_id = md5('owner')::uuid, subject)::text from public.activity where verb = 'retention.ended' and library_id = md5('archive')::uuid order by id desc limit 1),
  row(true, '{"from": 5, "collection": "Ruled"}'::jsonb)::text, 'and is recorded');

-- Comments on held documents
select pg_temp.done('owner', $$update public.documents set deleted_at = null where title = 'Orphan'$$);
select pg_temp.by('editor', format('pg_temp.touched(%L)', $$insert into public.comments (library_id, document_id, body) values (md5('archive')::uuid, md5('Orphan')::uuid, 'Shred this')$$));
select pg_temp.by('owner', format('pg_temp.touched(%L)', $$insert into public.legal_holds (library_id, document_id, reason) values (md5('archive')::uuid, md5('Orphan')::uuid, 'Case 14')$$));
select extensions.matches(pg_temp.done('editor', $$update public.comments set body = 'Lunch?' where body = 'Shred this'$$), '^23514 A legal hold protects “Orphan”: Case 14', 'its author does not change a comment on what is held');
select extensions.matches(pg_temp.done('editor', $$delete from public.comments where body = 'Shred this'$$), '^23514 A legal hold', 'nor delete it');
select extensions.matches(pg_temp.done('owner', $$delete from public.comments where body = 'Shred this'$$), '^23514 A legal hold', 'nor an owner');
select extensions.is(pg_temp.done('owner', $$update public.comments set resolved_at = now() where body = 'Shred this'$$), '1', 'but it can be resolved');
select pg_temp.done('owner', 'delete from public.legal_holds');
select extensions.is(pg_temp.done('editor', $$delete from public.comments where body = 'Shred this'$$), '1', 'without the hold its author deletes it');

select * from extensions.finish();
rollback;
