-- Covers: a small picture of each document for the shelf, stored beside its file and named by its version
alter table public.versions add column cover_path text unique; -- in the bucket `documents`

/* What may be a cover: a stored picture of the document, of a type that every browser shows, at most 200 KB.
   Runs as its owner to look into the bucket. */
create function private.check_cover() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  stored jsonb;
begin
  if new.cover_path not like new.library_id || '/' || new.document_id || '/%' then
    raise exception 'A cover of this document is stored under %/%/.', new.library_id, new.document_id using errcode = '23514';
  end if;
  select o.metadata into stored from storage.objects o where o.bucket_id = 'documents' and o.name = new.cover_path;
  if not found then
    raise exception 'The cover % is not in the library''s storage.', new.cover_path using errcode = '23503';
  end if;
  if (stored ->> 'mimetype' in ('image/webp', 'image/jpeg', 'image/png') and (stored ->> 'size')::bigint <= 204800) is not true then
    raise exception 'A cover is a WebP, JPEG or PNG image of at most % bytes.', 204800 using errcode = '23514';
  end if;
  return new;
end
$$;
create trigger check_cover before insert or update of cover_path on public.versions
  for each row when (new.cover_path is not null) execute function private.check_cover();

/* Names the cover of a document's current version, which a browser has made and stored: WebP or JPEG, at most 40 KB. Returns the
   path of the version's cover, which is another one when it had one already. Refused: to those who may not edit the document
   (42501), for a file that is not there (23503), and for one that is no cover (23514).
   Runs as its owner because nobody may change a version. */
create function public.set_cover(version uuid, path text) returns text
  language plpgsql security definer set search_path = ''
as $$
declare
  cover text;
begin
  -- The document is locked, so that of two browsers the second one finds the first one's cover.
  perform from public.documents d
    where d.current_version_id = version and d.deleted_at is null
      and (d.library_id in (select private.library_ids('editor'))
        or d.collection_id in (select private.granted_collections('editor')))
    for no key update;
  if not found then
    raise exception 'The document is not there, has a newer version, or you may not edit it.' using errcode = '42501';
  end if;
  select v.cover_path into cover from public.versions v where v.id = version;
  if cover is not null then return cover; end if;
  if exists (
    select from storage.objects o
    where o.bucket_id = 'documents' and o.name = path
      and (o.metadata ->> 'mimetype' in ('image/webp', 'image/jpeg') and (o.metadata ->> 'size')::bigint <= 40960) is not true
  ) then
    raise exception 'A cover that a browser makes is WebP or JPEG of at most % bytes.', 40960 using errcode = '23514';
  end if;
  update public.versions v set cover_path = path where v.id = version;
  return path;
end
$$;
grant execute on function public.set_cover to authenticated;

-- Whoever sees the version sees its cover, as its file and its rendition.
drop policy "members read their libraries' files" on storage.objects;
create policy "members read their libraries' files" on storage.objects for select to authenticated
  using (
    bucket_id = 'documents' and private.library_of_path(name) in (select private.library_ids('guest'))
    and (
      private.library_of_path(name) in (select private.library_ids('editor'))
      or exists (select from public.versions v where name in (v.storage_path, v.rendition_path, v.cover_path))
    )
  );

/* As before; a cover, too, is as lasting as the version that names it. */
create or replace function private.is_removable(path text) returns boolean
  language sql stable security definer set search_path = ''
as $$
  select not exists (
    select from public.versions v join public.documents d on d.id = v.document_id
    where path in (v.storage_path, v.rendition_path, v.cover_path)
      and not (d.deleted_at is not null and d.library_id in (select private.library_ids('owner')))
  )
$$;

/* As before, with covers: those of deleted versions, and those that a browser stored while another one was first. */
create or replace function public.unreferenced_files(max_results integer default 500) returns table (bucket text, path text)
  language sql stable security definer set search_path = ''
as $$
  select o.bucket_id, o.name from storage.objects o
  where o.created_at < now() - interval '1 day' and (
    (o.bucket_id = 'documents' and not exists (select from public.versions v where v.storage_path = o.name)
      and not exists (select from public.versions v where v.rendition_path = o.name)
      and not exists (select from public.versions v where v.cover_path = o.name))
    or (o.bucket_id = 'avatars' and not exists (select from public.profiles p where p.avatar_path = o.name))
  )
  limit max_results
$$;
