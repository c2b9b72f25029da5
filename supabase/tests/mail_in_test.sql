-- Mail addresses: who creates, sees and deletes them, and how incoming mail is handled
begin;
\ir helpers.psql
select plan(64);


select pg_temp.add_people('owner', 'editor', 'reader', 'helper', 'outsider');
insert into auth.users (id, email) values (md5('unconfirmed')::uuid, 'unconfirmed@example.org');
insert into public.libraries (id, name) values (md5('library')::uuid, 'Größe & Café'), (md5('other')::uuid, '図書館');
insert into public.members (library_id, user_id, role) select md5('library')::uuid, md5(person)::uuid, role::public.member_role from (values
  ('owner', 'owner'), ('editor', 'editor'), ('reader', 'reader'), ('helper', 'guest'), ('unconfirmed', 'reader')) m (person, role);
insert into public.members (library_id, user_id, role) values (md5('other')::uuid, md5('outsider')::uuid, 'owner');
insert into public.collections (id, library_id, name) values (md5('letters')::uuid, md5('library')::uuid, 'Letters');
-- The helper may edit one collection by this grant alone.
insert into public.collection_grants (library_id, collection_id, user_id, role)
  values (md5('library')::uuid, md5('letters')::uuid, md5('helper')::uuid, 'editor');

-- Creating
select extensions.matches(pg_temp.by('owner', format('(public.create_mail_address(%L)).name', md5('library')::uuid)), '^gro-e-cafe$', 'an owner creates an address named after the library');
select extensions.is(pg_temp.by('editor', format('(public.create_mail_address(%L, %L, ''everybody'')).name', md5('library')::uuid, md5('letters')::uuid)), 'letters', 'an editor creates an address for a collection');
select extensions.is(pg_temp.by('outsider', format('(public.create_mail_address(%L)).name', md5('other')::uuid)), 'library', 'a library name without Latin letters gets a default name');
select extensions.matches(pg_temp.by(person, format('public.create_mail_address(%L, %L)', md5('library')::uuid, md5('letters')::uuid)), '^42501 Only owners and editors of the', person || ' cannot create an address')
  from unnest(array['reader', 'helper', 'outsider']) person;
select extensions.matches(pg_temp.by('outsider', format('public.create_mail_address(%L, %L)', md5('other')::uuid, md5('letters')::uuid)), '^23503 The collection no longer', 'a collection of another library is rejected');
select extensions.matches(pg_temp.by('editor', format('public.create_mail_address(%L, null, ''nobody'')', md5('library')::uuid)), '^23514', 'an invalid sender policy is rejected');
select extensions.matches(pg_temp.done('editor', 'insert into public.mail_addresses (library_id, name) select library_id, name from public.mail_addresses'), '^42501', 'the secret cannot be chosen');
select extensions.is((select count(*)::integer from public.mail_addresses where secret ~ '^[a-z2-7]{20}$' and secret_hash = encode(sha256(convert_to(secret, 'UTF8')), 'hex')), 3, 'a secret has 100 bits and a stored hash');
select extensions.is((select count(distinct private.new_mail_secret())::integer from generate_series(1, 50)), 50, 'secrets are unique');

-- Seeing and changing
select extensions.is(pg_temp.by(person, 'count(secret) from public.mail_addresses'), expected, person || ' sees ' || expected)
  from (values ('owner', '2'), ('editor', '2'), ('reader', '0'), ('helper', '0'), ('outsider', '1')) p (person, expected);
select extensions.is(pg_temp.done(person, 'update public.mail_addresses set enabled = true where name = ''letters'''), expected, person || ' changes ' || expected)
  from (values ('owner', '1'), ('editor', '1'), ('reader', '0'), ('helper', '0'), ('outsider', '0')) p (person, expected);
select extensions.is(pg_temp.done(person, 'update public.mail_addresses set secret = ''aaaaaaaaaaaaaaaaaaaa'''), expected, person || ' replaces ' || expected)
  from (values ('editor', '2'), ('reader', '0'), ('helper', '0')) p (person, expected);
select extensions.is((select count(*)::integer from public.mail_addresses where secret = 'aaaaaaaaaaaaaaaaaaaa'), 0, 'a replaced secret cannot be chosen');
select extensions.matches(pg_temp.done('editor', 'update public.mail_addresses set made_by = ''' || md5('owner')::uuid || ''''), '^42501', 'the creator cannot be changed');
select extensions.matches(pg_temp.by(person, format('public.replace_mail_address(%L)', (select id from public.mail_addresses where name = 'letters'))), '^42501 The email address doesn’t', person || ' cannot replace an address')
  from unnest(array['reader', 'helper', 'outsider']) person;
create temporary table before as select id, secret from public.mail_addresses;
select extensions.is(pg_temp.by('editor', format('(public.replace_mail_address(%L)).made_by', (select id from before b join public.mail_addresses a using (id) where name = 'gro-e-cafe'))), md5('editor')::uuid::text, 'the person who replaces an address becomes the author of its emails');
select extensions.is((select count(*)::integer from before join public.mail_addresses a using (id, secret)), 2, 'replacing an address changes its secret');
select extensions.is(pg_temp.done(person, 'delete from public.mail_addresses where name = ''letters'''), '0', person || ' cannot delete an address') from unnest(array['reader', 'helper', 'outsider']) person;
select extensions.matches(pg_temp.by('editor', 'public.find_mail_address('''', '''', '''')'), '^42501', 'only the service role finds an address by its secret');
select extensions.matches(pg_temp.by('editor', format('public.add_mail(%L, '''', ''{}'')', (select id from before limit 1))), '^42501', 'only the service role adds emails');

-- Verdicts
create function pg_temp.verdict(name text, sender text, message text default 'm1') returns text
  language sql
as $$
  select public.find_mail_address(a.secret, sender, encode(sha256(message::bytea), 'hex')) ->> 'verdict' from public.mail_addresses a where a.name = verdict.name
$$;
create function pg_temp.mail(sender text, note boolean, files text[]) returns jsonb
  language sql
as $$
  select jsonb_build_object('sender_name', 'Ada', 'sender_address', sender, 'sent_at', '2026-03-05T10:00:00Z', 'subject', 'Lamps',
    'note', case when note then jsonb_build_object('id', md5(sender || 'note')::uuid, 'title', 'Lamps', 'body', 'Oil.') end,
    'files', (select coalesce(jsonb_agg(jsonb_build_object('id', md5(f)::uuid, 'path', md5('library')::uuid || '/' || md5(f)::uuid || '/x', 'file_name', f, 'title', f)), '[]') from unnest(files) f))
$$;
create function pg_temp.add(name text, message text, mail jsonb) returns text
  language sql
as $$ select public.add_mail(a.id, encode(sha256(message::bytea), 'hex'), mail) from public.mail_addresses a where a.name = add.name $$;
select extensions.is(public.find_mail_address('aaaaaaaaaaaaaaaaaaaa', '', ''), null, 'an unknown secret finds no address');
select extensions.is(pg_temp.verdict('gro-e-cafe', sender), expected, sender || ': ' || expected)
  from (values ('Reader@Example.org', 'open'), ('helper@example.org', 'open'), ('outsider@example.org', 'sender'), ('unconfirmed@example.org', 'sender'), ('', 'sender')) p (sender, expected);
select extensions.is(pg_temp.verdict('letters', 'stranger@example.net'), 'open', 'anyone can send to an open address');
insert into storage.objects (bucket_id, name) select 'documents', md5('library')::uuid || '/' || md5(f)::uuid || '/x' from unnest(array['a.pdf', 'b.pdf']) f;
select extensions.is(pg_temp.add('letters', 'm1', pg_temp.mail('stranger@example.net', true, array['a.pdf'])), 'open', 'an email is added');
select extensions.is(pg_temp.add('letters', 'm1', pg_temp.mail('stranger@example.net', true, array['a.pdf'])), 'known', 'an email is added only once');
select extensions.is((select string_agg(kind || ' ' || title || ' ' || (created_by = md5('editor')::uuid) || ' ' || (collection_id = md5('letters')::uuid), ', ' order by kind desc)
  from public.documents where library_id = md5('library')::uuid), 'note Lamps true true, file a.pdf true true', 'its documents belong to the address''s owner and collection');
select extensions.is((select count(*)::integer from public.activity where actor_id = md5('editor')::uuid and verb = 'document.added'), 2, 'the activity has the same author');
select extensions.is(current_setting('request.jwt.claims', true), '', 'the author''s claims are reset afterwards');
select extensions.is(pg_temp.by('reader', 'string_agg(sender_address, '','') from public.document_mails'), 'stranger@example.net,stranger@example.net', 'readers of a document see its sender');
select extensions.is(pg_temp.by('outsider', 'count(*) from public.document_mails'), '0', 'a stranger cannot see the sender');
select extensions.is(pg_temp.by(person, 'count(*) from public.received_mails where outcome = ''added'' and documents = 2'), expected, person || ' sees ' || expected || ' in the log')
  from (values ('editor', '1'), ('reader', '0'), ('helper', '0')) p (person, expected);
select extensions.throws_ok($$ select pg_temp.add('letters', 'm2', pg_temp.mail('x@example.net', true, array['missing.pdf'])) $$, '23503', null, 'an email is added completely or not at all');
select extensions.is(pg_temp.verdict('letters', '', 'm2'), 'open', 'a failed email can be sent again');

select public.refuse_mail(a.id, repeat('0', 64), pg_temp.mail('x@example.net', false, '{}'), 'sender') from public.mail_addresses a, generate_series(1, 105) where name = 'letters';
select extensions.is((select count(*)::integer from public.received_mails where outcome = 'sender'), 100, 'the log keeps a hundred rejected emails');

-- Notifications: the note counts immediately, the file when it is read.
select extensions.is((select done::text || ' ' || failed from private.imports where user_id = md5('editor')::uuid), '1 0', 'the owner will be notified of the import');

update public.mail_addresses set enabled = false where name = 'letters';
select extensions.is(pg_temp.verdict('letters', ''), 'off', 'a disabled address rejects emails');
update public.mail_addresses set enabled = true;
insert into public.received_mails (library_id, address_id, message_hash, outcome)
  select library_id, id, encode(sha256(n::text::bytea), 'hex'), 'added' from public.mail_addresses, generate_series(1, 199) n where name = 'letters';
select extensions.is(pg_temp.verdict('letters', '', 'm3'), 'busy', 'an address accepts two hundred emails an hour');
update public.members set role = 'reader' where user_id = md5('editor')::uuid;
select extensions.is(pg_temp.verdict('letters', ''), 'owner', 'an owner without edit access rejects emails');
select extensions.is(pg_temp.by('owner', format('(public.replace_mail_address(%L)).made_by', (select id from public.mail_addresses where name = 'letters'))), md5('owner')::uuid::text, 'another user can replace the address');
delete from public.collections where id = md5('letters')::uuid;
select extensions.is((select count(*)::integer from public.mail_addresses where name = 'letters' and collection_id is null), 1, 'an address outlives its collection');
select extensions.is(pg_temp.done('owner', 'delete from public.mail_addresses where name = ''letters'''), '1', 'an owner deletes the address');
select extensions.is((select count(*)::integer from public.received_mails where library_id = md5('library')::uuid), 0, 'deleting an address deletes its log');

select * from finish();
rollback;
