-- Webhooks: who manages them, what is queued and taken, and how failures end
begin;
\ir helpers.psql
select plan(67);


select pg_temp.add_people('owner', 'editor', 'reader', 'helper', 'outsider');
insert into public.libraries (id, name) values (md5('lab')::uuid, 'Lab'), (md5('quiet')::uuid, 'Quiet');
insert into public.members (library_id, user_id, role) select md5('lab')::uuid, md5(person)::uuid, role::public.member_role
  from (values ('owner', 'owner'), ('editor', 'editor'), ('reader', 'reader'), ('helper', 'guest')) as m (person, role);
insert into public.collections (id, library_id, name) values (md5('open')::uuid, md5('lab')::uuid, 'Open');
insert into public.collection_grants (library_id, collection_id, user_id, role) values (md5('lab')::uuid, md5('open')::uuid, md5('helper')::uuid, 'editor');

-- Rights
create function pg_temp.add(person text, url text, events text[] default array['document.added', 'document.deleted', 'document.indexed', 'comment.added', 'member.left'])
  returns text language sql
as $$ select pg_temp.by(person, format('public.create_webhook(%L, %L, %L)', md5('lab')::uuid, url, events)) $$;
create temporary table made as select pg_temp.add('owner', 'https://hooks.example.org/carrel?a=b')::jsonb as hook;
create function pg_temp.hook() returns uuid language sql as $$ select (hook ->> 'id')::uuid from made $$;
select extensions.matches((select hook ->> 'secret' from made), '^whsec_[A-Za-z0-9+/]{43}=$', 'an owner adds a webhook and gets its secret');
select extensions.matches(pg_temp.add(person, 'https://x.example'), '^42501', coalesce(person, 'a visitor') || ' cannot add a webhook')
  from unnest(array['editor', 'reader', 'helper', 'outsider', null]) person;
select extensions.is(pg_temp.by(person, 'count(*) from public.webhooks'), n, coalesce(person, 'a visitor') || ' lists webhooks: ' || n)
  from (values ('owner', '1'), ('editor', '0'), ('reader', '0'), ('helper', '0'), ('outsider', '0'), (null, '42501 permission denied for table webhooks')) as v (person, n);
select extensions.matches(pg_temp.by('owner', 'taken_until from public.webhooks'), '^42501', 'the state of delivery cannot be read');
select extensions.matches(pg_temp.by('owner', 'secret from private.webhook_secrets'), '^42501', 'secrets cannot be read again');
select extensions.is(pg_temp.done('editor', 'update public.webhooks set is_active = false'), '0', 'an editor cannot disable a webhook');
select extensions.is(pg_temp.done('editor', 'delete from public.webhooks'), '0', 'an editor cannot delete a webhook');
select extensions.matches(pg_temp.done('owner', 'update public.webhooks set failing_since = null'), '^42501', 'an owner cannot write internal state');
select extensions.matches(pg_temp.by(person, format('public.%s(%L)', command, pg_temp.hook())), '^42501', person || ' cannot call ' || command)
  from unnest(array['editor', 'outsider']) person, unnest(array['replace_webhook_secret', 'test_webhook']) command;
select extensions.matches(pg_temp.by('owner', 'public.take_webhook()'), '^42501', 'only the service role takes deliveries');

-- Validation
select extensions.matches(pg_temp.add('owner', url), '^23514 A webhook can’t use', url || ' is rejected')
  from unnest(array['http://hooks.example.org', 'https://user:secret@x.example/', 'ftp://x.example', 'https://', 'http://127.0.0.1.example.org/', 'https://x.example/#a']) url;
select extensions.matches(pg_temp.add('owner', 'https://x.example', events), '^23514 Choose at least one event,', 'unknown events are rejected')
  from (values (array['document.eaten']), ('{}'::text[])) as e (events);
select extensions.matches(pg_temp.add('owner', 'http://localhost:4000/hook', array['member.joined']), '"whsec_', 'a local receiver is accepted');
delete from public.webhooks where url ~ 'localhost';

-- The outbox
create function pg_temp.outbox() returns text
  language sql
as $$ select string_agg(type, ' ' order by id) from public.webhook_deliveries where state = 'waiting' $$;
insert into public.documents (id, library_id, kind, title) values (md5('x')::uuid, md5('quiet')::uuid, 'note', 'Elsewhere');
select extensions.is(pg_temp.outbox(), null, 'a library without webhooks has no deliveries');
select pg_temp.done('owner', format('insert into public.documents (id, library_id, collection_id, kind, title) values (%L, %L, %L, ''note'', ''Lamps'')',
  md5('lamps')::uuid, md5('lab')::uuid, md5('open')::uuid));
select extensions.is((select payload::jsonb -> 'data' from public.webhook_deliveries), jsonb_build_object(
    'library', jsonb_build_object('id', md5('lab')::uuid, 'name', 'Lab'), 'actor', jsonb_build_object('id', md5('owner')::uuid, 'name', 'owner'),
    'document', jsonb_build_object('id', md5('lamps')::uuid, 'title', 'Lamps', 'kind', 'note',
      'collection', jsonb_build_object('id', md5('open')::uuid, 'name', 'Open'))), 'a delivery has library, actor, document and collection');
select extensions.matches((select payload::text from public.webhook_deliveries),
  '^\{"type" : "document.added", "timestamp" : "\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", "data" : \{', 'a delivery has the documented format');
savepoint before_rollback;
insert into public.documents (library_id, kind, title) values (md5('lab')::uuid, 'note', 'Never');
rollback to before_rollback;
select extensions.is(pg_temp.outbox(), 'document.added', 'rolled back changes are not delivered');
update public.documents set title = 'Wicks' where id = md5('lamps')::uuid;
select extensions.is(pg_temp.outbox(), 'document.added', 'other events are not delivered');
update public.documents set state = 'ready' where id = md5('lamps')::uuid;
select pg_temp.done('reader', format('insert into public.comments (library_id, document_id, body) values (%L, %L, ''Burns?'')', md5('lab')::uuid, md5('lamps')::uuid));
delete from public.documents where id = md5('lamps')::uuid;
select extensions.is(pg_temp.outbox(), 'document.added document.indexed comment.added document.deleted', 'events are delivered in order');
select extensions.is((select payload -> 'data' -> 'document' ->> 'id' from public.webhook_deliveries where type = 'document.deleted'), md5('lamps')::uuid::text, 'a deleted document has its id');
update public.libraries set require_second_factor = true where id = md5('lab')::uuid;
delete from public.members where user_id = md5('reader')::uuid and library_id = md5('lab')::uuid;
select extensions.is(private.webhook_data(md5('lab')::uuid, null, null, private.problem('reading_broke_off')) - 'library' - 'actor',
  '{"problem": null, "code": "reading_broke_off"}', 'with a second factor, error messages with names are omitted');
update public.webhooks set events = events || '{member.removed}';
delete from public.members where user_id = md5('editor')::uuid and library_id = md5('lab')::uuid;
select extensions.is((select payload -> 'data' -> 'member' from public.webhook_deliveries where type = 'member.removed')::jsonb,
  jsonb_build_object('id', md5('editor')::uuid, 'name', null, 'role', 'editor'), 'with a second factor, names are omitted');
select extensions.is(pg_temp.by('owner', 'count(*) from public.webhook_deliveries') || pg_temp.by('owner', 'count(*) from public.webhook_deliveries', 'aal2'), '05', 'deliveries have the same visibility as the library');
update public.libraries set require_second_factor = false where id = md5('lab')::uuid;
select extensions.is(private.webhook_data(md5('lab')::uuid, null, null, private.problem('reading_broke_off')) - 'library' - 'actor',
  jsonb_build_object('problem', private.problem('reading_broke_off') -> 'message', 'code', 'reading_broke_off'),
  'a failed document has an error message and a code');

-- Delivery
create temporary table taken as select public.take_webhook() as batch;
select extensions.is((select concat_ws(' ', batch ->> 'url', json_array_length(batch -> 'deliveries'), json_array_length(batch -> 'secrets')) from taken),
  'https://hooks.example.org/carrel?a=b 5 1', 'a run takes a webhook with its due deliveries');
select extensions.is(public.take_webhook()::text, null, 'other runs cannot take it meanwhile');
update public.webhooks set taken_until = clock_timestamp() - interval '1 second';
select extensions.is((public.take_webhook() -> 'deliveries')::text, (select (batch -> 'deliveries')::text from taken), 'deliveries of a dead run are taken again');
create function pg_temp.nth(n integer) returns bigint language sql as $$ select id from public.webhook_deliveries order by id offset n - 1 limit 1 $$;
select public.report_webhook_delivery(pg_temp.nth(1), 204, '', null), public.report_webhook_delivery(pg_temp.nth(2), 503, 'busy', null);
select extensions.is((select string_agg(state || coalesce(status::text, ''), ' ' order by id) from public.webhook_deliveries),
  'delivered204 waiting503 waiting waiting waiting', 'a failed attempt is retried');
select extensions.ok((select due_at > now() + interval '4 seconds' from public.webhook_deliveries where id = pg_temp.nth(2)) and (select failing_since is not null from public.webhooks), 'it is retried after a delay');
select public.report_webhook_delivery(pg_temp.nth(3), 200, 'thanks', null);
select extensions.is((select failing_since from public.webhooks), null, 'a successful delivery ends the failing state');
update public.webhook_deliveries set attempts = 9 where id = pg_temp.nth(2);
select public.report_webhook_delivery(pg_temp.nth(2), null, null, '{"message": "No answer within 10 seconds."}');
select extensions.is((select state || ' ' || (select is_active from public.webhooks) from public.webhook_deliveries where id = pg_temp.nth(2)), 'failed true', 'the tenth attempt is the last, and the webhook stays on');
update public.webhooks set failing_since = now() - interval '6 days';
update public.webhook_deliveries set attempts = 9 where id = pg_temp.nth(4);
select public.report_webhook_delivery(pg_temp.nth(4), 500, 'no', null);
select extensions.is((select concat_ws(' ', is_active, turned_off_at is not null) from public.webhooks), 'f t', 'a webhook is turned off after five days of failures');
select extensions.is((select string_agg(kind || ' ' || (user_id = md5('owner')::uuid), ',') from public.notifications where library_id = md5('lab')::uuid), 'webhook true', 'its owners are notified');
select extensions.is((select problem from public.webhook_deliveries where id = pg_temp.nth(5)), private.problem('webhook_turned_off'), 'waiting deliveries have failed');
select extensions.matches(pg_temp.by('owner', format('public.resend_webhook_delivery(%s)', pg_temp.nth(4))), '^23514 This webhook is off', 'a webhook that is off sends nothing again');
select pg_temp.done('owner', 'update public.webhooks set is_active = true');
set constraints all immediate;
set constraints all deferred;
select set_config('carrel.webhooks_called', '', true), pg_temp.by('owner', format('public.resend_webhook_delivery(%s)', pg_temp.nth(4)));
set constraints all immediate;
set constraints all deferred;
select extensions.is(to_regnamespace('net') is null or current_setting('carrel.webhooks_called') <> '', true, 'resending calls the function immediately');
select pg_temp.by('owner', format('public.test_webhook(%L)', pg_temp.hook()));
select extensions.is(pg_temp.done(person, 'update public.webhook_deliveries set state = ''waiting'''), '0', person || ' cannot resend')
  from unnest(array['editor', 'reader', 'helper', 'outsider']) person;
select extensions.matches(pg_temp.done('owner', 'update public.webhook_deliveries set state = ''delivered'''), '^42501', 'an owner cannot mark a delivery as delivered');
select extensions.is((select (batch -> 'deliveries' -> 0 ->> 'id')::bigint = pg_temp.nth(4) and batch -> 'deliveries' -> 1 ->> 'type' = 'webhook.test' from (select public.take_webhook() as batch) b), true, 'an owner turns it on, resends and tests it');

-- Secrets
select extensions.is((select count(distinct s) from (select pg_temp.by('owner', format('public.replace_webhook_secret(%L)', pg_temp.hook())) s from generate_series(1, 2)) t)::integer, 2, 'a secret is replaced');
update public.webhooks set taken_until = null;
select extensions.is((select json_array_length(public.take_webhook() -> 'secrets')), 2, 'the previous secret stays valid');
update private.webhook_secrets set expires_at = now() - interval '1 second' where expires_at is not null;
update public.webhook_deliveries set created_at = now() - interval '31 days' where state = 'delivered';
select private.purge_webhooks();
select extensions.is((select count(*) from private.webhook_secrets)::text || pg_temp.by('owner', $$count(*) from public.webhook_deliveries where state = 'delivered'$$), '10', 'the previous secret expires after a day, and old deliveries are deleted');

-- Calls
update public.webhooks set taken_until = null;
insert into public.documents (library_id, kind, title) select md5('lab')::uuid, 'note', 'Note ' || n from generate_series(1, 2000) n;
set constraints all immediate;
select extensions.is((select count(*)::integer from public.webhook_deliveries where type = 'document.added' and state = 'waiting'), 2000, 'two thousand documents are two thousand deliveries');
select extensions.is((select count(*)::integer from net.http_request_queue where url ~ '/deliver-webhooks$'), 1, 'they cause one call');
select extensions.is((select json_array_length(public.take_webhook() -> 'deliveries')), 20, 'deliveries are taken in batches');
delete from public.webhook_deliveries;
update public.webhooks set events = events || '{document.moved}';
insert into public.activity (library_id, verb, document_id, subject) select md5('lab')::uuid, 'document.ran_rule', d.id, jsonb_build_object('title', 'Bill', 'changes', changes)
  from (values ('[{"do": "tag", "name": "Paid"}]'::jsonb), ('[{"do": "tag", "name": "Paid"}, {"do": "move", "name": "Bills"}]')) v (changes),
    (select id from public.documents where library_id = md5('lab')::uuid limit 1) d;
select extensions.is(pg_temp.outbox(), 'document.moved', 'a move by a rule is delivered as a move');

select * from finish();
rollback;
