-- Who is notified of what, without documents that are hidden from them now
begin;
\ir helpers.psql
select plan(45);

/* Kinds and documents of a person's notifications, oldest first. */
create function pg_temp.inbox(person text, aal text default 'aal1') returns text
  language sql
as $$
  select pg_temp.by(person, $q$(select string_agg(concat_ws(' ', n.kind, d.title, (select body from public.comments c where c.id = n.comment_id),
      nullif(n.amount, 1)), ', ' order by n.id)
    from public.notifications n left join public.documents d on d.id = n.document_id)$q$, aal)
$$;
create function pg_temp.comment(writer text, name text, body text, document text default 'lamps', parent text default null) returns void
  language sql
as $$
  insert into public.comments (id, library_id, document_id, parent_id, body, created_by)
    select md5(name)::uuid, d.library_id, d.id, md5(parent)::uuid, body, md5(writer)::uuid from public.documents d where d.id = md5(document)::uuid
$$;
create function pg_temp.version(writer text, document text, body text) returns void
  language sql
as $$
  insert into public.versions (library_id, document_id, body, mime_type, size_bytes, created_by)
    select d.library_id, d.id, body, '', 0, md5(writer)::uuid from public.documents d where d.id = md5(document)::uuid
$$;

select pg_temp.add_people('ann', 'ben', 'cleo', 'gil', 'out', 'new');
insert into public.libraries (id, name) values (md5('lab')::uuid, 'Lab'), (md5('vault')::uuid, 'Vault');
insert into public.members (library_id, user_id, role)
  select md5(library)::uuid, md5(person)::uuid, role::public.member_role from (values
    ('lab', 'ann', 'owner'), ('lab', 'ben', 'reader'), ('lab', 'cleo', 'editor'), ('lab', 'gil', 'guest'), ('vault', 'ann', 'owner'),
    ('vault', 'ben', 'reader')) m (library, person, role);
insert into public.collections (id, library_id, name) values (md5('open')::uuid, md5('lab')::uuid, 'Open');
insert into public.collection_grants (library_id, collection_id, user_id, role)
  values (md5('lab')::uuid, md5('open')::uuid, md5('gil')::uuid, 'reader');
insert into public.documents (id, library_id, collection_id, kind, title) values
  (md5('lamps')::uuid, md5('lab')::uuid, md5('open')::uuid, 'note', 'Lamps'), (md5('safe')::uuid, md5('vault')::uuid, null, 'note', 'Safe');
update public.libraries set require_second_factor = true where name = 'Vault';

-- Comments
select pg_temp.comment('ann', 'first', format('Look @[Ben](%s) @[Ben](%1$s) @[Gil](%s) @[Out](%s) @[Ann](%s)',
  md5('ben')::uuid, md5('gil')::uuid, md5('out')::uuid, md5('ann')::uuid));
select extensions.matches(pg_temp.inbox('ben'), '^mention Lamps Look \S+ \S+ \S+ \S+ \S+$', 'a mention in a comment notifies a member once');
select extensions.matches(pg_temp.inbox('gil'), '^mention Lamps', 'a mention notifies a guest who sees the document');
select extensions.is(pg_temp.inbox('ann') || pg_temp.inbox('out'), null, 'authors and strangers are not notified');
select pg_temp.comment('ben', 'answer', 'Yes', 'lamps', 'first');
select pg_temp.comment('cleo', 'third', format('No, @[Ben](%s)', md5('ben')::uuid), 'lamps', 'first');
select extensions.is(pg_temp.inbox('ann'), format('reply Lamps Yes, reply Lamps No, @[Ben](%s)', md5('ben')::uuid), 'a reply notifies the author of the thread');
select extensions.matches(pg_temp.inbox('ben'), ', mention Lamps No, [^,]*$', 'a reply with a mention notifies once');
select extensions.is(pg_temp.inbox('cleo'), null, 'a reply does not notify its author');
update public.comments set body = body || ', really' where id = md5('third')::uuid;
select extensions.is(pg_temp.by('ben', '(select count(*) from public.notifications)'), '2', 'changing a comment does not notify again');

-- Notes
select pg_temp.version('ann', 'lamps', format('For @[Ben](%s) and @[Ann](%s)', md5('ben')::uuid, md5('ann')::uuid));
select pg_temp.version('cleo', 'lamps', format('Also for @[Ben](%s), @[Gil](%s), @[Ann](%s)', md5('ben')::uuid, md5('gil')::uuid, md5('ann')::uuid));
select extensions.is(pg_temp.by('ben', $$(select count(*) from public.notifications where comment_id is null)$$), '1', 'a mention in a note notifies each person once');
select extensions.is(pg_temp.by('gil', $$(select count(*) from public.notifications where comment_id is null)$$), '1', 'the first version with a mention notifies');
select extensions.is(pg_temp.by('ann', $$(select count(*) from public.notifications where comment_id is null)$$), '0', 'authors of a note are not notified');
delete from public.notifications where comment_id is null;
select pg_temp.version('cleo', 'lamps', format('Still for @[Ben](%s)', md5('ben')::uuid));
select extensions.is((select count(*)::integer from public.notifications where comment_id is null), 0, 'a mention stays notified even after its notification was deleted');

-- Hidden notifications
select pg_temp.comment('ann', 'secret', format('@[Ben](%s)', md5('ben')::uuid), 'safe');
select extensions.is(pg_temp.by('ben', '(select count(*) from public.notifications)') || pg_temp.by('ben', '(select count(*) from public.notifications)', 'aal2'),
  '23', 'notifications of a library that requires a second factor are hidden without one');
select extensions.is(pg_temp.by('ben', $$public.unread_notifications() ->> 'unread'$$), '2', 'hidden notifications are not counted');
update public.documents set collection_id = null where title = 'Lamps';
select extensions.is(pg_temp.inbox('gil'), null, 'notifications about documents moved out of sight are hidden');
update public.documents set collection_id = md5('open')::uuid, deleted_at = now() where title = 'Lamps';
select extensions.is(coalesce(pg_temp.inbox('gil'), '') || coalesce(pg_temp.inbox('ann'), ''), '', 'notifications about documents in the trash are hidden, even for editors');
update public.documents set deleted_at = null where title = 'Lamps';
select extensions.matches(pg_temp.inbox('gil'), '^mention', 'they reappear when the document is restored');

-- Reading
select extensions.is(pg_temp.by('ann', 'cardinality(public.read_notifications(array(select id from public.notifications)))'), '2', 'selected notifications are marked as read');
select extensions.is(pg_temp.by('ann', 'public.unread_notifications()::text'), '{"unread": 0, "documents": []}', 'read notifications are not counted');
select extensions.is(coalesce(pg_temp.by('ann', 'public.unread_again(array(select id from public.notifications where kind = ''reply'' limit 1))'), ''), '', 'a notification is marked as unread');
select extensions.is(pg_temp.by('ann', 'public.unread_notifications()::text'), format('{"unread": 1, "documents": ["%s"]}', md5('lamps')::uuid), 'an unread notification is counted again');
select extensions.is(pg_temp.by('ann', format('cardinality(public.read_notifications(document => %L))', md5('lamps')::uuid)), '1', 'opening a document marks its notifications as read');
select extensions.is(pg_temp.by('gil', 'cardinality(public.read_notifications(up_to => 1000000))'), '1', 'all notifications of one user are marked as read');
select extensions.is(pg_temp.by('ben', $$public.unread_notifications() ->> 'unread'$$), '2', 'notifications of other users are unchanged');
select extensions.matches(pg_temp.by('ben', 'id from public.notifications for update'), '^[0-9]+$', 'users can lock their own notifications for updates');
select extensions.matches(pg_temp.by(null, 'count(*) from public.notifications'), '^42501', 'anonymous users have none');
select extensions.ok(not has_table_privilege('authenticated', 'public.notifications', 'insert') and not has_table_privilege('authenticated', 'public.notifications', 'delete'),
  'users cannot insert or delete notifications');

-- Invitations
insert into public.invitations (library_id, email, token_hash, invited_by)
  select md5('lab')::uuid, name || '@example.org', name, md5('ann')::uuid from unnest(array['new', 'nobody']) name;
select extensions.is(pg_temp.inbox('new'), 'invitation', 'an invitation notifies a user with an account');
create function pg_temp.inviter() returns text
  language sql
as $$ select pg_temp.by('new', format('(select display_name from public.profiles where id = %L)', md5('ann')::uuid)) $$;
select extensions.is(pg_temp.inviter(), 'ann', 'the notification names who invites');
update public.invitations set expires_at = now() where email = 'new@example.org';
select extensions.is(pg_temp.inviter(), null, 'after that, the profile is hidden again');
select extensions.is(pg_temp.inbox('new'), null, 'an expired invitation is hidden');

-- Imports: a run reads two of Cleo's files, one of which fails
create function pg_temp.read_file(person text, name text, outcome text) returns void
  language plpgsql
as $$
begin
  insert into storage.objects (bucket_id, name) values ('documents', md5('lab')::uuid || '/' || md5(name)::uuid || '/v/f.txt');
  insert into public.documents (id, library_id, kind, title, created_by) values (md5(name)::uuid, md5('lab')::uuid, 'file', name, md5(person)::uuid);
  insert into public.versions (id, library_id, document_id, storage_path, mime_type, size_bytes, created_by)
    values (md5(name || ' version')::uuid, md5('lab')::uuid, md5(name)::uuid, md5('lab')::uuid || '/' || md5(name)::uuid || '/v/f.txt', '', 0, md5(person)::uuid);
  update private.indexing_runs set run = gen_random_uuid() where document_id = md5(name)::uuid;
  if outcome = 'failed' then
    perform private.end_run(md5(name)::uuid, '{"message": "It is torn."}');
  elsif outcome = 'read' then
    update public.documents set state = 'ready' where id = md5(name)::uuid;
    delete from private.indexing_runs where document_id = md5(name)::uuid;
  end if;
end
$$;
select pg_temp.read_file('cleo', 'one', 'read'), pg_temp.read_file('cleo', 'two', 'failed'), pg_temp.read_file('cleo', 'three', 'waits'),
  pg_temp.read_file('ann', 'quick', 'read');
set constraints all immediate;
set constraints all deferred;
select private.notify_of_imports('0');
select extensions.is(pg_temp.inbox('cleo'), null, 'an unfinished import does not notify');
select private.end_run(md5('three')::uuid, '{"message": "Torn, too."}');
set constraints all immediate;
set constraints all deferred;
select private.notify_of_imports('0');
select extensions.is(pg_temp.by('cleo', $$(select string_agg(concat_ws(' ', kind, amount, failed, document_id), ',') from public.notifications)$$),
  'import 1 2', 'one notification covers the whole import');
select extensions.is(pg_temp.by('ann', $$(select count(*) from public.notifications where kind = 'import')$$), '0', 'imports of less than a minute do not notify');
select pg_temp.read_file('cleo', 'four', 'failed');
set constraints all immediate;
set constraints all deferred;
select private.notify_of_imports('0');
select extensions.is(pg_temp.inbox('cleo'), 'import', 'an unread notification is merged into the next');
select extensions.is(pg_temp.by('cleo', '(select amount || '' '' || failed from public.notifications)'), '1 3', 'the merged notification counts all documents');

-- Saved searches
insert into public.saved_searches (id, library_id, user_id, name, query, filters, looked_at, checked_at)
  select md5(s.name)::uuid, md5('lab')::uuid, md5(s.person)::uuid, s.name, s.query, s.filters::jsonb, now() - interval '1 day', now() - interval '1 day'
  from (values ('ben', 'Wicks', 'wick', '{"kind": "note", "since": "2001", "dated": null}'), ('ann', 'Oil', 'oil', '{"kind": "file"}'),
    ('cleo', 'Own', 'wick', '{}'), ('ann', 'Broken', 'wick', '{"fields": [{"above": {}}]}')) s (person, name, query, filters);
select extensions.is((select count(*)::integer from public.documents d, public.replace_passages(d.current_version_id,
    '[{"start": 0, "end": 20, "content": "A wick burns in oil."}, {"start": 21, "end": 40, "content": "Every wick needs oil"}]') where d.title = 'Lamps'), 1, 'a note is indexed');
select private.notify_of_hits();
select extensions.is(pg_temp.by('ben', $$(select string_agg(concat_ws(' ', kind, amount, (select name from public.saved_searches s where s.id = search_id)), ',')
  from public.notifications where kind = 'search')$$), 'search 2 Wicks', 'a saved search notifies of new passages that match its filters');
select extensions.is((select string_agg(user_id::text, ' ') from public.notifications where kind = 'search'), md5('ben')::uuid::text,
  'authors and other users are not notified, and a broken search does not block others');
select private.notify_of_hits();
select extensions.is((select count(*)::integer from public.notifications where kind = 'search'), 1, 'a saved search notifies once');
select pg_temp.by('ben', format('public.mark_search_seen(%L)', md5('Wicks')::uuid));
select extensions.is((select read_at from public.notifications where kind = 'search'), now(), 'opening the search marks its notification as read');

-- The purge
update public.notifications set read_at = now() - interval '31 days' where user_id = md5('gil')::uuid;
select extensions.is(public.purge_notifications(), 1, 'notifications read a month ago are purged');

-- Writers of a version that someone else saves
insert into public.note_states (document_id, library_id, generation, format, state)
  values (md5('lamps')::uuid, md5('lab')::uuid, gen_random_uuid(), 1, '');
create function pg_temp.mention(writers text[], mentioned text, saver text) returns text
  language plpgsql
as $$
declare
  told text;
begin
  delete from private.note_mentions;
  delete from public.note_updates;
  insert into public.note_updates (document_id, number, update, created_by)
    select md5('lamps')::uuid, n, '', md5(writer)::uuid from unnest(writers) with ordinality as w (writer, n);
  perform pg_temp.version(saver, 'lamps', format('@[x](%s)', md5(mentioned)::uuid));
  delete from public.notifications n where n.kind = 'mention' and n.comment_id is null
    returning (select string_agg(split_part(u.email, '@', 1), ' ' order by array_position(n.actor_ids || n.actor_id, u.id))
      from auth.users u where u.id = any (n.actor_ids || n.actor_id)) into told;
  return told;
end
$$;
select extensions.is(pg_temp.mention('{cleo,ann,cleo}', 'ben', 'ann'), 'cleo ann', 'all authors of a version are named');
select extensions.is(pg_temp.mention('{cleo}', 'ben', 'ann'), 'cleo', 'the only author is named, not the person who saved');
select extensions.is(pg_temp.mention('{cleo,ann}', 'ann', 'ann'), 'cleo', 'an author is notified of the other authors only');

-- The Data API embeds actors in order, as far as the reader sees them
insert into public.notifications (user_id, kind, library_id, document_id, actor_ids)
  select md5('ben')::uuid, 'mention', md5('lab')::uuid, md5('lamps')::uuid, array[md5('cleo')::uuid, md5('ann')::uuid, md5('nobody')::uuid];
select extensions.is(
  pg_temp.by('ben', $$(select string_agg(a.id::text, ' ') from public.notifications n, lateral public.actors(n) a where cardinality(n.actor_ids) > 0)$$),
  md5('cleo')::uuid || ' ' || md5('ann')::uuid, 'authors are returned in order');

select * from finish();
rollback;
