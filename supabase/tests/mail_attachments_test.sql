-- A mail's attachments become documents of its author, once
begin;
\ir helpers.psql
select plan(26);

select pg_temp.add_people('editor', 'helper', 'reader');
insert into public.libraries (id, name) values (md5('library')::uuid, 'A');
insert into public.members (library_id, user_id, role) values (md5('library')::uuid, md5('editor')::uuid, 'owner'),
  (md5('library')::uuid, md5('helper')::uuid, 'guest'), (md5('library')::uuid, md5('reader')::uuid, 'reader');
insert into public.collections (id, library_id, name) values (md5('letters')::uuid, md5('library')::uuid, 'Letters');
insert into public.collection_grants (library_id, collection_id, user_id, role)
  values (md5('library')::uuid, md5('letters')::uuid, md5('helper')::uuid, 'editor');
create function pg_temp.path(name text) returns text language sql as $$ select md5('library')::uuid || '/' || md5(name)::uuid || '/x' $$;
insert into storage.objects (bucket_id, name)
  select 'documents', pg_temp.path(name) from unnest(array['mail', 'own', 'lamp', 'wick', 'oil', 'inner', 'deep', 'late']) name;
create function pg_temp.add(person text, name text, rest text default '') returns text
  language sql
as $$ select pg_temp.by(person, format('(public.add_file(%L, %L, %L, %L, null, %L%s)).id', md5('library')::uuid, md5(name)::uuid, pg_temp.path(name), name || '.eml', md5('letters')::uuid, rest)) $$;

-- Reads a mail with attachments { name: hash, … } and returns the names of their documents, or none.
create function pg_temp.read(mail text, attached text[], hash text default '') returns text
  language plpgsql
as $$
declare
  taken uuid;
  kept uuid[];
begin
  perform public.read_again(array[md5(mail)::uuid]);
  insert into private.indexing_runs (document_id) values (md5(mail)::uuid) on conflict do nothing;
  update private.indexing_runs r set run = null, reported_at = null where r.document_id = md5(mail)::uuid;
  select t.run into taken from public.take_document(md5(mail)::uuid) t;
  kept := public.add_attachments(taken, (select d.current_version_id from public.documents d where d.id = md5(mail)::uuid), (
    select jsonb_agg(jsonb_build_object('id', md5(name)::uuid, 'path', pg_temp.path(name), 'file_name', name || '.eml', 'title', name,
      'content_hash', encode(sha256(convert_to(hash || name, 'UTF8')), 'hex')) order by place) from unnest(attached) with ordinality a (name, place)));
  return (select string_agg(coalesce(d.title, '-'), ' ' order by place) from unnest(kept) with ordinality k (id, place) left join public.documents d using (id));
end
$$;
create function pg_temp.left_of(name text) returns integer
  language sql
as $$ select v.attachments_left from public.documents d join public.versions v on v.id = d.current_version_id where d.id = md5(name)::uuid $$;

select extensions.isnt(pg_temp.add('helper', 'mail'), null, 'a guest with edit access adds an email to a collection');
select extensions.is(pg_temp.left_of('mail'), 500, 'its attachments are not extracted yet');
select extensions.is(pg_temp.read('mail', array['lamp', 'wick', 'lamp']), 'lamp wick lamp', 'attachments become documents, without duplicates');
select extensions.is((select string_agg(d.title || ' ' || d.kind || ' ' || d.state || ' ' || p.display_name || ' ' || c.name, ', ' order by d.title)
  from public.documents d join public.profiles p on p.id = d.created_by join public.collections c on c.id = d.collection_id where d.title in ('lamp', 'wick')),
  'lamp file queued helper Letters, wick file queued helper Letters', 'attachments are queued documents of the person, in the email''s collection');
select extensions.is((select string_agg(distinct v.created_by::text || v.is_published, ' ') from public.versions v where v.document_id in (md5('lamp')::uuid, md5('wick')::uuid)),
  md5('helper')::uuid::text || 'true', 'versions have the same author');
select extensions.is((select string_agg(a.actor_id::text, ' ') from public.activity a where a.verb = 'document.added' and a.document_id in (md5('lamp')::uuid, md5('wick')::uuid)),
  md5('helper')::uuid || ' ' || md5('helper')::uuid, 'the log has the same author');
select extensions.is(pg_temp.left_of('mail') || ' ' || pg_temp.left_of('lamp'), '0 124', 'attachments in nested emails share half of the remaining limit');
select extensions.is(coalesce(nullif(current_setting('request.jwt.claims', true), ''), 'none'), 'none', 'the author''s claims are reset afterwards');

-- Reading again
select extensions.is(pg_temp.read('mail', array['lamp', 'wick', 'oil']), 'lamp wick -', 'reading again returns the same documents and creates none');
select pg_temp.done('helper', format('update public.documents set deleted_at = now() where id = %L', md5('lamp')::uuid));
update public.documents set deleted_at = now() - interval '40 days' where id = md5('wick')::uuid;
select public.purge_trash();
select extensions.is(pg_temp.read('mail', array['lamp', 'wick']), '- -', 'attachments that were deleted are not created again');
update public.documents set deleted_at = null where id = md5('lamp')::uuid;
select extensions.is(pg_temp.read('mail', array['lamp', 'wick']), 'lamp -', 'a restored attachment is returned again');
select extensions.is(public.add_attachments(md5('nobody')::uuid, md5('nobody')::uuid, '[]')::text, null, 'a run without its document creates nothing');

-- Existing files
insert into storage.objects (bucket_id, name) values ('documents', pg_temp.path('again'));
select pg_temp.add('helper', 'again');
select extensions.is(pg_temp.read('again', array['own']), 'own', 'another email has another attachment');
select extensions.is((select count(*)::integer from public.documents d where d.title = 'own'), 1, 'the attachment is added');
insert into storage.objects (bucket_id, name) values ('documents', pg_temp.path('third'));
select pg_temp.add('helper', 'third');
update public.documents set content_hash = encode(sha256('x late'::bytea), 'hex') where title = 'own';
select extensions.is(pg_temp.read('third', array['late'], 'x '), 'own', 'a file that already exists in the collection is reused');
select extensions.is((select count(*)::integer from public.documents d where d.title = 'late'), 0, 'the file is not added again');

-- Nested mails
select extensions.is(pg_temp.read('lamp', array['inner']), 'inner', 'a nested email is extracted when it is read');
select extensions.is(pg_temp.left_of('inner'), 61, 'it gets half of the remaining limit');
update public.versions set attachments_left = 1 where document_id = md5('inner')::uuid;
select extensions.is(pg_temp.read('inner', array['deep', 'oil']), 'deep -', 'attachments over the limit are skipped');
select extensions.is(pg_temp.left_of('deep'), 0, 'the limit reaches zero');
select extensions.is(pg_temp.read('deep', array['oil']), '-', 'deeper attachments are skipped');

-- Rights
insert into storage.objects (bucket_id, name) select 'documents', pg_temp.path(name) from unnest(array['apart', 'former', 'nobody']) name;
select extensions.isnt(pg_temp.add('editor', 'apart', ', null, false'), null, 'an email can be added without its attachments');
select extensions.is(pg_temp.left_of('apart') || pg_temp.read('apart', array['oil']), '0-', 'they are not extracted later');
select pg_temp.add('helper', 'former');
update public.collection_grants set role = 'reader';
select extensions.is(pg_temp.read('former', array['oil']), '-', 'an author without edit access adds no attachments');
insert into public.documents (id, library_id, kind, title, created_by) values (md5('nobody')::uuid, md5('library')::uuid, 'file', 'Nobody''s', null);
insert into public.versions (library_id, document_id, storage_path, mime_type, size_bytes) values (md5('library')::uuid, md5('nobody')::uuid, pg_temp.path('nobody'), '', 0);
select extensions.is(pg_temp.read('nobody', array['oil']), '-', 'an author who has left adds no attachments');
select extensions.matches(pg_temp.by('editor', 'public.add_attachments(null, null, ''[]'')'), '^42501', 'only the service role adds attachments');

select * from extensions.finish();
rollback;
