-- Pictures in notes: `pictures` (private, `<library>/<note>/<id>.<type>`). A note names them `pictures/<id>.<type>`, without its own
-- id, so that its text stays the same in an export. SVG is not among the types: it may hold scripts.
insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
values ('pictures', 'pictures', false, 10485760, array['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif']);

-- The document that a picture's path names; null for anything that is not such a path.
create function private.document_of_picture(path text) returns uuid
  language sql immutable strict parallel safe set search_path = ''
as $$
  select case
    when path ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.(png|jpg|webp|gif|avif)$'
    then split_part(path, '/', 2)::uuid end
$$;
grant execute on function private.document_of_picture to authenticated, service_role;

-- Whoever sees a note sees its pictures (the sub-select is under row security). No policy for update or delete: earlier versions of a
-- note have the pictures too, and they go with it.
create policy "members see the pictures of notes they see" on storage.objects for select to authenticated
  using (
    bucket_id = 'pictures' and exists (
      select from public.documents d
      where d.id = private.document_of_picture(name) and d.library_id = private.library_of_path(name)
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

/* As before, with the pictures of notes that are gone. */
create or replace function public.unreferenced_files(max_results integer default 500) returns table (bucket text, path text)
  language sql stable security definer set search_path = ''
as $$
  select o.bucket_id, o.name from storage.objects o
  where o.created_at < now() - interval '1 day' and (
    (o.bucket_id = 'documents' and not exists (select from public.versions v where v.storage_path = o.name)
      and not exists (select from public.versions v where v.rendition_path = o.name)
      and not exists (select from public.versions v where v.cover_path = o.name))
    or (o.bucket_id = 'avatars' and not exists (select from public.profiles p where p.avatar_path = o.name))
    or (o.bucket_id = 'pictures' and not exists (select from public.documents d where d.id = private.document_of_picture(o.name)))
  )
  limit max_results
$$;
