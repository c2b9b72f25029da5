-- Hostile values in writable columns: times, endless texts, invalid numbers, other people's paths, and moves that let a guest see more.
-- Each command runs as every person who can write the column.
begin;
\ir helpers.psql
select plan(550);


create function pg_temp.for_each(people text[], command text, expected text, description text) returns setof text
  language sql
as $$
  select extensions.matches(pg_temp.done(person, command), expected, person || ': ' || description) from unnest(people) person
$$;

select pg_temp.add_people('owner', 'editor', 'reader', 'helper', 'guest', 'outsider');
create temporary table ids as select md5('library')::uuid as library, md5('granted')::uuid as granted, md5('inner')::uuid as inside,
  md5('closed')::uuid as closed, md5('note')::uuid as note, md5('link')::uuid as link;
grant select on ids to authenticated;
insert into public.libraries (id, name) select library, 'A' from ids;
insert into public.members (library_id, user_id, role) select library, md5(person)::uuid, role::public.member_role
  from ids, (values ('owner', 'owner'), ('editor', 'editor'), ('reader', 'reader'), ('helper', 'guest'), ('guest', 'guest')) as m (person, role);
insert into public.collections (id, library_id, parent_id, name) select granted, library, null::uuid, 'Granted' from ids
  union all select inside, library, granted, 'Inside' from ids union all select closed, library, null, 'Closed' from ids;
insert into public.collection_grants (library_id, collection_id, user_id, role)
  select library, granted, md5('helper')::uuid, 'editor'::public.member_role from ids
  union all select library, granted, md5('guest')::uuid, 'reader' from ids;
insert into public.documents (id, library_id, collection_id, kind, title) select note, library, granted, 'note', 'Note' from ids;
insert into public.versions (library_id, document_id, body, mime_type, size_bytes) select library, note, 'Words.', '', 0 from ids;
insert into public.comments (id, library_id, document_id, body, created_by)
  select md5(person)::uuid, library, note, 'Mine', md5(person)::uuid from ids, unnest(array['owner', 'editor', 'reader', 'helper', 'guest']) person;
insert into public.notifications (kind, comment_id, library_id, document_id, user_id)
  select 'mention', md5('owner')::uuid, library, note, md5('reader')::uuid from ids;
insert into public.share_links (id, library_id, document_id, token_hash) select md5('share')::uuid, library, note, 'hash' from ids;

-- Times: only the database's clock counts.
select pg_temp.for_each(array['owner', 'editor', 'helper'],
  format('with gone as (update public.documents set deleted_at = %L where id = (select note from ids) returning deleted_at)
    select 1 / (deleted_at = now())::integer from gone', said), '^1$', 'a document goes into the trash now, not at ' || said)
  from unnest(array['2000-01-01', '-infinity', 'infinity']) said;
select pg_temp.for_each(array['editor', 'helper'], format('update public.documents set deleted_at = %L', said), '^1$',
  'the deletion time cannot be changed to ' || said) from unnest(array['2000-01-01', '-infinity']) said;
select extensions.is((select deleted_at from public.documents where title = 'Note'), now(), 'the deletion time is unchanged');
select extensions.is(public.purge_trash(), 0, 'the purge deletes nothing');
select pg_temp.for_each(array['reader', 'guest', 'outsider'], 'update public.documents set deleted_at = now()', '^0$',
  'documents cannot be moved to the trash');
select pg_temp.for_each(array['helper'], 'update public.documents set deleted_at = null', '^1$', 'a document can be restored');

select pg_temp.for_each(array['owner', 'editor'], $$update public.comments set resolved_at = '-infinity'$$, '^5$', 'comments can be resolved');
select extensions.is((select count(*)::integer from public.comments where resolved_at = now()), 5, 'comments are resolved at the current time');
select pg_temp.for_each(array['reader', 'helper', 'guest'], $$update public.comments set resolved_at = 'infinity'$$, '^1$', 'authors can resolve their comments');
select extensions.is((select count(*)::integer from public.comments where resolved_at = now()), 5, 'resolving again keeps the time');
select pg_temp.for_each(array['reader'], $$update public.notifications set read_at = '2000-01-01'$$, '^1$', 'a notification can be marked as read');
select extensions.is((select read_at from public.notifications), now(), 'the time of reading is the current time');

select pg_temp.for_each(array['owner', 'editor'], $$update public.share_links set expires_at = 'infinity'$$, '^23514', 'infinite expiry times are rejected');
select pg_temp.for_each(array['owner', 'editor'], $$update public.share_links set expires_at = '-infinity'$$, '^23514', 'infinite expiry times are rejected');
select pg_temp.for_each(array['editor'], $$update public.share_links set revoked_at = '2000-01-01'$$, '^1$', 'a link can be revoked');
select extensions.is((select revoked_at from public.share_links), now(), 'the time of revocation is the current time');
select pg_temp.for_each(array['owner', 'editor'], 'update public.share_links set revoked_at = null', '^23514 A revoked link can’t be', 'a revoked link cannot be restored');
select pg_temp.for_each(array['owner', 'editor'], 'update public.share_links set expires_at = now() + interval ''1 day''', '^23514 A revoked link can’t be', 'a revoked link cannot be extended');
select pg_temp.for_each(array['reader', 'helper', 'guest', 'outsider'], 'update public.share_links set revoked_at = now()', '^0$', 'links cannot be revoked');

-- Columns without write access.
select pg_temp.for_each(array['owner', 'editor', 'reader', 'helper', 'guest', 'outsider'],
  format('update public.%s set %s = null', split_part(columns, '.', 1), split_part(columns, '.', 2)), '^42501', columns || ' cannot be written')
  from unnest(array['documents.created_by', 'documents.created_at', 'documents.library_id', 'documents.current_version_id', 'documents.url',
    'documents.content_hash', 'versions.body', 'versions.storage_path', 'passages.content', 'comments.created_by', 'comments.resolved_by',
    'comments.edited_at', 'comments.library_id', 'comments.document_id', 'collections.library_id', 'collections.created_by',
    'collection_grants.user_id', 'collection_grants.granted_by', 'collection_grants.collection_id', 'members.user_id', 'members.library_id',
    'members.joined_at', 'invitations.email', 'invitations.expires_at', 'invitations.role', 'share_links.token_hash',
    'share_links.document_id', 'share_links.view_count', 'notifications.user_id', 'notifications.kind', 'saved_searches.user_id',
    'note_templates.library_id', 'note_templates.created_by', 'note_templates.updated_at',
    'conversations.user_id', 'questions.answer', 'libraries.created_by', 'profiles.id', 'profiles.created_at', 'activity.actor_id',
    'tags.library_id', 'document_tags.tag_id', 'reading_positions.user_id', 'note_drafts.user_id', 'activity_marks.user_id', 'versions.rendition_path', 'versions.number',
    'webhook_deliveries.attempts', 'webhook_deliveries.payload', 'mail_addresses.made_by', 'sign_in_domains.domain',
    'sign_in_domains.verified_at', 'api_keys.scopes', 'api_keys.revoked_by', 'api_keys.expires_at', 'favorites.user_id',
    'recognized_pages.lines', 'note_states.update_bytes',
    'documents.excerpt', 'versions.writers', 'versions.decided_by', 'versions.decided_at']) columns;

-- Long texts: spaces count.
select pg_temp.for_each(people, replace(command, '%', 'repeat('' '', 100000) || ''x'''), '^(23514|54000|22001)', 'too long a text is rejected: ' || command)
  from (values
    (array['owner'], 'update public.libraries set name = %'),
    (array['owner', 'editor'], 'update public.collections set name = %'),
    (array['owner', 'editor', 'helper'], 'update public.documents set title = %'),
    (array['owner', 'editor', 'helper'], 'update public.documents set summary = %'),
    (array['owner', 'editor', 'reader', 'helper', 'guest'], 'update public.comments set body = % where created_by = auth.uid()'),
    (array['owner', 'editor'], 'insert into public.tags (library_id, name) select library, % from ids'),
    (array['owner', 'editor', 'reader'], 'insert into public.saved_searches (library_id, name) select library, % from ids'),
    (array['owner', 'editor'], 'insert into public.note_templates (library_id, title) select library, % from ids'),
    (array['owner', 'editor', 'reader'], 'insert into public.conversations (library_id, title) select library, % from ids'),
    (array['owner', 'editor', 'helper'], 'insert into public.versions (library_id, document_id, storage_path, mime_type, size_bytes)
      select library, note, library || ''/'' || note || ''/'' || %, '''', 0 from ids'),
    (array['owner', 'outsider'], 'update public.profiles set display_name = %')
  ) as texts (people, command);

-- Invalid numbers, or below what they count.
select pg_temp.for_each(array['owner', 'editor'], format('update public.collections set position = %L', said), '^23514', 'a collection cannot have the position ' || said)
  from unnest(array['NaN', 'Infinity', '-Infinity']) said;
select pg_temp.by('owner', format('public.save_field(%L, null, ''Field'')', granted)) from ids;
select pg_temp.for_each(array['owner', 'editor', 'helper'], format('update public.collection_fields set position = %L', said), '^23514', 'a field cannot have the position ' || said)
  from unnest(array['NaN', 'Infinity', '-Infinity']) said;
select pg_temp.for_each(array['reader', 'guest'], format('insert into public.reading_positions (library_id, document_id, share)
  select library, note, %L from ids', said), '^23514', 'the reading position cannot be ' || said) from unnest(array['NaN', '-1', '2']) said;
select pg_temp.for_each(array['editor', 'helper'], 'insert into public.versions (library_id, document_id, body, mime_type, size_bytes)
  select library, note, ''x'', repeat(''x'', 300), -1 from ids', '^1$', 'size and type of a note are computed');
select extensions.is((select min(size_bytes)::integer from public.versions), 1, 'sizes are never negative');

select pg_temp.for_each(array['owner', 'outsider'], format('update public.profiles set avatar_path = auth.uid() || %L where id = auth.uid()', path),
  '^23514', 'an invalid picture path is rejected: ' || path)
  from unnest(array['/../x', '/..', '/.', '/', '/a/b', '/a/../../x', '/%2e%2e/x', '/x?y', '/x#y', E'/x\ny', '//x', '/\x']) path;
select pg_temp.for_each(array['owner'], 'update public.profiles set avatar_path = auth.uid() || ''/'' || gen_random_uuid() where id = auth.uid()',
  '^1$', 'a valid picture path is accepted');
select pg_temp.for_each(array['owner'], $$update public.profiles set display_name = '   ' where id = auth.uid()$$, '^23514', 'an empty name is rejected');

-- Moves: editors can't let a guest see more by moving a collection.
select pg_temp.for_each(array['editor'], format('update public.collections set parent_id = (select %I from ids) where id = (select closed from ids)', place),
  '^42501 Only an owner', 'a collection cannot be moved into a guest''s collection: ' || place) from unnest(array['granted', 'inside']) place;
select pg_temp.for_each(array['reader', 'helper', 'guest', 'outsider'],
  'update public.collections set parent_id = (select granted from ids) where id = (select closed from ids)', '^0$', 'collections cannot be moved');
select pg_temp.for_each(array['editor'], 'update public.collections set parent_id = (select closed from ids) where id = (select inside from ids)',
  '^1$', 'a collection can be moved out of a guest''s collection');
select pg_temp.for_each(array['owner'], 'update public.collections set parent_id = (select granted from ids) where id in (select closed from ids)',
  '^1$', 'an owner can move a collection into a guest''s collection');
select pg_temp.for_each(array['editor'], 'update public.collections set parent_id = (select granted from ids) where id in (select inside from ids)',
  '^1$', 'a collection can be moved within a guest''s collection');
select pg_temp.for_each(array['helper'], 'update public.documents set collection_id = null', '^42501', 'documents cannot be moved out of the granted collection');
select pg_temp.for_each(array['helper', 'editor', 'owner'], 'insert into public.documents (library_id, collection_id, kind, title)
  select md5(''elsewhere'')::uuid, granted, ''note'', ''x'' from ids', '^(23503|42501)', 'documents cannot be added to another library');

select pg_temp.for_each(array['editor'], format('select public.add_link((select library from ids), %L)', address), '^23514', 'an invalid URL is rejected: ' || quote_literal(address))
  from unnest(array['http://exa mple', 'http://[fe80::1%25lo]:8080/', 'http://', 'https:///x', 'http://user:word@example.org/', 'http://user@example.org/',
    E'http://example.org/\nx', E'http://example.org\t', 'http://example.org:99999/', 'http://example.org:x/', 'ftp://example.org/', 'javascript:alert(1)',
    'http://exa%20mple/', 'http://a\b/', 'http://<x>/', 'http://[x]/', ' http://example.org/', 'https://example.org/' || repeat('x', 2048)]) address;
select pg_temp.for_each(array['editor', 'owner'], format('select public.add_link((select library from ids), %L)', address), '^1$', 'a valid URL is accepted: ' || address)
  from unnest(array['http://example.org', 'https://example.org/a%20b?q=[1]#x', 'http://localhost:65535/', 'https://münchen.example/ä', 'http://[::1]:8080/',
    'http://192.0.2.1/', 'HTTPS://EXAMPLE.ORG/', 'https://example.org./', 'https://example.org/@name:x']) address;
select pg_temp.for_each(array['helper'], $$select public.add_link((select library from ids), 'http://example.org/', null, (select granted from ids))$$, '^1$', 'a guest with edit access adds a link');

-- A link with its page: a stored file of the link.
create function pg_temp.page_of(owner text) returns text language sql as $$ select md5('library')::uuid || '/' || md5(owner)::uuid || '/x/page.html' $$;
insert into storage.objects (bucket_id, name, metadata) values ('documents', pg_temp.page_of('kept'), '{"size": 9, "mimetype": "text/html"}');
select pg_temp.for_each(array['editor'], format('select public.add_link((select library from ids), ''http://example.org/'', ''Kept'', null, %L, %L)',
  md5(link)::uuid, pg_temp.page_of(page)), expected, 'a link with the page of ' || page || ': ' || link)
  from (values ('another', 'kept', '^23514 Files of this'), ('gone', 'gone', '^23503 The file'), ('kept', 'kept', '^1$')) as c (link, page, expected);
select pg_temp.for_each(array['reader', 'helper', 'guest', 'outsider'], format('select public.add_link((select library from ids), ''http://example.org/'',
  ''Kept'', null, %L, %L)', md5('kept')::uuid, pg_temp.page_of('kept')), '^42501', 'a link cannot be added');

select * from extensions.finish();
rollback;
