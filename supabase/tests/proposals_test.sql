-- Approval of changes: who sees waiting changes, who decides, and that it can't be bypassed
begin;
\ir helpers.psql
select plan(104);

select pg_temp.add_people('owner', 'approver', 'editor', 'reader', 'helper', 'guest', 'stranger');
insert into public.libraries (id, name) values (md5('library')::uuid, 'Lab'), (md5('other')::uuid, 'Other');
insert into public.members (library_id, user_id, role) select md5(library)::uuid, md5(person)::uuid, role::public.member_role
  from (values ('library', 'owner', 'owner'), ('library', 'approver', 'editor'), ('library', 'editor', 'editor'), ('library', 'reader', 'reader'),
    ('library', 'helper', 'guest'), ('library', 'guest', 'guest'), ('other', 'stranger', 'owner')) m (library, person, role);
insert into public.collections (id, library_id, parent_id, name) select md5(name)::uuid, md5('library')::uuid, md5(parent)::uuid, name
  from (values ('Handbook', null), ('Chapter', 'Handbook'), ('Free', null)) c (name, parent);
insert into public.collection_grants (library_id, collection_id, user_id, role)
  select md5('library')::uuid, md5('Chapter')::uuid, md5(person)::uuid, role::public.member_role
  from (values ('helper', 'editor'), ('guest', 'reader')) g (person, role);
insert into storage.objects (bucket_id, name, metadata)
  select 'documents', md5('library')::uuid || '/' || md5('Form')::uuid || '/' || name, '{"size": 3, "mimetype": "text/plain"}'
  from unnest(array['1', '2']) name;

create function pg_temp.write(person text, body text, title text default 'Note') returns text
  language sql
as $$
  select pg_temp.by(person, format('(public.save_note(%L, %L, %L)).number', md5(title)::uuid, body,
    (select coalesce(d.proposed_version_id, d.current_version_id) from public.documents d where d.id = md5(write.title)::uuid)))
$$;
create function pg_temp.proposed(title text default 'Note') returns uuid
  language sql
as $$ select d.proposed_version_id from public.documents d where d.id = md5(proposed.title)::uuid $$;
create function pg_temp.approve(person text, title text default 'Note') returns text
  language sql
as $$ select pg_temp.done(person, format('update public.versions set is_published = true where id = %L', pg_temp.proposed(title))) $$;
create function pg_temp.send_back(person text, words text, title text default 'Note') returns text
  language sql
as $$ select pg_temp.done(person, format('update public.versions set returned_words = %L where id = %L', words, pg_temp.proposed(title))) $$;
/* The texts of the note that a person can read, current one first. */
create function pg_temp.read(person text) returns text
  language sql
as $$
  select pg_temp.by(person, format('concat_ws('' '', (select v.body from public.versions v join public.documents d on d.current_version_id = v.id
    where d.id = %1$L), ''|'', (select string_agg(v.body, '' '' order by v.number) from public.versions v where v.document_id = %1$L))', md5('Note')::uuid))
$$;
create function pg_temp.told(kind text) returns text
  language sql
as $$
  select string_agg(p.display_name || coalesce(' by ' || a.display_name, ''), ', ' order by p.display_name)
  from public.notifications n join public.profiles p on p.id = n.user_id left join public.profiles a on a.id = n.actor_id
  where n.kind = told.kind::public.notification_kind and n.read_at is null
$$;
create function pg_temp.logged() returns text
  language sql
as $$
  select string_agg(p.display_name || ' ' || a.verb, ', ' order by a.id)
  from public.activity a left join public.profiles p on p.id = a.actor_id where a.verb ~ '^(change\.|document\.revised)'
$$;

-- Requiring approval
create function pg_temp.need(person text, approvers text[], collection text default 'Handbook') returns text
  language sql
as $$
  select pg_temp.done(person, format('insert into public.collection_approvals (collection_id, library_id, approver_ids) values (%L, %L, %L)
    on conflict (collection_id) do update set approver_ids = excluded.approver_ids', md5(collection)::uuid, md5('library')::uuid,
    array(select md5(name)::uuid from unnest(approvers) name)))
$$;
select extensions.matches(pg_temp.need(person, '{approver}'), '^(42501|23514)', person || ' cannot require approval')
  from unnest(array['approver', 'editor', 'reader', 'helper', 'guest', 'stranger']) person;
select extensions.matches(pg_temp.need('owner', array[person]), '^23514 Only people who can edit the', person || ' cannot be an approver without edit access')
  from unnest(array['reader', 'helper', 'guest', 'stranger']) person;
select extensions.is(pg_temp.need('owner', '{approver}'), '1', 'an owner names an approver');
select extensions.is(pg_temp.need('owner', '{helper}', 'Chapter'), '1', 'a guest with edit access can be an approver');
select extensions.is(pg_temp.by(person, 'count(*) from public.collection_approvals'), count, person || ' sees approvers: ' || count)
  from (values ('reader', '2'), ('editor', '2'), ('helper', '2'), ('guest', '2'), ('stranger', '0')) p (person, count);
delete from public.collection_approvals where collection_id = md5('Chapter')::uuid;

-- A new document isn't a change
select extensions.is(pg_temp.by('editor', format('(public.add_note(%L, null, ''# First'', %L, %L, %L)).title',
  md5('library')::uuid, md5('Chapter')::uuid, md5('Note')::uuid, md5('v1')::uuid)), 'First', 'a new note is published immediately');
select extensions.is(pg_temp.by('editor', format('(public.add_file(%1$L, %2$L, %1$L || ''/'' || %2$L || ''/1'', ''a.txt'', null, %3$L)).content_hash is null',
  md5('library')::uuid, md5('Form')::uuid, md5('Chapter')::uuid)), 'true', 'a new file is published immediately');

-- A waiting change
select extensions.is(pg_temp.write('editor', '# Second'), '2', 'an editor changes a note');
select extensions.is(pg_temp.read(person), seen, person || ' reads until the change is approved: ' || seen)
  from (values ('owner', '# First | # First # Second'), ('approver', '# First | # First # Second'), ('editor', '# First | # First # Second'),
    ('helper', '# First | # First # Second'), ('reader', '# First | # First'), ('guest', '# First | # First'), ('stranger', '|')) r (person, seen);
select extensions.is((select title from public.documents where id = md5('Note')::uuid), 'First', 'the title does not follow a waiting change');
select extensions.is((select count(*)::integer from private.indexing_runs r join public.versions v on v.id = pg_temp.proposed()
  join public.documents d on d.id = r.document_id and d.current_version_id = v.id), 0, 'a waiting change is not indexed');
select extensions.is(pg_temp.told('proposal'), 'approver by editor', 'the approver is notified');
select extensions.is(pg_temp.by('approver', format('string_agg(d.title, '','') from public.shelf_page(%L, ''{"state": "proposed"}'') p
  join public.documents d on d.id = p.document_id', md5('library')::uuid)), 'First', 'the approver finds waiting changes on the shelf');
select extensions.is(pg_temp.by('approver', format('public.document_facets(%L) -> ''proposed''', md5('library')::uuid)), 'true', 'the facets include waiting changes');
select extensions.is(pg_temp.by('reader', format('public.read_note_state(%L) ->> ''state'' is null', md5('Note')::uuid)), 'true', 'readers cannot see the history of a waiting change');
select extensions.matches(pg_temp.by('editor', format('public.save_note(%L, ''Third'', %L)', md5('Note')::uuid, md5('v1')::uuid)), '^PT409',
  'a change based on an older version is rejected');
select extensions.is(pg_temp.write('approver', '# Third'), '3', 'a change by an approver waits, too');
select extensions.is(pg_temp.told('proposal'), 'approver by editor', 'continuing a change does not notify again');
select extensions.is((select string_agg(p.display_name, ' ' order by 1) from public.versions v join public.profiles p on p.id = any (v.writers)
  where v.id = pg_temp.proposed()), 'approver editor', 'all authors of the change are recorded');

-- Deciding
select extensions.matches(pg_temp.approve(person), '^(0|42501 .*)$', person || ' cannot approve the change')
  from unnest(array['editor', 'reader', 'helper', 'guest', 'stranger']) person;
select extensions.matches(pg_temp.send_back(person, 'No.'), '^(0|42501 .*)$', person || ' cannot return the change')
  from unnest(array['editor', 'reader', 'helper', 'guest', 'stranger']) person;
select extensions.is(pg_temp.done('approver', 'update public.versions set is_published = true where number = 2'), '0', 'an older change cannot be approved');
select extensions.is(pg_temp.done('editor', 'update public.versions set is_published = false, cover_path = ''x'' where number = 1'),
  '42501 You can’t decide about this change, or someone already has.', 'a published version cannot be unpublished');
select extensions.matches(pg_temp.done('editor', format('update public.documents set proposed_version_id = %L where id = %L', md5('v1')::uuid, md5('Note')::uuid)),
  '^42501', 'a published version cannot be proposed');
select extensions.matches(pg_temp.send_back('approver', repeat(' ', 9)), '^23514', 'returning a change needs a reason');
select extensions.is(pg_temp.send_back('approver', 'Please name the source.'), '1', 'the approver returns the change');
select extensions.is(pg_temp.told('returned'), 'editor by approver', 'the author is notified of the return');
select extensions.is(pg_temp.told('proposal'), null, 'the approver has no pending notification');
select extensions.is(pg_temp.write('editor', '# Fourth'), '4', 'the author continues the change');
select extensions.is(pg_temp.told('proposal'), 'approver', 'the approver is notified of a change with two authors');
select extensions.is(pg_temp.approve('approver'), '1', 'the approver accepts the change');
select extensions.is(pg_temp.read('reader'), '# Fourth | # First # Fourth', 'readers see the published text, without the versions in between');
select extensions.is((select title || ' ' || (content_hash = encode(sha256('# Fourth'), 'hex')) from public.documents where id = md5('Note')::uuid), 'Fourth true', 'title and hash follow the approved change');
select extensions.is(pg_temp.told('approved'), 'editor by approver', 'the author is notified of the approval');
select extensions.is(pg_temp.logged(), 'editor change.proposed, approver change.returned, editor change.proposed, approver document.revised', 'the change is logged with each person');
select extensions.is((select subject -> 'writers' || jsonb_build_array(subject -> 'version_from', subject -> 'version') from public.activity where verb = 'document.revised'),
  '["approver", "editor", 1, 4]', 'the log has the authors and the versions to compare');
select extensions.is(pg_temp.by(person, 'count(*) from public.activity where verb ~ ''^change''')::integer, seen, person || ' sees ' || seen || ' entries about waiting changes')
  from (values ('editor', 3), ('reader', 0), ('guest', 0)) p (person, seen);

-- Several writers
select pg_temp.by('editor', format('public.start_note_state(%L, %L, 1, ''AAA='', (select current_version_id from public.documents where id = %1$L))', md5('Note')::uuid, md5('history')::uuid));
select extensions.is(pg_temp.by('editor', format('(public.save_note_state(%L, %L, ''# Fifth'', (select current_version_id from public.documents where id = %1$L), ''AAA='', 0)).is_published',
  md5('Note')::uuid, md5('history')::uuid)), 'false', 'a version by several authors waits');
select extensions.is(pg_temp.by('helper', format('(public.save_note_state(%L, %L, ''# Sixth'', %L, ''AAA='', 0)).number', md5('Note')::uuid, md5('history')::uuid,
  pg_temp.proposed())), '6', 'the next version is based on the waiting one');
select extensions.is(pg_temp.done('editor', 'update public.documents set proposed_version_id = null'), '2', 'an author withdraws the change');
select extensions.is((select (public.read_note_state(id) ->> 'current_version')::uuid = current_version_id from public.documents where id = md5('Note')::uuid), true,
  'authors continue from the published version');
select extensions.is((select string_agg(verb, ' ' order by id) from public.activity where verb ~ 'withdrawn'), 'change.withdrawn', 'the withdrawal is logged');

-- Files, and no approver left
select extensions.is(pg_temp.by('editor', format('(public.add_file(%1$L, %2$L, %1$L || ''/'' || %2$L || ''/2'', ''b.txt'')).size_bytes', md5('library')::uuid, md5('Form')::uuid)), '3', 'a new version of a file is stored');
select extensions.is(pg_temp.by(person, 'count(*) from public.versions where file_name = ''b.txt'''), seen, person || ' sees the waiting file: ' || seen)
  from (values ('editor', '1'), ('reader', '0'), ('guest', '0')) p (person, seen);
select extensions.is(pg_temp.by('reader', 'count(*) from storage.objects where name like ''%/2'''), '0', 'the stored file is hidden from readers');
update public.members set role = 'reader' where user_id = md5('approver')::uuid;
select extensions.matches(pg_temp.approve('approver', 'Form'), '^(0|42501 .*)$', 'an approver without edit access cannot approve');
select extensions.is(pg_temp.approve('owner', 'Form'), '1', 'an owner can always approve');
select extensions.is(pg_temp.write('editor', '# Seventh'), '7', 'an editor changes a note without an approver left');
select extensions.is(pg_temp.told('proposal'), 'owner by editor', 'owners are notified instead');

-- A new note is empty: its text is a change
select pg_temp.by('editor', format('public.add_note(%L, null, '''', %L, %L)', md5('library')::uuid, md5('Chapter')::uuid, md5('New')::uuid));
select extensions.is(pg_temp.write('editor', '# Begun @[reader](' || md5('reader')::uuid || ')', 'New'), '2', 'the first text of a new note waits');
update public.documents set created_at = now() - interval '2 days', updated_at = now() - interval '2 days' where id = md5('New')::uuid;
select private.purge_blank_notes();
select extensions.is(pg_temp.proposed('New') is not null, true, 'a note with a waiting text is not discarded as blank');
select extensions.is(pg_temp.done('editor', format('delete from public.documents where id = %L', md5('New')::uuid)), '0', 'its author cannot delete it');
select extensions.is(pg_temp.told('mention'), null, 'a mention in a waiting text does not notify');
select extensions.is(pg_temp.approve('owner', 'New'), '1', 'the text is approved');
select extensions.is(pg_temp.told('mention'), 'reader by editor', 'the mentioned person is notified with the author');
select extensions.is((select verb from public.activity where document_id = md5('New')::uuid order by id desc limit 1), 'document.added', 'the note is logged as added');

-- Pictures, links and keys
insert into storage.objects (bucket_id, name) select 'pictures', md5('library')::uuid || '/' || md5('New')::uuid || '/' || md5(name)::uuid || '.png' from unnest(array['old', 'new']) name;
update public.documents set collection_id = null where id = md5('New')::uuid;
select pg_temp.write('editor', '![](pictures/' || md5('old')::uuid || '.png)', 'New');
update public.documents set collection_id = md5('Chapter')::uuid where id = md5('New')::uuid;
select pg_temp.write('editor', '![](pictures/' || md5('new')::uuid || '.png)', 'New');
select extensions.is(pg_temp.by(person, 'count(*) from storage.objects where bucket_id = ''pictures'''), seen, person || ' sees pictures: ' || seen)
  from (values ('editor', '2'), ('reader', '1'), ('guest', '1')) p (person, seen);
create temporary table link as select pg_temp.by('editor', format('public.create_share_link(%L) ->> ''token''', md5('New')::uuid)) as token;
select extensions.is((select body from public.open_share_link((select token from link))), '![](pictures/' || md5('old')::uuid || '.png)', 'a share link shows the published text');
select extensions.is(has_column_privilege('api_key', 'public.versions', 'is_published', 'update')
  or has_table_privilege('api_key', 'public.collection_approvals', 'select, insert, update, delete'), false, 'an API key cannot approve');
select extensions.is(pg_temp.done('editor', format('update public.documents set proposed_version_id = null where id = %L', md5('New')::uuid)), '1', 'the change is withdrawn');

-- Ways around approval
select extensions.matches(pg_temp.done('editor', format('update public.documents set collection_id = %s where id = %L', place, md5('Note')::uuid)), '^42501 Changes to “', 'a document cannot be moved out of the collection')
  from unnest(array['null', quote_literal(md5('Free')::uuid)]) place;
select extensions.matches(pg_temp.done('editor', format('update public.documents set %I = ''Unapproved'' where id = %L', field, md5('Note')::uuid)), '^42501 Changes to “', field || ' cannot be changed without approval')
  from unnest(array['title', 'summary']) field;
select extensions.is(pg_temp.done('owner', format('update public.documents set summary = ''Approved'' where id = %L', md5('Note')::uuid)), '1', 'an approver changes the summary');
select extensions.matches(pg_temp.done('editor', format('update public.collections set parent_id = null where id = %L', md5('Chapter')::uuid)), '^42501 Changes in', 'a nested collection cannot be moved out');
select extensions.matches(pg_temp.done('editor', format('delete from public.collections where id = %L', md5(name)::uuid)), '^42501 Changes in', name || ' cannot be deleted')
  from unnest(array['Handbook', 'Chapter']) name;
select extensions.is(pg_temp.done('editor', format('delete from public.collection_approvals')), '0', 'only owners end the requirement');
select extensions.is(pg_temp.done('owner', format('delete from public.collection_approvals')), '1', 'an owner ends the requirement');
select extensions.is(pg_temp.approve('editor'), '1', 'editors can then publish waiting changes');
select extensions.is(pg_temp.write('editor', '# Eighth') || ' ' || pg_temp.read('reader'), '8 # Eighth | # First # Fourth # Seventh # Eighth', 'changes are then published immediately');

select * from extensions.finish();
rollback;
