-- The audit log: what it records, that it's immutable, and who can read and export it
begin;
\ir helpers.psql
select plan(56);

/* The entries since the last call, with their actors. */
create temporary table looked_at as select 0::bigint as id;
create function pg_temp.news() returns text
  language plpgsql
as $$
declare
  found text;
begin
  select string_agg(a.verb || coalesce(' by ' || p.display_name, ''), ', ' order by a.id) into found
    from public.activity a left join public.profiles p on p.id = a.actor_id
    where a.library_id = md5('lab')::uuid and a.id > (select id from looked_at);
  update looked_at set id = coalesce((select max(id) from public.activity), 0);
  return found;
end
$$;

select pg_temp.add_people('owner', 'second', 'editor', 'reader', 'helper', 'outsider');
insert into public.libraries (id, name) values (md5('lab')::uuid, 'Lab');
insert into public.members (library_id, user_id, role) select md5('lab')::uuid, md5(person)::uuid, role::public.member_role
  from (values ('owner', 'owner'), ('second', 'owner'), ('editor', 'editor'), ('reader', 'reader'), ('helper', 'guest')) as m (person, role);
insert into public.collections (id, library_id, name) values (md5('open')::uuid, md5('lab')::uuid, 'Open');
insert into public.collection_grants (library_id, collection_id, user_id, role) values (md5('lab')::uuid, md5('open')::uuid, md5('helper')::uuid, 'editor');
select extensions.is(pg_temp.news(), 'library.created, member.joined, member.joined, member.joined, member.joined, member.joined, collection.added, grant.given', 'creating a library and adding members is logged');

-- Recording
select pg_temp.done('editor', format('insert into public.collections (id, library_id, name) values (%L, %L, ''B'')', md5('b')::uuid, md5('lab')::uuid)),
  pg_temp.done('editor', format('update public.collections set name = ''C'' where id = %L', md5('b')::uuid)),
  pg_temp.done('owner', format('update public.collections set position = 7, parent_id = %L where id = %L', md5('open')::uuid, md5('b')::uuid)),
  pg_temp.done('editor', format('update public.collections set position = 8 where id = %L', md5('b')::uuid)),
  pg_temp.done('editor', format('delete from public.collections where id = %L', md5('b')::uuid));
select extensions.is((select string_agg(subject::text, ' ' order by id) from public.activity where verb = 'collection.changed'),
  format('{"id": "%s", "from": "B", "name": "C"} {"id": "%s", "name": "C", "parent": "%s", "parent_from": null}', md5('b')::uuid, md5('b')::uuid, md5('open')::uuid), 'the log has a collection''s old name and place');
select extensions.is(pg_temp.news(), 'collection.added by editor, collection.changed by editor, collection.changed by owner, collection.deleted by editor', 'changes of collections are logged');
select pg_temp.done('owner', $$update public.libraries set description = 'D', recognition_languages = '{en}'$$);
select extensions.is((select subject from public.activity where verb = 'library.changed'),
  '{"changed": {"description": {"from": "", "to": "D"}, "recognition_languages": {"from": ["en", "de"], "to": ["en"]}}}', 'changed settings are logged with old and new values');
select extensions.is(pg_temp.news(), 'library.changed by owner', 'several settings changed together are one entry');
insert into public.documents (id, library_id, kind, title) values (md5('doc')::uuid, md5('lab')::uuid, 'note', 'Lamps');
insert into public.comments (id, library_id, document_id, body, created_by) values (md5('c')::uuid, md5('lab')::uuid, md5('doc')::uuid, 'Why?', md5('reader')::uuid);
select pg_temp.done('editor', 'update public.comments set resolved_at = now()'), pg_temp.done('editor', 'update public.comments set resolved_at = null'), pg_temp.done('owner', 'delete from public.comments');
select extensions.is(pg_temp.news(), 'document.added, comment.added, comment.resolved by editor, comment.reopened by editor, comment.deleted by owner', 'changes of comments are logged');
create temporary table link as select pg_temp.by('editor', format('public.create_share_link(%L)', md5('doc')::uuid))::jsonb as made;
grant select on link to anon, authenticated;
select pg_temp.by(null, $$count(*) from public.open_share_link((select made ->> 'token' from link))$$), pg_temp.by('outsider', $$count(*) from public.open_share_link((select made ->> 'token' from link))$$);
select pg_temp.done('editor', $$update public.share_links set expires_at = now() + interval '1 day'$$), pg_temp.done('editor', 'update public.share_links set revoked_at = now()'), pg_temp.done('editor', 'delete from public.share_links');
select extensions.is(pg_temp.news(), 'share.created by editor, share.opened, share.changed by editor, share.revoked by editor, share.deleted by editor', 'changes of share links are logged, and views once an hour without a name');
create temporary table hook as select pg_temp.by('owner', format('public.create_webhook(%L, ''https://hooks.example.org/secret'', ''{document.added}'')', md5('lab')::uuid))::jsonb as made;
select pg_temp.by('owner', format('public.replace_webhook_secret(%L)', (select made ->> 'id' from hook))), pg_temp.done('owner', 'update public.webhooks set is_active = false'), pg_temp.done('owner', 'delete from public.webhooks');
select extensions.is(pg_temp.news(), 'webhook.added by owner, webhook.secret_replaced by owner, webhook.changed by owner, webhook.deleted by owner', 'changes of webhooks are logged');
select extensions.ok((select bool_and(subject ->> 'host' = 'hooks.example.org') and not bool_or(subject::text ~ '/secret') from public.activity where verb like 'webhook.%'), 'entries about webhooks have the host but not the path');
insert into public.tags (library_id, name) values (md5('lab')::uuid, 'T');
delete from public.tags where name = 'T';
insert into public.note_templates (library_id, title, body) values (md5('lab')::uuid, 'P', '');
select extensions.is(pg_temp.news(), 'tag.added, tag.deleted, template.added', 'tags and templates are logged');
select extensions.matches(pg_temp.by('outsider', format('public.record_export(%L)', md5('lab')::uuid)), '^42501', 'a stranger cannot log an export');
select pg_temp.by('reader', format('public.record_export(%L)', md5('lab')::uuid));
select extensions.is(pg_temp.news(), 'library.exported by reader', 'exports are logged');

-- Visibility
create function pg_temp.entries(person text, more text default '') returns text
  language sql
as $$ select pg_temp.by(person, format('count(*) from public.audit_entries(%L%s)', md5('lab')::uuid, more)) $$;
select extensions.matches(pg_temp.entries(person), '^42501', coalesce(person, 'a visitor') || ' cannot read the audit log')
  from unnest(array['editor', 'reader', 'helper', 'outsider', null]) person;
select extensions.is(pg_temp.entries('owner'), (select count(*)::text from public.activity where library_id = md5('lab')::uuid), 'an owner sees all entries');
select extensions.is(pg_temp.by('owner', $$count(*) from public.activity where verb ~ '^(webhook|collection|tag)\.' or verb in ('share.opened', 'library.exported')$$), '0', 'audit-only entries are not part of the activity');
select extensions.is(pg_temp.entries('owner', format(', person => %L', md5('editor')::uuid)), (select count(*)::text from public.activity where actor_id = md5('editor')::uuid), 'the log is filtered by person');
select extensions.is(pg_temp.entries('owner', $$, kinds => '{webhook,tag}'$$), '6', 'the log is filtered by kind');
select extensions.is(pg_temp.entries('owner', $$, until => now() - interval '1 hour'$$) || pg_temp.entries('owner', $$, since => now() + interval '1 hour'$$), '00', 'the log is filtered by time');
select extensions.is(pg_temp.entries('owner', ', max_results => 3'), '3', 'the log is paged');
select extensions.is(pg_temp.by('owner', format($$string_agg(kind, ' ' order by id desc) from public.audit_entries(%L, before_time => now(), before_id => %s, max_results => 2)$$,
  md5('lab')::uuid, (select max(id) from public.activity))), 'template.added tag.deleted', 'the next page continues after the last entry');
select extensions.is(pg_temp.by('owner', format($$string_agg(name, ' ') from public.audit_people(%L)$$, md5('lab')::uuid)), 'editor owner reader', 'an owner sees who has entries');
select extensions.matches(pg_temp.by('editor', format($$count(*) from public.audit_people(%L)$$, md5('lab')::uuid)), '^42501', 'only owners see who has entries');

-- Immutability
select extensions.matches(pg_temp.done(person, command), '^42501 permission denied', person || ' cannot run: ' || command)
  from unnest(array['owner', 'editor']) person, unnest(array['update public.activity set verb = ''a.b''', 'delete from public.activity']) command;
select extensions.throws_ok(command, '42501', null, 'the database''s owner cannot run: ' || command)
  from unnest(array['update public.activity set verb = ''a.b''', 'delete from public.activity', 'update public.activity set actor_id = null where actor_id is not null',
    format('update public.activity set actor_id = %L', md5('outsider')::uuid)]) command;
set local role service_role;
select extensions.throws_ok(command, '42501', null, 'the service role cannot run: ' || command)
  from unnest(array['update public.activity set verb = ''a.b''', 'delete from public.activity', 'truncate public.activity',
    format('insert into public.activity (library_id, verb) values (%L, ''a.b'')', md5('lab')::uuid)]) command;
reset role;
delete from auth.users where id = md5('editor')::uuid;
delete from public.documents where id = md5('doc')::uuid;
select extensions.ok((select bool_and(person is null and person_id = md5('editor')::uuid) and count(*) > 8
    from (select (private.audit_entry(a)).* from public.activity a where kept_actor_id = md5('editor')::uuid) e), 'entries of a deleted account are kept without its name');
select extensions.is((select count(*)::integer from public.activity where kept_document_id = md5('doc')::uuid and document_id is null), 11, 'entries about a deleted document are kept');

-- Automatically added documents
select pg_temp.news();
with made as (insert into public.rules (library_id, name, actions) values (md5('lab')::uuid, 'Invoices', '[{"do": "tag", "tag": "00000000-0000-0000-0000-000000000000"}]') returning id)
select set_config('test.rule', id::text, true) from made;
update public.rules set position = 5 where id = current_setting('test.rule')::uuid;
update public.rules set is_on = false where id = current_setting('test.rule')::uuid;
delete from public.rules where id = current_setting('test.rule')::uuid;
select extensions.is(pg_temp.news(), 'rule.added, rule.changed, rule.deleted', 'changes of rules are logged, except their order');
insert into public.mail_addresses (library_id, name) values (md5('lab')::uuid, 'lab');
update public.mail_addresses set enabled = false;
update public.mail_addresses set secret = private.new_mail_secret();
delete from public.mail_addresses;
select extensions.is(pg_temp.news(), 'mail.address_added, mail.address_changed, mail.address_replaced, mail.address_deleted', 'changes of mail addresses are logged');
select extensions.ok(not exists (select from public.activity where verb like 'mail.%' and subject::text ~ '[a-z2-7]{20}'), 'entries about mail addresses do not have the secret');

-- Exports
create temporary table export as select pg_temp.by('owner', format('public.start_audit_export(%L, ''csv'', kinds => ''{tag,template}'')', md5('lab')::uuid)) as id;
select extensions.is((select subject from public.activity where verb = 'audit.exported'), '{"kinds": ["tag", "template"], "format": "csv"}', 'starting an export is logged');
insert into public.tags (library_id, name) values (md5('lab')::uuid, 'Later');
select extensions.is(pg_temp.by('owner', format($$string_agg(e ->> 'kind', ' ') from json_array_elements(public.export_audit(%s)) e$$, (select id from export))), 'tag.added tag.deleted template.added', 'an export has the entries from before it started');
select extensions.is(pg_temp.by('owner', format($$public.export_audit(%s, now(), (select max(id) from public.activity))$$, (select id from export))), '[]', 'the last page of an export is empty');
select extensions.matches(pg_temp.by(person, format('public.export_audit(%s)', (select id from export))), '^42501', person || ' cannot read the export') from unnest(array['second', 'reader', 'outsider']) person;
select extensions.matches(pg_temp.by('reader', format('public.start_audit_export(%L, ''csv'')', md5('lab')::uuid)), '^42501', 'a reader cannot start an export');
select extensions.matches(pg_temp.by('owner', format('public.start_audit_export(%L, ''xml'')', md5('lab')::uuid)), '^22023', 'an unknown export format is rejected');
delete from public.libraries where id = md5('lab')::uuid;
select extensions.is((select count(*)::integer from public.activity where library_id = md5('lab')::uuid), 0, 'deleting a library deletes its log');

-- Changes by the program are logged but aren't news for members.
insert into auth.users (id, email, email_confirmed_at, raw_user_meta_data)
  values (md5('captain')::uuid, 'captain@example.org', now(), '{"display_name": "captain"}');
insert into public.libraries (id, name) values (md5('pier')::uuid, 'Pier');
insert into public.members (library_id, user_id, role) values (md5('pier')::uuid, md5('captain')::uuid, 'owner');
insert into public.documents (id, library_id, kind, url, title)
  values (md5('scan')::uuid, md5('pier')::uuid, 'link', 'https://example.org/', 'Scan 12');
update public.documents set title = 'The harbour' where id = md5('scan')::uuid;
select extensions.is(pg_temp.by('captain', $$(select string_agg(e.kind, ', ' order by e.id) from public.audit_entries(md5('pier')::uuid, kinds => '{document}') e)$$),
  'document.added, document.renamed', 'an automatic title is logged');
select extensions.is(pg_temp.by('captain', $$(select string_agg(verb, ', ' order by id) from public.activity where verb ~ '^document')$$),
  'document.added', 'an automatic title is not activity');
select pg_temp.done('captain', $$update public.documents set title = 'Our harbour' where id = md5('scan')::uuid$$);
select extensions.is(pg_temp.by('captain', $$(select string_agg(verb, ', ' order by id) from public.activity where verb ~ '^document')$$),
  'document.added, document.renamed', 'a title set by a user is activity');
insert into public.comments (library_id, document_id, body, created_by)
  values (md5('pier')::uuid, md5('scan')::uuid, 'Deep.', md5('captain')::uuid);
select extensions.is(pg_temp.by('captain', $$(select subject ->> 'title' from public.activity where verb = 'comment.added')$$),
  'Our harbour', 'a comment''s entry has the title of its document');

select * from finish();
rollback;
