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
select extensions.is(pg_temp.verify(person, 'Handbook', current_date + 90), '0', 'no verification by: ' || person)
  from unnest(array['reader', 'guest', 'stranger']) person;
select extensions.is(pg_temp.verify('editor', 'Handbook', current_date + 90), '1', 'an editor verifies a document');
select extensions.is(pg_temp.verification('Handbook'), '90 editor true', 'and looks at it again, unless somebody else is named');
select extensions.is(pg_temp.verify('guest', 'Leaflet', current_date + 90), '1', 'a guest who edits verifies, too');
select extensions.is(pg_temp.verify('editor', 'Handbook', current_date + 90, 'reader'), '1', 'a reader can be asked');
select extensions.is(pg_temp.verification('Handbook'), '90 reader true', 'who is then the one who looks at it again');
select extensions.matches(pg_temp.verify('editor', 'Handbook', current_date + 90, 'guest'), '^23514 Only people who can see the',
  'a guest who does not see the document cannot');
select extensions.matches(pg_temp.verify('editor', 'Handbook', current_date + 90, 'stranger'), '^23514 Only people who can see the', 'nor a stranger');
select extensions.matches(pg_temp.verify('editor', 'Handbook', current_date - 2), '^23514 Choose a date that isn’t in the past.', 'not until a day that is over');
select extensions.matches(pg_temp.verify('editor', 'Handbook', 'infinity'), '^23514', 'nor for ever');
select extensions.matches(pg_temp.done('editor', $$update public.documents set verified_at = now() - interval '1 year'$$), '^42501',
  'nobody chooses when it was said');
select extensions.matches(pg_temp.done('editor', 'update public.documents set verification_reminders = 2'), '^42501', 'or that it was told');
select extensions.is((select string_agg(a.verb || ' ' || (a.subject ->> 'title'), ', ' order by a.id) from public.activity a where a.verb ~ 'verified'),
  'document.verified Handbook, document.verified Leaflet', 'the log says that a document was verified, not who is asked');
select extensions.is((select updated_at from public.documents where title = 'Handbook'), now(), 'a verification is no change of the document');

-- Reminders
select extensions.is(public.remind_of_verifications(), 0, 'nobody is reminded months before');
update public.documents set verified_until = current_date + 15 where title = 'Handbook';
select extensions.is(public.remind_of_verifications(), 0, 'or fifteen days before');
update public.documents set verified_until = current_date + 14 where title = 'Handbook';
select extensions.is(public.remind_of_verifications(), 1, 'two weeks before, somebody is');
select extensions.is(pg_temp.reminded(), 'reader: Handbook', 'the person who was asked');
select extensions.is(public.remind_of_verifications(), 0, 'once');
select extensions.is(pg_temp.by('reader', 'count(*) from public.notifications'), '1', 'they see it');
select extensions.is((select count(*)::integer from private.mail_queue), 1, 'a mail is due');
update public.documents set verified_until = current_date - 1 where title = 'Handbook';
select extensions.is(pg_temp.reminded(), null, 'another day ends the reminder of the day before');
select extensions.is(public.remind_of_verifications(), 1, 'when the day is over, they are reminded again');
select extensions.is(pg_temp.verify('editor', 'Handbook', current_date + 14, 'reader'), '1', 'it is verified again');
select extensions.is(pg_temp.reminded(), null, 'and nobody has to look at it');
delete from public.members where user_id = md5('reader')::uuid;
select extensions.is(public.remind_of_verifications(), 1, 'when the person has left the library');
select extensions.is(pg_temp.reminded(), 'owner: Handbook', 'its owners are reminded');
update public.documents set deleted_at = now(), verified_until = current_date - 1 where title = 'Leaflet';
select extensions.is(public.remind_of_verifications(), 0, 'nobody is reminded of what is in the trash');

-- Filters
select extensions.is(pg_temp.by('owner', format('string_agg(d.title, '','') from public.shelf_page(%L, %L) p join public.documents d on d.id = p.document_id',
  md5('library')::uuid, jsonb_build_object('verified_to', current_date + 14))), 'Handbook', 'a shelf is narrowed to what is due');
select extensions.is(pg_temp.by('owner', format('public.document_facets(%L) -> ''verified''', md5('library')::uuid)), 'true', 'something is verified');
update public.documents set state = 'failed' where title = 'Handbook';
select extensions.is(pg_temp.by('owner', format('string_agg(d.title, '','') from public.shelf_page(%L, ''{"state": "failed"}'') p
  join public.documents d on d.id = p.document_id', md5('library')::uuid)), 'Handbook', 'or to what could not be read');
select extensions.is(pg_temp.by('owner', format('public.document_facets(%L) -> ''failed''', md5('library')::uuid)), 'true', 'which there is');

select extensions.is(pg_temp.verify('editor', 'Handbook', null), '1', 'a verification is ended');
select extensions.is(pg_temp.verification('Handbook'), '', 'and leaves nothing');

select * from extensions.finish();
rollback;
