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
select extensions.matches(pg_temp.make(person, 'X'), '^42501', person || ' cannot create a group') from unnest(array['editor', 'reader', 'guest', 'single', 'stranger']) person;
select extensions.matches(pg_temp.make('owner', ' team '), '^23505', 'group names are unique');
select extensions.matches(pg_temp.make('owner', '  '), '^23514', 'a group needs a name');
select extensions.matches(pg_temp.make('owner', repeat('x', 81)), '^23514', 'a group name has at most eighty characters');
select extensions.is(pg_temp.add('owner', 'Team', 'guest'), '1', 'an owner adds a guest');
select extensions.is(pg_temp.add('owner', 'Team', 'reader'), '1', 'an owner adds a reader');
select extensions.matches(pg_temp.add('owner', 'Team', 'stranger'), '^23503', 'only members of the library can be added to a group');
select extensions.matches(pg_temp.add(person, 'Team', person), '^42501', person || ' cannot add themselves') from unnest(array['editor', 'helper', 'stranger']) person;
select extensions.matches(pg_temp.grant(person, 'outer', 'Team'), '^42501', person || ' cannot grant a collection') from unnest(array['editor', 'reader', 'guest', 'stranger']) person;
select extensions.matches(pg_temp.grant('owner', 'foreign', 'Team'), '^23503', 'a group cannot get a collection of another library');
select extensions.matches(pg_temp.grant('owner', 'outer', 'Team', 'owner'), '^23514', 'a grant cannot give the owner role');
select extensions.is(pg_temp.done(person, 'delete from public.groups'), '0', person || ' cannot delete a group') from unnest(array['editor', 'guest', 'stranger']) person;
select extensions.is(pg_temp.done('reader', 'delete from public.group_members'), '0', 'only owners remove people from a group');

-- Seeing groups
select extensions.is(pg_temp.by(person, '(select count(*) from public.groups) || '' '' || (select count(*) from public.group_members)'), expected, person || ' sees groups and members: ' || expected)
  from (values ('editor', '1 2'), ('reader', '1 2'), ('guest', '1 1'), ('single', '0 0'), ('stranger', '0 0')) as p (person, expected);

-- Access to a granted collection
select extensions.is(pg_temp.by('guest', 'count(*) from public.documents'), '0', 'a group without grants gives no access');
select extensions.is(pg_temp.grant('owner', 'outer', 'Team'), '1', 'an owner grants a collection to a group');
create function pg_temp.seen(person text, aal text default 'aal1') returns text
  language sql
as $$
  select pg_temp.by(person, $q$concat_ws(' ', (select count(*) from public.collections), (select count(*) from public.documents),
    (select count(*) from public.versions), (select count(*) from public.comments)) $q$, aal)
$$;
insert into public.comments (library_id, document_id, body, created_by)
  select library_id, id, 'Nice', md5('owner')::uuid from public.documents where title = 'Within';
select extensions.is(pg_temp.seen('guest'), '2 1 1 1', 'a guest sees the collection, nested ones, documents, versions and comments');
create temporary table stored as select public.replace_passages(current_version_id, '[{"start": 0, "end": 7, "content": "quinces"}]') from public.documents where title = 'Within';
select extensions.is(pg_temp.by(person, format('count(*) from public.search_passages(%L, ''quinces'')', md5('library')::uuid)), expected, 'search by ' || person || ' finds: ' || expected)
  from (values ('guest', '1'), ('helper', '0')) as p (person, expected);
select extensions.is((select count(*)::integer from realtime.messages where topic = 'user:' || md5('guest')::uuid and event = 'access' and private
  and payload ->> 'library_id' = md5('library')::uuid::text), 2, 'a guest''s own channel announces the group and its grant');
select extensions.is(pg_temp.seen('helper'), '0 0 0 0', 'a guest outside the group sees nothing');
select extensions.is(pg_temp.seen('single'), '1 1 1 0', 'a personal grant is unchanged');
select extensions.matches(pg_temp.done('guest', $$insert into public.comments (library_id, document_id, body) select library_id, id, 'Thanks' from public.documents where title = 'Within'$$),
  '^1$', 'a guest adds comments there');
select extensions.is(pg_temp.done('guest', $$update public.documents set title = 'X'$$), '0', 'read access of a group does not allow changes');
create function pg_temp.note_topic(title text) returns text
  language sql
as $$
  select format('note:%s:%s', d.id, c.epoch) from public.documents d join public.library_channels c on c.library_id = d.library_id
  where d.id = md5(note_topic.title)::uuid
$$;
select extensions.is(pg_temp.by('guest', format('private.may_use_note_channel(%L, true)', pg_temp.note_topic('Within'))), 'false', 'a guest with read access cannot write notes');
create function pg_temp.upload(person text) returns text
  language sql
as $$
  select pg_temp.done(person, format('insert into storage.objects (bucket_id, name, owner_id) values (''documents'', %L, %L)',
    md5('library')::uuid || '/' || md5('Within')::uuid || '/' || person, md5(person)::uuid))
$$;
select extensions.matches(pg_temp.upload('guest'), '^42501', 'a guest with read access cannot upload files');
select extensions.is(pg_temp.grant('owner', 'outer', 'Team', 'editor'), '1', 'the grant is changed to edit access');
select extensions.is(pg_temp.done('guest', $$update public.documents set title = title || '!'$$), '1', 'a guest with edit access changes documents');
select extensions.is(pg_temp.done('reader', $$update public.documents set title = 'Within'$$), '1', 'a reader in the group changes these documents only');
select extensions.is(pg_temp.by('guest', format('private.may_use_note_channel(%L, true)', pg_temp.note_topic('Within'))), 'true', 'a guest with edit access writes notes');
select extensions.is(pg_temp.by('guest', format('private.may_use_note_channel(%L, true)', pg_temp.note_topic('Apart'))), 'false', 'a guest cannot write notes in other collections');
select extensions.is(pg_temp.upload('guest'), '1', 'a guest with edit access uploads files');
select extensions.matches(pg_temp.done('guest', format('insert into public.documents (library_id, collection_id, kind, title) values (%L, %L, ''note'', ''N'')',
  md5('library')::uuid, md5('beside')::uuid)), '^42501', 'a guest cannot add documents elsewhere');
select extensions.is(
  (select string_agg(concat_ws(' ', display_name, role, through, group_name), ', ' order by display_name) from public.document_audience(md5('Within')::uuid)),
  'editor editor, guest editor Outer Team, owner owner, reader editor Outer Team', 'the audience of a document names the group');
select extensions.is(pg_temp.by('guest', format('string_agg(display_name || '' '' || group_name, '', '') from public.document_audience(%L)', md5('Within')::uuid)),
  'guest Team', 'a guest sees only themselves in the audience');
select extensions.matches(pg_temp.done('editor', format('update public.collections set parent_id = %L where name = ''Beside''', md5('outer')::uuid)),
  '^42501 Only an owner can move a', 'an editor cannot move a collection into a group''s collection');

-- Second factor
update public.libraries set require_second_factor = true where name = 'Lab';
select extensions.is(pg_temp.seen('guest'), '0 0 0 0', 'a group gives no access to a library that requires a second factor');
select extensions.is(pg_temp.seen('guest', 'aal2'), '2 1 1 2', 'a second factor restores the access');
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
select extensions.is(pg_temp.told('Within'), 'guest', 'mentioning a group in a comment notifies each member once, except the author');
insert into public.versions (library_id, document_id, body, mime_type, size_bytes, created_by)
  values (md5('library')::uuid, md5('Apart')::uuid, format('For @[Team](%s)', md5('Team')::uuid), '', 0, md5('owner')::uuid);
select extensions.is(pg_temp.told('Apart'), 'guest, reader', 'mentioning a group in a note notifies its members');
select extensions.is(pg_temp.by('guest', $$count(*) from public.notifications where document_id = md5('Apart')::uuid$$), '0', 'a mention in a hidden document cannot be seen');
select extensions.is(pg_temp.by('reader', $$count(*) from public.notifications where document_id = md5('Apart')::uuid$$), '1', 'a mention in a visible document can be seen');
insert into public.documents (id, library_id, kind, title) values (md5('Abroad')::uuid, md5('other')::uuid, 'note', 'Abroad');
insert into public.comments (library_id, document_id, body, created_by)
  values (md5('other')::uuid, md5('Abroad')::uuid, format('@[Team](%s)', md5('Team')::uuid), md5('stranger')::uuid);
select extensions.is(pg_temp.told('Abroad'), null, 'a group is not notified in another library');

-- Saving groups and grants
select extensions.matches(pg_temp.by(person, format('public.save_group(%L, ''X'')', md5('library')::uuid)), '^42501 Only an owner', person || ' cannot save a group')
  from unnest(array['editor', 'guest', 'stranger']) person;
select extensions.is(pg_temp.by('owner', format('(public.save_group(%L, '' Second '', added => %L)).name', md5('library')::uuid, array[md5('single')::uuid, md5('stranger')::uuid])),
  'Second', 'a group is created with its members');
select extensions.is(pg_temp.by('owner', format('(public.save_group(%L, ''Second'', ''For papers'', %L, removed => %L)).description', md5('library')::uuid,
  (select id from public.groups where name = 'Second'), array[md5('single')::uuid])), 'For papers', 'a group is changed with its members');
select extensions.is((select count(*)::integer from public.group_members m join public.groups g on g.id = m.group_id where g.name = 'Second'), 0,
  'strangers are not added, and removed members are gone');
select extensions.matches(pg_temp.by('owner', format('public.save_group(%L, ''Team'')', md5('library')::uuid)), '^23505 Two groups in a', 'a taken group name is rejected');
select extensions.matches(pg_temp.by('owner', format('public.save_group(%L, '' '')', md5('library')::uuid)), '^23514 A group needs a name of 1 to', 'an empty group name is rejected');
create function pg_temp.open(person text, role text, grantee text) returns text
  language sql
as $$
  select pg_temp.by(person, format('public.grant_collection(%L, %L, %s => %L)', md5('beside')::uuid, role,
    case when grantee = 'Second' then 'to_group' else 'person' end, coalesce((select id from public.groups where name = grantee), md5(grantee)::uuid)))
$$;
select extensions.matches(pg_temp.open(person, 'reader', 'Second'), '^(42501|23503)', person || ' cannot grant a collection') from unnest(array['editor', 'guest', 'stranger']) person;
select pg_temp.open('owner', 'reader', 'Second'), pg_temp.open('owner', 'reader', 'helper');
select extensions.is(pg_temp.open('owner', 'editor', 'Second') || pg_temp.open('owner', 'editor', 'helper'), '', 'a collection is granted to a group and a person, and again with another role');
select extensions.is((select string_agg(role::text, ' ') from (select role from public.group_grants where collection_id = md5('beside')::uuid
  union all select role from public.collection_grants where user_id = md5('helper')::uuid) g), 'editor editor', 'the last role counts');
select extensions.matches(pg_temp.by('owner', format('public.grant_collection(%L, ''reader'')', md5('beside')::uuid)), '^22023', 'a grant needs a group or a person');
delete from public.groups where name = 'Second';
delete from public.collection_grants where user_id = md5('helper')::uuid;

-- Loss of access
select extensions.is((select string_agg(verb || ' ' || coalesce(subject ->> 'group', '') || coalesce(' ' || (subject -> 'names' ->> 0), ''), ', ' order by id) from public.activity where verb ~ '^(group|grant)\.' and subject ->> 'group' = 'Team'),
  'group.created Team, group.member_added Team guest, group.member_added Team reader, grant.given Team, grant.given Team', 'changes of groups and grants are logged');
select extensions.is(pg_temp.by('editor', $$count(*) from public.activity where verb ~ '^grant\.'$$), '0', 'only owners see grants in the log');
select extensions.is(pg_temp.done('owner', $$delete from public.group_members where user_id = md5('guest')::uuid$$), '1', 'an owner removes a guest from a group');
select extensions.is(pg_temp.seen('guest'), '0 0 0 0', 'a removed guest sees nothing');
select pg_temp.add('owner', 'Team', 'guest');
select pg_temp.done('owner', $$delete from public.members where user_id = md5('guest')::uuid$$);
select extensions.is((select count(*)::integer from public.group_members where user_id = md5('guest')::uuid), 0, 'removing a member from the library removes them from its groups');
select pg_temp.add('owner', 'Team', 'helper');
select extensions.is(pg_temp.seen('helper'), '2 1 1 3', 'another guest is added to the group');
select extensions.is(pg_temp.done('owner', 'delete from public.groups'), '1', 'an owner deletes the group');
select extensions.is(pg_temp.seen('helper'), '0 0 0 0', 'deleting the group ends its access');

select * from extensions.finish();
rollback;
