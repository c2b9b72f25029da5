-- Verification: who sets it, who is reminded, and how a shelf finds due documents
begin;
\ir helpers.psql
select plan(36);

select pg_temp.add_people('owner', 'editor', 'reader', 'guest', 'stranger');
insert into public.libraries (id, name) values (md5('library')::uuid, 'Lab'), (md5('other')::uuid, 'Other');
insert into public.members (library_id, user_id, role) select md5(library)::uuid, md5(person)::uuid, role::public.member_role
  from (values ('library', 'owner', 'owner'), ('library', 'editor', 'editor'), ('library', 'reader', 'reader'), ('library', 'guest', 'guest'),
    ('other', 'stranger', 'owner')) m (library, person, role);
insert into public.collections (id, library_id, name) values (md5('shared')::uuid, md5('library')::uuid, 'Shared');
insert into public.collection_grants (library_id, collection_id, user_id, role)
  values (md5('library')::uuid, md5('shared')::uuid, md5('guest')::uuid, 'editor');
insert into public.documents (id, library_id, collection_id, kind, title)
  select md5(title)::uuid, md5('library')::uuid, md5(place)::uuid, 'file', title
  from (values ('Handbook', null), ('Leaflet', 'shared')) d (title, place);

create function pg_temp.verify(person text, title text, until date, verifier text default null) returns text
  language sql
as $$
  select pg_temp.done(person, format('update public.documents set verified_until = %L, verifier_id = %L where title = %L',
    until, md5(verifier)::uuid, title))
$$;
create function pg_temp.verification(title text) returns text
  language sql
as $$
  select concat_ws(' ', d.verified_until - current_date, p.display_name, (d.verified_at = now())::text)
  from public.documents d left join public.profiles p on p.id = d.verifier_id where d.title = verification.title
$$;
create function pg_temp.reminded() returns text
  language sql
as $$
  select string_agg(p.display_name || ': ' || d.title, ', ' order by p.display_name, d.title)
  from public.notifications n join public.profiles p on p.id = n.user_id join public.documents d on d.id = n.document_id
  where n.kind = 'verification' and n.read_at is null
$$;

-- Setting
select extensions.is(pg_temp.verify(person, 'Handbook', current_date + 90), '0', person || ' cannot verify')
  from unnest(array['reader', 'guest', 'stranger']) person;
select extensions.is(pg_temp.verify('editor', 'Handbook', current_date + 90), '1', 'an editor verifies a document');
select extensions.is(pg_temp.verification('Handbook'), '90 editor true', 'the editor is the next verifier by default');
select extensions.is(pg_temp.verify('guest', 'Leaflet', current_date + 90), '1', 'a guest with edit access verifies');
select extensions.is(pg_temp.verify('editor', 'Handbook', current_date + 90, 'reader'), '1', 'a reader can be the next verifier');
select extensions.is(pg_temp.verification('Handbook'), '90 reader true', 'the reader is stored as the next verifier');
select extensions.matches(pg_temp.verify('editor', 'Handbook', current_date + 90, 'guest'), '^23514 Only people who can see the',
  'a guest without access cannot be the verifier');
select extensions.matches(pg_temp.verify('editor', 'Handbook', current_date + 90, 'stranger'), '^23514 Only people who can see the', 'a stranger cannot be the verifier');
select extensions.matches(pg_temp.verify('editor', 'Handbook', current_date - 2), '^23514 Choose a date that isn’t in the past.', 'a date in the past is rejected');
select extensions.matches(pg_temp.verify('editor', 'Handbook', 'infinity'), '^23514', 'an infinite date is rejected');
select extensions.matches(pg_temp.done('editor', $$update public.documents set verified_at = now() - interval '1 year'$$), '^42501',
  'the time of verification cannot be set');
select extensions.matches(pg_temp.done('editor', 'update public.documents set verification_reminders = 2'), '^42501', 'the state of reminders cannot be set');
select extensions.is((select string_agg(a.verb || ' ' || (a.subject ->> 'title'), ', ' order by a.id) from public.activity a where a.verb ~ 'verified'),
  'document.verified Handbook, document.verified Leaflet', 'verification is logged without the next verifier');
select extensions.is((select updated_at from public.documents where title = 'Handbook'), now(), 'verification does not change updated_at');

-- Reminders
select extensions.is(public.remind_of_verifications(), 0, 'no reminder is sent months before');
update public.documents set verified_until = current_date + 15 where title = 'Handbook';
select extensions.is(public.remind_of_verifications(), 0, 'no reminder is sent fifteen days before');
update public.documents set verified_until = current_date + 14 where title = 'Handbook';
select extensions.is(public.remind_of_verifications(), 1, 'a reminder is sent two weeks before');
select extensions.is(pg_temp.reminded(), 'reader: Handbook', 'the reminder goes to the verifier');
select extensions.is(public.remind_of_verifications(), 0, 'a reminder is sent once');
select extensions.is(pg_temp.by('reader', 'count(*) from public.notifications'), '1', 'the verifier sees it');
select extensions.is((select count(*)::integer from private.mail_queue), 1, 'an email is queued');
update public.documents set verified_until = current_date - 1 where title = 'Handbook';
select extensions.is(pg_temp.reminded(), null, 'a new date removes the reminder');
select extensions.is(public.remind_of_verifications(), 1, 'a second reminder is sent on the date');
select extensions.is(pg_temp.verify('editor', 'Handbook', current_date + 14, 'reader'), '1', 'the document is verified again');
select extensions.is(pg_temp.reminded(), null, 'verifying removes the reminder');
delete from public.members where user_id = md5('reader')::uuid;
select extensions.is(public.remind_of_verifications(), 1, 'a reminder is sent after the verifier has left');
select extensions.is(pg_temp.reminded(), 'owner: Handbook', 'the reminder goes to the owners');
update public.documents set deleted_at = now(), verified_until = current_date - 1 where title = 'Leaflet';
select extensions.is(public.remind_of_verifications(), 0, 'documents in the trash cause no reminder');

-- Filters
select extensions.is(pg_temp.by('owner', format('string_agg(d.title, '','') from public.shelf_page(%L, %L) p join public.documents d on d.id = p.document_id',
  md5('library')::uuid, jsonb_build_object('verified_to', current_date + 14))), 'Handbook', 'a shelf is filtered by due documents');
select extensions.is(pg_temp.by('owner', format('public.document_facets(%L) -> ''verified''', md5('library')::uuid)), 'true', 'the facets include verified documents');
update public.documents set state = 'failed' where title = 'Handbook';
select extensions.is(pg_temp.by('owner', format('string_agg(d.title, '','') from public.shelf_page(%L, ''{"state": "failed"}'') p
  join public.documents d on d.id = p.document_id', md5('library')::uuid)), 'Handbook', 'a shelf is filtered by failed documents');
select extensions.is(pg_temp.by('owner', format('public.document_facets(%L) -> ''failed''', md5('library')::uuid)), 'true', 'the facets include failed documents');

select extensions.is(pg_temp.verify('editor', 'Handbook', null), '1', 'a verification is removed');
select extensions.is(pg_temp.verification('Handbook'), '', 'nothing is left of it');

select * from extensions.finish();
rollback;
