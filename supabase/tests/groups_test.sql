-- Groups: who manages them, access to collections granted to them, how it ends, and mentions
begin;
\ir helpers.psql
select plan(81);


select pg_temp.add_people('owner', 'editor', 'reader', 'guest', 'helper', 'single', 'stranger');
insert into public.libraries (id, name) values (md5('library')::uuid, 'Lab'), (md5('other')::uuid, 'Other');
insert into public.members (library_id, user_id, role) select md5(library)::uuid, md5(person)::uuid, role::public.member_role
  from (values ('library', 'owner', 'owner'), ('library', 'editor', 'editor'), ('library', 'reader', 'reader'), ('library', 'guest', 'guest'),
    ('library', 'helper', 'guest'), ('library', 'single', 'guest'), ('other', 'stranger', 'owner')) m (library, person, role);
insert into public.collections (id, library_id, parent_id, name) values
  (md5('outer')::uuid, md5('library')::uuid, null, 'Outer'), (md5('inner')::uuid, md5('library')::uuid, md5('outer')::uuid, 'Inner'),
  (md5('beside')::uuid, md5('library')::uuid, null, 'Beside'), (md5('foreign')::uuid, md5('other')::uuid, null, 'Foreign');
insert into public.collection_grants (library_id, collection_id, user_id, role)
  values (md5('library')::uuid, md5('beside')::uuid, md5('single')::uuid, 'reader');
insert into public.documents (id, library_id, collection_id, kind, title, created_by)
  select md5(title)::uuid, md5('library')::uuid, md5(place)::uuid, 'note', title, md5('owner')::uuid
  from (values ('Within', 'inner'), ('Apart', 'beside')) d (title, place);
insert into public.versions (library_id, document_id, body, mime_type, size_bytes, created_by)
  select library_id, id, 'quinces', '', 0, created_by from public.documents where library_id = md5('library')::uuid;

-- Managing groups
create function pg_temp.make(person text, name text, library text default 'library') returns text
  language sql
as $$
  select pg_temp.done(person, format('insert into public.groups (id, library_id, name) values (%L, %L, %L)', md5(name)::uuid, md5(library)::uuid, name))
$$;
create function pg_temp.add(person text, to_group text, who text) returns text
  language sql
as $$
  select pg_temp.done(person, format('insert into public.group_members (library_id, group_id, user_id) values (%L, %L, %L)',
    md5('library')::uuid, md5(to_group)::uuid, md5(who)::uuid))
$$;
create function pg_temp.grant(person text, collection text, to_group text, role text default 'reader') returns text
  language sql
as $$
  select pg_temp.done(person, format('insert into public.group_grants (library_id, collection_id, group_id, role) values (%L, %L, %L, %L)
    on conflict (group_id, collection_id) do update set role = excluded.role', md5('library')::uuid, md5(collection)::uuid, md5(to_group)::uuid, role))
$$;
select extensions.is(pg_temp.make('owner', 'Team'), '1', 'an owner creates a group');
select extensions.matches(pg_temp.make(person, 'X'), '^42501', 'not: ' || person) from unnest(array['editor', 'reader', 'guest', 'single', 'stranger']) person;
select extensions.matches(pg_temp.make('owner', ' team '), '^23505', 'two groups do not have one name');
select extensions.matches(pg_temp.make('owner', '  '), '^23514', 'a group has a name');
select extensions.matches(pg_temp.make('owner', repeat('x', 81)), '^23514', 'of at most eighty characters');
select extensions.is(pg_temp.add('owner', 'Team', 'guest'), '1', 'an owner adds a guest');
select extensions.is(pg_temp.add('owner', 'Team', 'reader'), '1', 'and a reader');
select extensions.matches(pg_temp.add('owner', 'Team', 'stranger'), '^23503', 'whoever is no member of the library is in none of its groups');
select extensions.matches(pg_temp.add(person, 'Team', person), '^42501', 'nobody adds themselves: ' || person) from unnest(array['editor', 'helper', 'stranger']) person;
select extensions.matches(pg_temp.grant(person, 'outer', 'Team'), '^42501', 'not granted by: ' || person) from unnest(array['editor', 'reader', 'guest', 'stranger']) person;
select extensions.matches(pg_temp.grant('owner', 'foreign', 'Team'), '^23503', 'a group is granted no collection of another library');
select extensions.matches(pg_temp.grant('owner', 'outer', 'Team', 'owner'), '^23514', 'a grant makes nobody an owner');
select extensions.is(pg_temp.done(person, 'delete from public.groups'), '0', 'not deleted by: ' || person) from unnest(array['editor', 'guest', 'stranger']) person;
select extensions.is(pg_temp.done('reader', 'delete from public.group_members'), '0', 'nobody but an owner removes from a group');

-- Seeing groups
select extensions.is(pg_temp.by(person, '(select count(*) from public.groups) || '' '' || (select count(*) from public.group_members)'), expected, person || ' sees groups and their members: ' || expected)
  from (values ('editor', '1 2'), ('reader', '1 2'), ('guest', '1 1'), ('single', '0 0'), ('stranger', '0 0')) as p (person, expected);

-- Access to a granted collection
select extensions.is(pg_temp.by('guest', 'count(*) from public.documents'), '0', 'a group alone opens nothing');
select extensions.is(pg_temp.grant('owner', 'outer', 'Team'), '1', 'an owner grants a group a collection');
create function pg_temp.seen(person text, aal text default 'aal1') returns text
  language sql
as $$
  select pg_temp.by(person, $q$concat_ws(' ', (select count(*) from public.collections), (select count(*) from public.documents),
    (select count(*) from public.versions), (select count(*) from public.comments)) $q$, aal)
$$;
insert into public.comments (library_id, document_id, body, created_by)
  select library_id, id, 'Nice', md5('owner')::uuid from public.documents where title = 'Within';
select extensions.is(pg_temp.seen('guest'), '2 1 1 1', 'a guest sees the collection, those in it, and their documents, versions and comments');
create temporary table stored as select public.replace_passages(current_version_id, '[{"start": 0, "end": 7, "content": "quinces"}]') from public.documents where title = 'Within';
select extensions.is(pg_temp.by(person, format('count(*) from public.search_passages(%L, ''quinces'')', md5('library')::uuid)), expected, 'the search finds it for ' || person || ': ' || expected)
  from (values ('guest', '1'), ('helper', '0')) as p (person, expected);
select extensions.is((select count(*)::integer from realtime.messages where topic = 'user:' || md5('guest')::uuid and event = 'access' and private
  and payload ->> 'library_id' = md5('library')::uuid::text), 2, 'their own channel tells a guest of the group and of its grant');
select extensions.is(pg_temp.seen('helper'), '0 0 0 0', 'a guest who is not in the group sees none');
select extensions.is(pg_temp.seen('single'), '1 1 1 0', 'a grant of a person''s own is as before');
select extensions.matches(pg_temp.done('guest', $$insert into public.comments (library_id, document_id, body) select library_id, id, 'Thanks' from public.documents where title = 'Within'$$),
  '^1$', 'a guest comments there');
select extensions.is(pg_temp.done('guest', $$update public.documents set title = 'X'$$), '0', 'whose group reads changes nothing');
create function pg_temp.note_topic(title text) returns text
  language sql
as $$
  select format('note:%s:%s', d.id, c.epoch) from public.documents d join public.library_channels c on c.library_id = d.library_id
  where d.id = md5(note_topic.title)::uuid
$$;
select extensions.is(pg_temp.by('guest', format('private.may_use_note_channel(%L, true)', pg_temp.note_topic('Within'))), 'false', 'and writes in no note');
create function pg_temp.upload(person text) returns text
  language sql
as $$
  select pg_temp.done(person, format('insert into storage.objects (bucket_id, name, owner_id) values (''documents'', %L, %L)',
    md5('library')::uuid || '/' || md5('Within')::uuid || '/' || person, md5(person)::uuid))
$$;
select extensions.matches(pg_temp.upload('guest'), '^42501', 'and uploads nothing');
select extensions.is(pg_temp.grant('owner', 'outer', 'Team', 'editor'), '1', 'the grant becomes one to change');
select extensions.is(pg_temp.done('guest', $$update public.documents set title = title || '!'$$), '1', 'then the guest changes documents there');
select extensions.is(pg_temp.done('reader', $$update public.documents set title = 'Within'$$), '1', 'a reader, too, and those alone');
select extensions.is(pg_temp.by('guest', format('private.may_use_note_channel(%L, true)', pg_temp.note_topic('Within'))), 'true', 'and writes in the notes');
select extensions.is(pg_temp.by('guest', format('private.may_use_note_channel(%L, true)', pg_temp.note_topic('Apart'))), 'false', 'of that collection only');
select extensions.is(pg_temp.upload('guest'), '1', 'and uploads files');
select extensions.matches(pg_temp.done('guest', format('insert into public.documents (library_id, collection_id, kind, title) values (%L, %L, ''note'', ''N'')',
  md5('library')::uuid, md5('beside')::uuid)), '^42501', 'and adds nothing elsewhere');
select extensions.is(
  (select string_agg(concat_ws(' ', display_name, role, through, group_name), ', ' order by display_name) from public.document_audience(md5('Within')::uuid)),
  'editor editor, guest editor Outer Team, owner owner, reader editor Outer Team', 'who can see a document names the group');
select extensions.is(pg_temp.by('guest', format('string_agg(display_name || '' '' || group_name, '', '') from public.document_audience(%L)', md5('Within')::uuid)),
  'guest Team', 'a guest learns of themselves');
select extensions.matches(pg_temp.done('editor', format('update public.collections set parent_id = %L where name = ''Beside''', md5('outer')::uuid)),
  '^42501 Only an owner can move a', 'an editor moves no collection to where a group sees it');

-- Second factor
update public.libraries set require_second_factor = true where name = 'Lab';
select extensions.is(pg_temp.seen('guest'), '0 0 0 0', 'a group opens no library that requires a second factor');
select extensions.is(pg_temp.seen('guest', 'aal2'), '2 1 1 2', 'until it was given');
update public.libraries set require_second_factor = false where name = 'Lab';

-- Mentions
insert into public.comments (id, library_id, document_id, body, created_by)
  values (md5('call')::uuid, md5('library')::uuid, md5('Within')::uuid, format('@[Team](%s) @[guest](%s)', md5('Team')::uuid, md5('guest')::uuid), md5('reader')::uuid);
create function pg_temp.told(document text) returns text
  language sql
as $$
  select string_agg(p.display_name, ', ' order by p.display_name) from public.notifications n join public.profiles p on p.id = n.user_id
  where n.document_id = md5(document)::uuid and n.kind = 'mention'
$$;
select extensions.is(pg_temp.told('Within'), 'guest', 'a comment tells each member of a group once, except its author');
insert into public.versions (library_id, document_id, body, mime_type, size_bytes, created_by)
  values (md5('library')::uuid, md5('Apart')::uuid, format('For @[Team](%s)', md5('Team')::uuid), '', 0, md5('owner')::uuid);
select extensions.is(pg_temp.told('Apart'), 'guest, reader', 'so does a note');
select extensions.is(pg_temp.by('guest', $$count(*) from public.notifications where document_id = md5('Apart')::uuid$$), '0', 'who may not see it is not told');
select extensions.is(pg_temp.by('reader', $$count(*) from public.notifications where document_id = md5('Apart')::uuid$$), '1', 'who may see it is');
insert into public.documents (id, library_id, kind, title) values (md5('Abroad')::uuid, md5('other')::uuid, 'note', 'Abroad');
insert into public.comments (library_id, document_id, body, created_by)
  values (md5('other')::uuid, md5('Abroad')::uuid, format('@[Team](%s)', md5('Team')::uuid), md5('stranger')::uuid);
select extensions.is(pg_temp.told('Abroad'), null, 'a group is told of nothing in another library');

-- Saving groups and grants
select extensions.matches(pg_temp.by(person, format('public.save_group(%L, ''X'')', md5('library')::uuid)), '^42501 Only an owner', 'not for: ' || person)
  from unnest(array['editor', 'guest', 'stranger']) person;
select extensions.is(pg_temp.by('owner', format('(public.save_group(%L, '' Second '', added => %L)).name', md5('library')::uuid, array[md5('single')::uuid, md5('stranger')::uuid])),
  'Second', 'a group comes with its members');
select extensions.is(pg_temp.by('owner', format('(public.save_group(%L, ''Second'', ''For papers'', %L, removed => %L)).description', md5('library')::uuid,
  (select id from public.groups where name = 'Second'), array[md5('single')::uuid])), 'For papers', 'and changes with them');
select extensions.is((select count(*)::integer from public.group_members m join public.groups g on g.id = m.group_id where g.name = 'Second'), 0,
  'whoever is no member of the library is not added, and who is removed is gone');
select extensions.matches(pg_temp.by('owner', format('public.save_group(%L, ''Team'')', md5('library')::uuid)), '^23505 Two groups in a', 'the refusal says what is wrong');
select extensions.matches(pg_temp.by('owner', format('public.save_group(%L, '' '')', md5('library')::uuid)), '^23514 A group needs a name of 1 to', 'with any of the values');
create function pg_temp.open(person text, role text, grantee text) returns text
  language sql
as $$
  select pg_temp.by(person, format('public.grant_collection(%L, %L, %s => %L)', md5('beside')::uuid, role,
    case when grantee = 'Second' then 'to_group' else 'person' end, coalesce((select id from public.groups where name = grantee), md5(grantee)::uuid)))
$$;
select extensions.matches(pg_temp.open(person, 'reader', 'Second'), '^(42501|23503)', 'not granted by: ' || person) from unnest(array['editor', 'guest', 'stranger']) person;
select pg_temp.open('owner', 'reader', 'Second'), pg_temp.open('owner', 'reader', 'helper');
select extensions.is(pg_temp.open('owner', 'editor', 'Second') || pg_temp.open('owner', 'editor', 'helper'), '', 'a collection is granted to a group and to a person, and again with another role');
select extensions.is((select string_agg(role::text, ' ') from (select role from public.group_grants where collection_id = md5('beside')::uuid
  union all select role from public.collection_grants where user_id = md5('helper')::uuid) g), 'editor editor', 'which is the last one');
select extensions.matches(pg_temp.by('owner', format('public.grant_collection(%L, ''reader'')', md5('beside')::uuid)), '^22023', 'to whom must be said');
delete from public.groups where name = 'Second';
delete from public.collection_grants where user_id = md5('helper')::uuid;

-- Loss of access
select extensions.is((select string_agg(verb || ' ' || coalesce(subject ->> 'group', '') || coalesce(' ' || (subject -> 'names' ->> 0), ''), ', ' order by id) from public.activity where verb ~ '^(group|grant)\.' and subject ->> 'group' = 'Team'),
  'group.created Team, group.member_added Team guest, group.member_added Team reader, grant.given Team, grant.given Team', 'the activity has it');
select extensions.is(pg_temp.by('editor', $$count(*) from public.activity where verb ~ '^grant\.'$$), '0', 'what was granted is the owners'' to know');
select extensions.is(pg_temp.done('owner', $$delete from public.group_members where user_id = md5('guest')::uuid$$), '1', 'an owner removes from a group');
select extensions.is(pg_temp.seen('guest'), '0 0 0 0', 'who is not in it any more sees nothing');
select pg_temp.add('owner', 'Team', 'guest');
select pg_temp.done('owner', $$delete from public.members where user_id = md5('guest')::uuid$$);
select extensions.is((select count(*)::integer from public.group_members where user_id = md5('guest')::uuid), 0, 'who is removed from the library is in no group of it');
select pg_temp.add('owner', 'Team', 'helper');
select extensions.is(pg_temp.seen('helper'), '2 1 1 3', 'another guest comes into the group');
select extensions.is(pg_temp.done('owner', 'delete from public.groups'), '1', 'an owner deletes the group');
select extensions.is(pg_temp.seen('helper'), '0 0 0 0', 'and what it opened is closed');

select * from extensions.finish();
rollback;
