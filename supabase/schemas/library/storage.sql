-- Buckets: `documents` and `pictures` (private, `<library>/<document>/<anything>`) and `avatars` (public, `<person>/<anything>`).

-- `documents` accepts the types of supabase/functions/_shared/file-kinds.ts (compared by a test), and other files as bytes, which browsers
-- don't render. Notes refer to `pictures/<id>.<type>`, so that exports keep their text. No SVG: it may contain scripts.
insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
values
  ('documents', 'documents', false, 52428800, array[
    'application/pdf',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    'application/vnd.openxmlformats-officedocument.presentationml.presentation',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    'application/epub+zip', 'application/vnd.oasis.opendocument.text', 'application/vnd.oasis.opendocument.presentation',
    'application/vnd.oasis.opendocument.spreadsheet', 'application/msword', 'application/vnd.ms-powerpoint', 'application/vnd.ms-excel',
    'application/rtf', 'message/rfc822', 'multipart/related',
    'text/markdown', 'text/html', 'text/plain', 'text/csv',
    'image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif', 'image/tiff', 'image/heic',
    'video/mp4', 'video/webm', 'audio/mpeg', 'audio/mp4', 'audio/ogg', 'audio/wav', 'audio/flac',
    -- Also for files whose type is detected on reading: mail attachments, imported files
    'application/octet-stream'
  ]),
  ('avatars', 'avatars', true, 5242880, array['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif']),
  ('pictures', 'pictures', false, 10485760, array['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif']);

-- Returns the library that a path begins with; null, which matches no library, for invalid paths.
create function private.library_of_path(path text) returns uuid
  language sql immutable strict parallel safe set search_path = ''
as $$
  select case when path ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/[^/]'
    then split_part(path, '/', 1)::uuid end
$$;
grant execute on function private.library_of_path to authenticated, service_role;

/* Editors may delete unregistered files, owners also those of trashed documents. Never files of kept documents, or waiting ones.
   Runs as its owner to see versions that the caller can't. Covers count like their version. */
create function private.is_removable(path text) returns boolean
  language sql stable security definer set search_path = ''
as $$
  select not exists (
    select from public.versions v join public.documents d on d.id = v.document_id
    where path in (v.storage_path, v.rendition_path, v.cover_path)
      and (not (d.deleted_at is not null and d.library_id in (select private.library_ids('owner'))) or private.why_kept(d) is not null)
  ) and not exists (select from public.received_files f where f.path = is_removable.path and f.state = 'waiting')
$$;
grant execute on function private.is_removable to authenticated, service_role;

/* Returns stored files that nothing refers to, such as those of purged documents, abandoned uploads and replaced covers. Only after a day,
   because uploads are registered once complete, and not received files that wait. The storage service deletes them. */
create function public.unreferenced_files(max_results integer default 500) returns table (bucket text, path text)
  language sql stable set search_path = ''
as $$
  select o.bucket_id, o.name from storage.objects o
  where o.created_at < now() - interval '1 day' and (
    (o.bucket_id = 'documents' and not exists (select from public.versions v where v.storage_path = o.name)
      and not exists (select from public.versions v where v.rendition_path = o.name)
      and not exists (select from public.versions v where v.cover_path = o.name)
      and not exists (select from public.received_files f where f.path = o.name and f.state = 'waiting'))
    or (o.bucket_id = 'avatars' and not exists (select from public.profiles p where p.avatar_path = o.name))
    or (o.bucket_id = 'pictures' and not exists (select from public.documents d where d.id = private.document_of_picture(o.name)))
  )
  limit max_results
$$;
grant execute on function public.unreferenced_files to service_role;

-- Returns the document in a picture's path; null for invalid paths.
create function private.document_of_picture(path text) returns uuid
  language sql immutable strict parallel safe set search_path = ''
as $$
  select case
    when path ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.(png|jpg|webp|gif|avif)$'
    then split_part(path, '/', 2)::uuid end
$$;
grant execute on function private.document_of_picture to authenticated, service_role;

/* Keeps stored files as they were approved. Policies can't: an upload that was allowed to replace nothing may end after the file exists. */
create function private.keep_stored_file() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  raise insufficient_privilege using message = 'Stored files never change.';
end
$$;
create trigger keep_stored_file before update of version on storage.objects for each row
  when (old.bucket_id in ('documents', 'pictures') and new.version is distinct from old.version) execute function private.keep_stored_file();

create policy "editors remove files nothing refers to" on storage.objects for delete to authenticated
  using (
    bucket_id = 'documents' and private.library_of_path(name) in (select private.library_ids('editor'))
    and private.is_removable(name)
  );
create policy "people see the files of their own picture" on storage.objects for select to authenticated
  using (bucket_id = 'avatars' and (storage.foldername(name))[1] = (select auth.uid())::text);
create policy "people upload their own picture" on storage.objects for insert to authenticated
  with check (bucket_id = 'avatars' and (storage.foldername(name))[1] = (select auth.uid())::text);
create policy "people replace their own picture" on storage.objects for update to authenticated
  using (bucket_id = 'avatars' and (storage.foldername(name))[1] = (select auth.uid())::text)
  with check (bucket_id = 'avatars' and (storage.foldername(name))[1] = (select auth.uid())::text);
create policy "people remove their own picture" on storage.objects for delete to authenticated
  using (bucket_id = 'avatars' and (storage.foldername(name))[1] = (select auth.uid())::text);
-- No policy for update: stored files never change. People who see a version see its files; editors also see unregistered ones.
create policy "members read their libraries' files" on storage.objects for select to authenticated
  using (
    bucket_id = 'documents' and private.library_of_path(name) in (select private.library_ids('guest'))
    and (
      private.library_of_path(name) in (select private.library_ids('editor'))
      or exists (select from public.versions v where name in (v.storage_path, v.rendition_path, v.cover_path))
      or exists (select from public.received_files f where f.path = name and f.state = 'waiting')
    )
  );
-- People who see a note see its pictures (row security applies), those of a waiting change only with it. No policy for update or delete:
-- earlier versions use them too.
create policy "members see the pictures of notes they see" on storage.objects for select to authenticated
  using (
    bucket_id = 'pictures' and exists (
      select from public.documents d
      where d.id = private.document_of_picture(name) and d.library_id = private.library_of_path(name)
        and (d.proposed_version_id is null or exists (
          select from public.versions v where v.document_id = d.id and position(split_part(name, '/', 3) in v.body) > 0))
    )
  );
create policy "editors add pictures to notes" on storage.objects for insert to authenticated
  with check (
    bucket_id = 'pictures' and exists (
      select from public.documents d
      where d.id = private.document_of_picture(name) and d.library_id = private.library_of_path(name)
        and d.kind = 'note' and d.deleted_at is null
        and (d.library_id in (select private.library_ids('editor'))
          or d.collection_id in (select private.granted_collections('editor')))
    )
  );
-- Editors of a single collection may upload. The target is checked when the file becomes a version, whose missing file no other can replace.
create policy "editors upload files" on storage.objects for insert to authenticated
  with check (
    bucket_id = 'documents' and private.is_removable(name) and (
      private.library_of_path(name) in (select private.library_ids('editor'))
      or private.library_of_path(name) in (
        select c.library_id from public.collections c where c.id in (select private.granted_collections('editor'))))
  );
