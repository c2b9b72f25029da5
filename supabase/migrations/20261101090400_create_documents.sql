-- What a library holds (a file, a note or a link) and every version of it; a version is never overwritten
create type public.document_kind as enum ('file', 'note', 'link');
create type public.ingestion_state as enum ('queued', 'extracting', 'embedding', 'ready', 'failed');

create table public.documents (
  id uuid primary key default gen_random_uuid(),
  library_id uuid not null references public.libraries on delete cascade,
  collection_id uuid,
  kind public.document_kind not null,
  title text not null check (char_length(trim(title)) between 1 and 300),
  summary text not null default '' check (char_length(summary) <= 2000),
  url text check (url ~* '^https?://' and char_length(url) <= 2048),
  -- The next seven repeat the current version, so that the shelf reads one table.
  current_version_id uuid,
  mime_type text,
  size_bytes bigint,
  content_hash text,
  page_count integer,
  width integer check (width > 0), -- of an image, in pixels
  height integer check (height > 0),
  state public.ingestion_state not null default 'queued',
  state_message text,
  progress smallint not null default 0 check (progress between 0 and 100), -- per cent
  created_by uuid default auth.uid() references public.profiles on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz, -- in the trash since; purged 30 days later
  unique (id, library_id),
  check ((kind = 'link') = (url is not null)),
  foreign key (collection_id, library_id) references public.collections (id, library_id) on delete set null (collection_id)
);
create table public.versions (
  id uuid primary key default gen_random_uuid(),
  library_id uuid not null,
  document_id uuid not null,
  number integer not null check (number > 0),
  -- A file's place in the bucket `documents`, or a note's own text (Markdown): one of the two.
  storage_path text unique,
  body text check (octet_length(body) <= 1048576),
  file_name text check (char_length(file_name) between 1 and 255 and file_name !~ '[/\\]'),
  mime_type text not null,
  size_bytes bigint not null check (size_bytes between 0 and 52428800),
  content_hash text check (content_hash ~ '^[0-9a-f]{64}$'), -- SHA-256
  page_count integer,
  width integer check (width > 0),
  height integer check (height > 0),
  -- A readable copy (HTML) beside a file that browsers cannot show: what its passages are marked in.
  rendition_path text unique,
  created_by uuid default auth.uid() references public.profiles on delete set null,
  created_at timestamptz not null default now(),
  unique (document_id, number),
  check ((storage_path is null) <> (body is null)),
  foreign key (document_id, library_id) references public.documents (id, library_id) on delete cascade
);
alter table public.documents add foreign key (current_version_id) references public.versions on delete set null;

-- The shelf (newest first, trash apart), its folders, "we have this file already", and the ways back from what is referred to.
-- Each order ends with the id, so that a page begins exactly after the last row of the one before.
create index documents_shelf_idx on public.documents (library_id, created_at desc, id) where deleted_at is null;
create index documents_changed_idx on public.documents (library_id, updated_at desc, id) where deleted_at is null;
create index documents_title_idx on public.documents (library_id, title, id) where deleted_at is null;
create index documents_trash_idx on public.documents (library_id, deleted_at) where deleted_at is not null;
create index documents_collection_id_idx on public.documents (collection_id);
create index documents_content_hash_idx on public.documents (library_id, content_hash);
create index documents_current_version_id_idx on public.documents (current_version_id);
create index documents_created_by_idx on public.documents (created_by);
create index versions_library_id_idx on public.versions (library_id);
create index versions_created_by_idx on public.versions (created_by);

alter table public.documents enable row level security;
alter table public.versions enable row level security;
-- State, size and hash are not granted: the database and the ingestion write them.
grant select, delete, insert (id, library_id, collection_id, kind, title, summary, url),
  update (collection_id, title, summary, deleted_at) on public.documents to authenticated;
grant select, insert (id, library_id, document_id, storage_path, body, file_name, mime_type, size_bytes, content_hash)
  on public.versions to authenticated;
grant all on public.documents, public.versions to service_role;

create policy "members see documents, editors also the trash" on public.documents for select to authenticated
  using (
    (deleted_at is null and (
      library_id in (select private.library_ids()) or collection_id in (select private.granted_collections())))
    or library_id in (select private.library_ids('editor')) or collection_id in (select private.granted_collections('editor'))
  );
create policy "editors add documents" on public.documents for insert to authenticated
  with check (
    library_id in (select private.library_ids('editor')) or collection_id in (select private.granted_collections('editor'))
  );
create policy "editors change documents" on public.documents for update to authenticated
  using (
    library_id in (select private.library_ids('editor')) or collection_id in (select private.granted_collections('editor'))
  )
  with check (
    library_id in (select private.library_ids('editor')) or collection_id in (select private.granted_collections('editor'))
  );
create policy "owners empty the trash" on public.documents for delete to authenticated
  using (deleted_at is not null and library_id in (select private.library_ids('owner')));

-- Whoever sees the document sees its versions: the sub-select is itself under the policy above.
create policy "members see versions of documents they see" on public.versions for select to authenticated
  using (library_id in (select private.library_ids('guest')) and exists (select from public.documents d where d.id = document_id));
create policy "editors add versions" on public.versions for insert to authenticated
  with check (
    library_id in (select private.library_ids('editor'))
    or exists (
      select from public.documents d
      where d.id = document_id and d.collection_id in (select private.granted_collections('editor')))
  );

create trigger touch_updated_at before update of title, summary, collection_id, deleted_at, current_version_id on public.documents
  for each row execute function private.touch_updated_at();

/* Fills in what the caller must not choose: the number, and the size, type and hash of what is really there.
   Runs as its owner to look into the bucket and to lock the document, so that two new versions get two numbers. */
create function private.prepare_version() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  document public.documents;
  stored jsonb;
begin
  select * into document from public.documents where id = new.document_id and library_id = new.library_id for no key update;
  if not found or document.deleted_at is not null then
    raise exception 'The document is not there any more.'
      using errcode = '23503', hint = 'It may be in the trash; restore it first.';
  end if;
  if (document.kind = 'note') <> (new.body is not null) then
    raise exception 'A note holds text, a file or a link holds a stored file.' using errcode = '23514';
  end if;
  new.number := 1 + coalesce((select max(number) from public.versions where document_id = new.document_id), 0);

  if new.body is not null then
    new.mime_type := 'text/markdown';
    new.size_bytes := octet_length(new.body);
    new.content_hash := encode(sha256(convert_to(new.body, 'UTF8')), 'hex');
    return new;
  end if;

  if new.storage_path not like new.library_id || '/' || new.document_id || '/%' then
    raise exception 'A file of this document is stored under %/%/.', new.library_id, new.document_id using errcode = '23514';
  end if;
  select metadata into stored from storage.objects where bucket_id = 'documents' and name = new.storage_path;
  if not found then
    raise exception 'The file is not in the library''s storage.'
      using errcode = '23503', hint = 'The upload did not finish; start it again.';
  end if;
  new.size_bytes := coalesce((stored ->> 'size')::bigint, new.size_bytes);
  new.mime_type := coalesce(stored ->> 'mimetype', new.mime_type);
  return new;
end
$$;
create trigger prepare_version before insert on public.versions
  for each row execute function private.prepare_version();

create function private.make_version_current() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  update public.documents set
    current_version_id = new.id, mime_type = new.mime_type, size_bytes = new.size_bytes, content_hash = new.content_hash,
    page_count = null, width = null, height = null, state = 'queued', state_message = null, progress = 0
  where id = new.document_id;
  return null;
end
$$;
create trigger make_version_current after insert on public.versions
  for each row execute function private.make_version_current();

/* Registers a file that has been uploaded to `<library>/<document>/<anything>`: a new document, or, where the document
   is known already, its next version. The caller's own rights apply. */
create function public.add_file(
  library uuid, document uuid, path text, file_name text,
  title text default null, collection uuid default null, content_hash text default null
) returns public.documents
  language plpgsql set search_path = ''
as $$
declare
  added public.documents;
begin
  if not exists (select from public.documents d where d.id = document) then
    insert into public.documents (id, library_id, collection_id, kind, title)
      values (document, library, collection, 'file', left(coalesce(nullif(trim(add_file.title), ''), add_file.file_name), 300));
  end if;
  -- Type and size are placeholders: the trigger takes them from the stored object.
  insert into public.versions (library_id, document_id, storage_path, file_name, mime_type, size_bytes, content_hash)
    values (library, document, path, add_file.file_name, 'application/octet-stream', 0, add_file.content_hash);
  select * into added from public.documents d where d.id = document;
  return added;
end
$$;

create function public.add_note(library uuid, title text, body text default '', collection uuid default null)
  returns public.documents
  language plpgsql set search_path = ''
as $$
declare
  note uuid := gen_random_uuid();
  added public.documents;
begin
  insert into public.documents (id, library_id, collection_id, kind, title)
    values (note, library, collection, 'note', add_note.title);
  insert into public.versions (library_id, document_id, body, mime_type, size_bytes)
    values (library, note, add_note.body, 'text/markdown', 0);
  select * into added from public.documents d where d.id = note;
  return added;
end
$$;

/* A link to be kept: its page is fetched by the function `unfurl`, whose snapshot becomes its first version. */
create function public.add_link(library uuid, url text, title text default null, collection uuid default null)
  returns public.documents
  language plpgsql set search_path = ''
as $$
declare
  link uuid := gen_random_uuid();
  added public.documents;
begin
  insert into public.documents (id, library_id, collection_id, kind, url, title)
    values (link, library, collection, 'link', add_link.url, left(coalesce(nullif(trim(add_link.title), ''), add_link.url), 300));
  select * into added from public.documents d where d.id = link;
  return added;
end
$$;

/* A note's next version. `based_on` is the version that was edited: when another one has been saved meanwhile, nothing
   is written and the answer is 409, so that the app can show both. */
create function public.save_note(document uuid, body text, based_on uuid) returns public.versions
  language plpgsql set search_path = ''
as $$
declare
  note public.documents;
  saved public.versions;
begin
  select * into note from public.documents d where d.id = document for no key update;
  if not found then
    raise exception 'The note is not there, or you may not change it.' using errcode = '42501';
  end if;
  if note.current_version_id is distinct from based_on then
    raise exception 'Someone else has saved this note since you opened it.'
      using errcode = 'PT409', hint = 'Compare both texts, then save again on top of theirs.';
  end if;
  insert into public.versions (library_id, document_id, body, mime_type, size_bytes)
    values (note.library_id, document, save_note.body, 'text/markdown', 0) returning * into saved;
  return saved;
end
$$;
grant execute on function public.add_file, public.add_note, public.add_link, public.save_note to authenticated;
