-- A document's versions, which are never overwritten, and their covers.

create table public.versions (
  id uuid primary key default gen_random_uuid(),
  library_id uuid not null,
  document_id uuid not null,
  number integer not null check (number > 0),
  -- Either a path in the bucket `documents` or a note's text (Markdown).
  storage_path text unique check (storage_path !~ '(^|/)\.{1,2}(/|$)' and char_length(storage_path) <= 1024),
  body text check (octet_length(body) <= 1048576),
  file_name text check (char_length(file_name) between 1 and 255 and file_name !~ '[/\\]'),
  mime_type text not null check (char_length(mime_type) <= 255),
  size_bytes bigint not null check (size_bytes between 0 and 52428800),
  content_hash text check (content_hash ~ '^[0-9a-f]{64}$'), -- SHA-256
  created_by uuid default auth.uid() references public.profiles on delete set null,
  created_at timestamptz not null default now(),
  -- Found by reading it. `outline` is the table of contents: [{ title, level, page }].
  page_count integer,
  width integer check (width > 0),
  height integer check (height > 0),
  outline jsonb,
  -- A readable copy (HTML) of a file that browsers can't show, in which its passages are marked.
  rendition_path text unique,
  -- A thumbnail for the shelf in the bucket `documents`, set by `ingest` or a browser.
  cover_path text unique,
  -- The indexer version that has read it; null if its passages were stored directly.
  indexer_version integer,
  -- Pages with pictures but no text, found by the function `ingest`; an image is page 1. Null until checked.
  pages_without_text integer[],
  -- For a mail: how many documents its attachments, including nested mails', may still become; 0 once done or if not wanted.
  attachments_left smallint not null default 500 check (attachments_left between 0 and 500),
  -- False for a change awaiting approval, which only the document's editors see (policies/approval.sql).
  is_published boolean not null default true,
  writers uuid[] not null default '{}', -- of such a change
  decided_by uuid references public.profiles on delete set null, -- who approved it or sent it back
  decided_at timestamptz,
  returned_words text check (char_length(trim(returned_words)) between 1 and 1000), -- the reason for sending it back
  unique (document_id, number),
  check ((storage_path is null) <> (body is null)),
  foreign key (document_id, library_id) references public.documents (id, library_id) on delete cascade
);
alter table public.documents add foreign key (current_version_id) references public.versions on delete set null;
alter table public.documents add foreign key (proposed_version_id) references public.versions on delete set null;
create index documents_proposed_version_id_idx on public.documents (proposed_version_id) where proposed_version_id is not null;

create index versions_library_id_idx on public.versions (library_id);
create index versions_created_by_idx on public.versions (created_by);
create index versions_decided_by_idx on public.versions (decided_by) where decided_by is not null;

grant select, insert (id, library_id, document_id, storage_path, body, file_name, mime_type, size_bytes, content_hash, attachments_left)
  on public.versions to authenticated, api_key;
grant update (cover_path, is_published, returned_words) on public.versions to authenticated;

-- People who see a document see its versions: the subquery is under the policy above.
create policy "members see versions of documents they see" on public.versions for select to authenticated, api_key
  using (library_id in (select private.library_ids('guest')) and exists (select from public.documents d where d.id = document_id)
    and (is_published or library_id in (select private.library_ids('editor')) or exists (
      select from public.documents d where d.id = document_id and d.collection_id in (select private.granted_collections('editor')))));
create policy "editors add versions" on public.versions for insert to authenticated, api_key
  with check (
    library_id in (select private.library_ids('editor'))
    or exists (
      select from public.documents d
      where d.id = document_id and d.collection_id in (select private.granted_collections('editor')))
  );

/* Fills in what callers must not choose: number, and the stored file's size, type and hash. The lock keeps numbers unique. */
create function private.prepared_version(new public.versions) returns public.versions
  language plpgsql set search_path = ''
as $$
declare
  document public.documents;
  stored jsonb;
begin
  select * into document from public.documents where id = new.document_id and library_id = new.library_id for no key update;
  if not found or document.deleted_at is not null then
    perform private.refuse('document_gone');
  end if;
  if (document.kind = 'note') <> (new.body is not null) then
    perform private.refuse('version_of_another_kind');
  end if;
  new.number := 1 + coalesce((select max(number) from public.versions where document_id = new.document_id), 0);
  new := private.prepared_proposal(document, new);

  if new.body is not null then
    new.mime_type := 'text/markdown';
    new.size_bytes := octet_length(new.body);
    new.content_hash := encode(sha256(convert_to(new.body, 'UTF8')), 'hex');
    return new;
  end if;

  if new.storage_path not like new.library_id || '/' || new.document_id || '/%' then
    perform private.refuse('file_path_invalid', jsonb_build_object('library', new.library_id, 'document', new.document_id));
  end if;
  select metadata into stored from storage.objects where bucket_id = 'documents' and name = new.storage_path;
  if not found then
    perform private.refuse('file_not_stored');
  end if;
  new.size_bytes := coalesce((stored ->> 'size')::bigint, new.size_bytes);
  new.mime_type := coalesce(stored ->> 'mimetype', new.mime_type);
  return new;
end
$$;

/* A cover must be a stored picture of a type that every browser shows, at most 200 KB; from a browser, WebP or JPEG of at most 40 KB. */
create function private.check_cover(new public.versions) returns void
  language plpgsql set search_path = ''
as $$
declare
  stored jsonb;
begin
  if new.cover_path not like new.library_id || '/' || new.document_id || '/%' then
    perform private.refuse('cover_path_invalid', jsonb_build_object('library', new.library_id, 'document', new.document_id));
  end if;
  select o.metadata into stored from storage.objects o where o.bucket_id = 'documents' and o.name = new.cover_path;
  if not found then
    perform private.refuse('cover_not_stored', jsonb_build_object('path', new.cover_path));
  end if;
  if (select auth.uid()) is not null
    and (stored ->> 'mimetype' in ('image/webp', 'image/jpeg') and (stored ->> 'size')::bigint <= 40960) is not true
  then
    perform private.refuse('browser_cover_invalid', jsonb_build_object('bytes', 40960));
  elsif (stored ->> 'mimetype' in ('image/webp', 'image/jpeg', 'image/png') and (stored ->> 'size')::bigint <= 204800) is not true then
    perform private.refuse('cover_invalid', jsonb_build_object('bytes', 204800));
  end if;
end
$$;

-- Why a definer: editors of a single collection don't see files that no version refers to yet.
create function private.before_version_change() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  if tg_op = 'DELETE' then
    perform private.refuse_held(old.document_id);
    return old;
  end if;
  if tg_op = 'INSERT' then new := private.prepared_version(new);
  elsif (new.is_published, new.returned_words) is distinct from (old.is_published, old.returned_words) then
    new := private.decided_proposal(old, new);
  end if;
  if new.cover_path is not null then perform private.check_cover(new); end if;
  return new;
end
$$;
create trigger before_change before insert or delete or update of cover_path, is_published, returned_words on public.versions
  for each row execute function private.before_version_change();

/* Returns a note's new title, its first line, if the old title followed the text or was empty; null if someone named it. */
create function private.following_title(document public.documents, body text) returns text
  language sql stable set search_path = ''
as $$
  select private.first_line(following_title.body) from public.versions v
  where v.id = document.current_version_id and document.kind = 'note'
    and coalesce(private.first_line(v.body), document.title) = document.title
$$;

/* Runs after a version is added or, for a change that needs approval, published.
   Why a definer: users can't write a document's state, size and hash, the queues or notifications. */
create function private.after_version_change() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  if not new.is_published then
    if tg_op = 'INSERT' then update public.documents d set proposed_version_id = new.id where d.id = new.document_id;
    elsif new.returned_words is not null then perform private.follow_return(new);
    end if;
    return null;
  elsif tg_op = 'UPDATE' and old.is_published then
    return null;
  end if;
  update public.documents d set
    title = coalesce(private.following_title(d, new.body), d.title),
    proposed_version_id = null, current_version_id = new.id, mime_type = new.mime_type, size_bytes = new.size_bytes, content_hash = new.content_hash,
    page_count = null, width = null, height = null, state = 'queued', problem = null, progress = 0,
    recognition = null, recognition_problem = null
  where id = new.document_id;
  delete from private.scan_leases s where s.document_id = new.document_id;
  -- Last, because a new current version ends the reading of the previous one.
  perform private.queue_documents(array[new.document_id], 1::smallint, false);
  if new.body is not null then perform private.notify_of_note(new); end if;
  if tg_op = 'UPDATE' then perform private.notify_writers(new, 'approved'); end if;
  return null;
end
$$;
create trigger after_change after insert or update of is_published, returned_words on public.versions
  for each row execute function private.after_version_change();

/* Sets the cover from a picture that a browser has stored (WebP or JPEG, at most 40 KB), and returns its path, or the existing one's.
   Raises 42501 for readers, 23503 for a missing file, 23514 for an invalid cover. Applies the caller's rights. */
create function public.set_cover(version uuid, path text) returns text
  language plpgsql set search_path = ''
as $$
declare
  cover text;
begin
  -- Lock the document, so that a second browser finds the first one's cover.
  perform from public.documents d
    where d.current_version_id = version and d.deleted_at is null
      and (d.library_id in (select private.library_ids('editor'))
        or d.collection_id in (select private.granted_collections('editor')))
    for no key update;
  if not found then
    perform private.refuse('version_denied');
  end if;
  select v.cover_path into cover from public.versions v where v.id = version;
  if cover is not null then return cover; end if;
  update public.versions v set cover_path = path where v.id = version;
  return path;
end
$$;
grant execute on function public.set_cover to authenticated;
