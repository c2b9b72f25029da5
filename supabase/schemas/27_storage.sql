-- Where files lie: `documents` and `pictures` (private, `<library>/<document>/<anything>`) and `avatars` (public, `<person>/<anything>`).

-- The bucket `documents` takes the kinds of supabase/functions/_shared/file-kinds.ts (tests/acceptance/file-kinds.test.ts compares
-- them) and any other file as bytes, which no browser shows.
-- A note names its pictures `pictures/<id>.<type>`, without its own id, so that its text stays the same in an export. SVG is not
-- among the types: it may hold scripts.
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
    -- Also what programs store whose type is found out when it is read: attachments of mails, imported files
    'application/octet-stream'
  ]),
  ('avatars', 'avatars', true, 5242880, array['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif']),
  ('pictures', 'pictures', false, 10485760, array['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif']);

-- The library a path begins with; null, and so no library at all, for anything that is not a path of ours.
create function private.library_of_path(path text) returns uuid
  language sql immutable strict parallel safe set search_path = ''
as $$
  select case when path ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/[^/]'
    then split_part(path, '/', 1)::uuid end
$$;
grant execute on function private.library_of_path to authenticated, service_role;

/* A stored file is as lasting as what refers to it: editors may take away what no version names (an upload that was given
   up), owners also the files of what is in the trash. Runs as its owner to see versions the caller may not.
   A cover, too, is as lasting as the version that names it.
   Nor is a file of a document that is kept, nor one that came by a request and waits. */
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

/* Stored files that no version and no profile names, at most `max_results` of them: of purged documents, deleted libraries and
   accounts, and uploads that were given up. A day old at least, because an upload is registered only once it is complete. The
   files themselves are the storage service's to remove.
   With covers: those of deleted versions, and those that a browser stored while another one was first.
   With the pictures of notes that are gone. Without files that came by a request and wait. */
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

-- The document that a picture's path names; null for anything that is not such a path.
create function private.document_of_picture(path text) returns uuid
  language sql immutable strict parallel safe set search_path = ''
as $$
  select case
    when path ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.(png|jpg|webp|gif|avif)$'
    then split_part(path, '/', 2)::uuid end
$$;
grant execute on function private.document_of_picture to authenticated, service_role;

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
-- No policy for update: a stored file is never overwritten, moved or renamed. Whoever sees the version sees its file, its
-- rendition and its cover; editors also see what is not yet a version's.
create policy "members read their libraries' files" on storage.objects for select to authenticated
  using (
    bucket_id = 'documents' and private.library_of_path(name) in (select private.library_ids('guest'))
    and (
      private.library_of_path(name) in (select private.library_ids('editor'))
      or exists (select from public.versions v where name in (v.storage_path, v.rendition_path, v.cover_path))
      or exists (select from public.received_files f where f.path = name and f.state = 'waiting')
    )
  );
-- Whoever sees a note sees its pictures (the sub-selects are under row security), but those of a change that waits only who sees the
-- change. No policy for update or delete: earlier versions of a note have the pictures too, and they go with it.
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
-- Whoever edits one collection uploads its files. Which document it will be, and where, is checked when the file becomes its
-- version.
create policy "editors upload files" on storage.objects for insert to authenticated
  with check (
    bucket_id = 'documents' and (
      private.library_of_path(name) in (select private.library_ids('editor'))
      or private.library_of_path(name) in (
        select c.library_id from public.collections c where c.id in (select private.granted_collections('editor'))))
  );
