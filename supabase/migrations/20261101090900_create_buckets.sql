-- Where files lie: `documents` (private, `<library>/<document>/<anything>`) and `avatars` (public, `<person>/<anything>`)
insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
values
  ('documents', 'documents', false, 52428800, array[
    'application/pdf', 'text/markdown', 'text/html', 'text/plain', 'text/csv', 'application/epub+zip',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    'image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif', 'application/octet-stream'
  ]),
  ('avatars', 'avatars', true, 5242880, array['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif']);

-- The library a path begins with; null, and so no library at all, for anything that is not a path of ours.
create function private.library_of_path(path text) returns uuid
  language sql immutable strict parallel safe set search_path = ''
as $$
  select case when path ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/[^/]'
    then split_part(path, '/', 1)::uuid end
$$;

/* A stored file is as lasting as what refers to it: editors may take away what no version names (an upload that was given
   up), owners also the files of what is in the trash. Runs as its owner to see versions the caller may not. */
create function private.is_removable(path text) returns boolean
  language sql stable security definer set search_path = ''
as $$
  select not exists (
    select from public.versions v join public.documents d on d.id = v.document_id
    where path in (v.storage_path, v.rendition_path)
      and not (d.deleted_at is not null and d.library_id in (select private.library_ids('owner')))
  )
$$;
grant execute on function private.library_of_path, private.is_removable to authenticated, service_role;

-- No policy for update: a stored file is never overwritten, moved or renamed.
-- Readers read the files of documents they see (the sub-select is under row security), editors also what is not yet one.
create policy "members read their libraries' files" on storage.objects for select to authenticated
  using (
    bucket_id = 'documents' and private.library_of_path(name) in (select private.library_ids('guest'))
    and (
      private.library_of_path(name) in (select private.library_ids('editor'))
      or exists (select from public.versions v where name in (v.storage_path, v.rendition_path))
    )
  );
create policy "editors upload files" on storage.objects for insert to authenticated
  with check (
    bucket_id = 'documents' and (
      private.library_of_path(name) in (select private.library_ids('editor'))
      -- Whoever edits one collection: which document it will be, and where, is checked when the file becomes its version.
      or private.library_of_path(name) in (
        select g.library_id from public.collection_grants g where g.user_id = (select auth.uid()) and g.role = 'editor'))
  );
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
