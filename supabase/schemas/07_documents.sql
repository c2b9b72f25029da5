-- Documents (files, notes and links) and their versions, which are never overwritten.

create type public.document_kind as enum ('file', 'note', 'link');
create type public.ingestion_state as enum ('queued', 'extracting', 'embedding', 'ready', 'failed');
create type public.recognition_state as enum ('waiting', 'reading', 'failed');

create table public.documents (
  id uuid primary key default gen_random_uuid(),
  library_id uuid not null references public.libraries on delete cascade,
  collection_id uuid,
  kind public.document_kind not null,
  title text not null check (char_length(trim(title)) between 1 and 300),
  summary text not null default '' check (char_length(summary) <= 2000),
  url text check (url ~* '^https?://' and char_length(url) <= 2048),
  -- The next seven copy the current version, so that the shelf reads one table.
  current_version_id uuid,
  mime_type text,
  size_bytes bigint,
  content_hash text,
  page_count integer,
  width integer check (width > 0), -- of an image, in pixels
  height integer check (height > 0),
  state public.ingestion_state not null default 'queued',
  problem jsonb, -- why it couldn't be read: see private.problem()
  progress smallint not null default 0 check (progress between 0 and 100), -- percent
  created_by uuid default auth.uid() references public.profiles on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz, -- when it was moved to the trash
  -- The document's own metadata and its table of contents: [{ title, level, page }].
  author text check (char_length(author) <= 300),
  dated date,
  -- A CSL-JSON item without the title, which the document has. Its authors and date, if any, are also the document's.
  reference jsonb check (jsonb_typeof(reference) = 'object' and octet_length(reference::text) <= 8192),
  -- The first lines, for its card on the shelf.
  excerpt text not null default '' check (char_length(excerpt) <= 240),
  -- See 24_verification.sql.
  verified_until date check (isfinite(verified_until)),
  verifier_id uuid references public.profiles on delete set null,
  verified_at timestamptz,
  verification_reminders smallint not null default 0,
  -- Text recognition of its pages; null if no page needs it or the library has it off.
  recognition public.recognition_state,
  recognition_problem jsonb, -- why it failed: see private.problem()
  -- The latest change awaiting approval (24_proposals.sql). Other people see the current version.
  proposed_version_id uuid,
  unique (id, library_id),
  check ((kind = 'link') = (url is not null)),
  foreign key (collection_id, library_id) references public.collections (id, library_id) on delete set null (collection_id),
  check (char_length(title) <= 300),
  check (isfinite(deleted_at)),
  -- What a browser can open: a host, no credentials, spaces or control characters. The same as src/features/documents/web-address.ts.
  constraint documents_url_is_web_address check (
    url ~* '^https?://(\[[0-9a-f:.]+\]|[^][:cntrl:][:space:]/?#@:%\\<>^`{|}"[]+)(:(6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5]?[0-9]{1,4}))?([/?#][^[:cntrl:][:space:]]*)?$')
);

-- For the shelf (newest first, without trash), collections, duplicates and foreign keys. Orders end with the id, so that pages don't
-- overlap.
create index documents_shelf_idx on public.documents (library_id, created_at desc, id) where deleted_at is null;
create index documents_changed_idx on public.documents (library_id, updated_at desc, id) where deleted_at is null;
create index documents_title_idx on public.documents (library_id, title, id) where deleted_at is null;
create index documents_trash_idx on public.documents (library_id, deleted_at) where deleted_at is not null;
create index documents_collection_id_idx on public.documents (collection_id);
create index documents_content_hash_idx on public.documents (library_id, content_hash);
create index documents_current_version_id_idx on public.documents (current_version_id);
create index documents_created_by_idx on public.documents (created_by);
create index documents_verifier_id_idx on public.documents (verifier_id) where verifier_id is not null;
create index documents_verified_until_idx on public.documents (library_id, verified_until)
  where verified_until is not null and deleted_at is null;
create index documents_recognition_idx on public.documents (created_at, id) where recognition is not null and deleted_at is null;
create index documents_failed_idx on public.documents (library_id) where state = 'failed' and deleted_at is null;
create index documents_title_words_idx on public.documents using gin (private.title_words(title)) where deleted_at is null;
create index documents_title_letters_idx on public.documents using gin (title extensions.gin_trgm_ops) where deleted_at is null;

alter table public.documents enable row level security;
-- State, size and hash aren't granted: the database and ingestion write them.
grant select, delete, insert (id, library_id, collection_id, kind, title, summary, url),
  update (collection_id, title, summary, reference, deleted_at, verified_until, verifier_id, proposed_version_id)
  on public.documents to authenticated;
grant all on public.documents to service_role;
grant select, insert (id, library_id, collection_id, kind, title, summary, url),
  update (collection_id, title, summary, reference, deleted_at)
  on public.documents to api_key;

/* Whether a note's text, by its SHA-256, is that of a new note: empty, or an empty heading. */
create function private.is_blank_text(content_hash text) returns boolean
  language sql immutable parallel safe set search_path = ''
as $$ select coalesce(content_hash in (encode(sha256(''), 'hex'), encode(sha256('#'), 'hex')), false) $$;
grant execute on function private.is_blank_text to authenticated, api_key;

/* Whether a new note is untouched: not written, named or moved. */
create function private.is_blank_note(document public.documents) returns boolean
  language sql immutable set search_path = ''
as $$
  select document.kind = 'note' and document.updated_at = document.created_at and private.is_blank_text(document.content_hash)
    and document.proposed_version_id is null
$$;
grant execute on function private.is_blank_note to authenticated;

create policy "members see documents, editors also the trash" on public.documents for select to authenticated, api_key
  using (
    (deleted_at is null and (
      library_id in (select private.library_ids()) or collection_id in (select private.granted_collections())))
    or library_id in (select private.library_ids('editor')) or collection_id in (select private.granted_collections('editor'))
  );
create policy "editors add documents" on public.documents for insert to authenticated, api_key
  with check (
    library_id in (select private.library_ids('editor')) or collection_id in (select private.granted_collections('editor'))
  );
create policy "editors change documents" on public.documents for update to authenticated, api_key
  using (
    library_id in (select private.library_ids('editor')) or collection_id in (select private.granted_collections('editor'))
  )
  with check (
    library_id in (select private.library_ids('editor')) or collection_id in (select private.granted_collections('editor'))
  );
create policy "owners empty the trash, and people discard blank notes they began" on public.documents for delete to authenticated
  using (
    (deleted_at is not null and library_id in (select private.library_ids('owner')))
    or (deleted_at is null and created_by = (select auth.uid()) and private.is_blank_note(documents))
  );

/* Returns a reference's authors as text; null if there are none. */
create function private.authors_of_reference(reference jsonb) returns text
  language sql immutable set search_path = ''
as $$
  select nullif(left(string_agg(name, ', ' order by place), 300), '')
  from jsonb_array_elements(case jsonb_typeof(reference -> 'author') when 'array' then reference -> 'author' else '[]' end)
      with ordinality as a (author, place),
    nullif(trim(coalesce(author ->> 'literal',
      concat_ws(' ', author ->> 'given', author ->> 'non-dropping-particle', author ->> 'family'))), '') as name
$$;

/* Returns a reference's publication day, or the first day of its month or year. */
create function private.day_of_reference(reference jsonb) returns date
  language sql immutable set search_path = ''
as $$
  select make_date(year, coalesce(month, 1), 1) + coalesce(day, 1) - 1
  from (select
    substring(reference #>> '{issued,date-parts,0,0}' from '^[1-9][0-9]{0,3}$')::integer as year,
    substring(reference #>> '{issued,date-parts,0,1}' from '^(?:[1-9]|1[0-2])$')::integer as month,
    substring(reference #>> '{issued,date-parts,0,2}' from '^(?:[1-9]|[12][0-9]|3[01])$')::integer as day) issued
$$;

/* Runs before a document is changed or deleted. The functions are in the file of their subject.
   Why a definer: it reads and writes rules, holds and words that the caller may not see. */
create function private.before_document_change() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  if tg_op = 'DELETE' then
    perform private.refuse_kept(private.why_kept(old));
    perform private.unindex_deleted(old); -- while its words still exist
    return old;
  end if;
  -- Trash is purged by its age, so users only set the flag, and the database the time. The service role may set the time.
  if new.deleted_at is not null and (select auth.uid()) is not null then
    new.deleted_at := coalesce(old.deleted_at, now());
  end if;
  if new.deleted_at is not null and old.deleted_at is null then
    perform private.refuse_held(new.id);
  end if;
  new := private.prepared_verification(old, new);
  perform private.guard_approval(old, new);
  if new.reference is distinct from old.reference then
    if new.reference ? 'author' or old.reference ? 'author' then new.author := private.authors_of_reference(new.reference); end if;
    if new.reference ? 'issued' or old.reference ? 'issued' then new.dated := private.day_of_reference(new.reference); end if;
  end if;
  -- Last, when all changes are known. Tags, fields and the reference are about a document and don't count as changes of it.
  if (new.title, new.summary, new.collection_id, new.deleted_at, new.current_version_id)
    is distinct from (old.title, old.summary, old.collection_id, old.deleted_at, old.current_version_id)
  then
    new.updated_at := now();
  end if;
  return new;
end
$$;
create trigger before_change before delete
  or update of title, summary, reference, collection_id, deleted_at, current_version_id, verified_until, verifier_id,
    proposed_version_id
  on public.documents for each row execute function private.before_document_change();

/* Runs after a document is added, changed or deleted. Why a definer: users can't write the log, the queues or a document's words. */
create function private.after_document_change() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  is_renamed boolean;
  is_moved boolean;
  is_revised boolean;
  is_trashed_or_restored boolean;
begin
  if tg_op = 'INSERT' then
    -- A link added with its page gets a version, which is then read: add_link.
    if new.kind = 'link' and current_setting('carrel.link_with_page', true) is distinct from new.id::text then
      perform private.queue_documents(array[new.id], 1::smallint, true);
    end if;
    perform private.note_arrival(new, true);
    -- A blank note is recorded when it gets a text: record_document_change.
    if current_setting('carrel.blank_note', true) is distinct from new.id::text then
      perform private.record(new.library_id, 'document.added', new.id, jsonb_build_object('title', new.title, 'kind', new.kind));
    end if;
    return null;
  elsif tg_op = 'DELETE' then
    if not private.is_blank_note(old) then
      perform private.record(old.library_id, 'document.deleted', null,
        jsonb_build_object('title', old.title, 'kind', old.kind, 'document', old.id));
    end if;
    return null;
  end if;

  is_renamed := new.title <> old.title;
  is_moved := new.collection_id is distinct from old.collection_id;
  is_revised := new.current_version_id is distinct from old.current_version_id;
  is_trashed_or_restored := (new.deleted_at is null) <> (old.deleted_at is null);
  if is_revised then
    perform private.forget_reading(new.id); -- first, so that nothing below finds the previous version's text
    if new.kind = 'note' then perform private.keep_document_links(new); end if;
  end if;
  if is_moved then
    perform private.remember_rule_of_document(old);
    perform private.follow_moved_document(new.id); -- before the index, which includes its fields
    perform private.note_arrival(new, false, old.collection_id);
  end if;
  -- A document being read for the first time gets its title with its passages.
  if is_renamed and exists (select from public.passages p where p.document_id = new.id) then perform private.index_again(new.id); end if;
  if is_renamed or is_moved or is_revised or is_trashed_or_restored then perform private.record_document_change(old, new); end if;
  if (new.verified_until, new.verifier_id) is distinct from (old.verified_until, old.verifier_id) then
    perform private.follow_verification(old, new);
  end if;
  if new.proposed_version_id is distinct from old.proposed_version_id then perform private.follow_proposal(old, new); end if;
  if new.state <> old.state and new.state in ('ready', 'failed') then
    if new.state = 'ready' then perform private.note_read(new.id); end if;
    perform private.queue_indexing(new);
  end if;
  if (new.state, new.progress, new.problem) is distinct from (old.state, old.progress, old.problem) then
    perform private.broadcast_ingestion(new);
  end if;
  -- Last, because it ends the channels that the events above are sent to.
  if new.kind = 'note' and is_trashed_or_restored and new.deleted_at is not null then
    perform private.renew_channels(new.library_id);
  elsif new.kind = 'note' and is_moved then
    perform private.renew_channels_of_moved(new.library_id, old.collection_id, new.collection_id);
  end if;
  return null;
end
$$;
create trigger after_change after insert or delete
  or update of title, collection_id, deleted_at, current_version_id, state, progress, problem, verified_until, verifier_id, proposed_version_id
  on public.documents for each row execute function private.after_document_change();

/* Returns what a library's card shows, as far as the caller sees it: { documents, people, changed_at }. A computed column of `libraries`. */
create function public.summary(library public.libraries) returns jsonb
  language sql stable set search_path = ''
as $$
  select jsonb_build_object('documents', count(*), 'changed_at', max(d.updated_at),
    'people', (select count(*) from public.members m where m.library_id = library.id))
  from public.documents d where d.library_id = library.id and d.deleted_at is null
$$;
grant execute on function public.summary to authenticated;

create table public.versions (
  id uuid primary key default gen_random_uuid(),
  library_id uuid not null,
  document_id uuid not null,
  number integer not null check (number > 0),
  -- Either a path in the bucket `documents` or a note's text (Markdown).
  storage_path text unique,
  body text check (octet_length(body) <= 1048576),
  file_name text check (char_length(file_name) between 1 and 255 and file_name !~ '[/\\]'),
  mime_type text not null,
  size_bytes bigint not null check (size_bytes between 0 and 52428800),
  content_hash text check (content_hash ~ '^[0-9a-f]{64}$'), -- SHA-256
  page_count integer,
  width integer check (width > 0),
  height integer check (height > 0),
  -- A readable copy (HTML) of a file that browsers can't show, in which its passages are marked.
  rendition_path text unique,
  created_by uuid default auth.uid() references public.profiles on delete set null,
  created_at timestamptz not null default now(),
  outline jsonb,
  -- The indexer version that has read it; null if its passages were stored directly.
  indexer_version integer,
  -- Pages with pictures but no text, found by the function `ingest`; an image is page 1. Null until checked.
  pages_without_text integer[],
  -- A thumbnail for the shelf in the bucket `documents`, set by `ingest` or a browser.
  cover_path text unique,
  -- False for a change awaiting approval, which only the document's editors see (24_proposals.sql).
  is_published boolean not null default true,
  writers uuid[] not null default '{}', -- of such a change
  decided_by uuid references public.profiles on delete set null, -- who approved it or sent it back
  decided_at timestamptz,
  returned_words text check (char_length(trim(returned_words)) between 1 and 1000), -- the reason for sending it back
  -- For a mail: how many documents its attachments, including nested mails', may still become; 0 once done or if not wanted.
  attachments_left smallint not null default 500 check (attachments_left between 0 and 500),
  unique (document_id, number),
  check ((storage_path is null) <> (body is null)),
  foreign key (document_id, library_id) references public.documents (id, library_id) on delete cascade,
  check (char_length(mime_type) <= 255)
);
alter table public.documents add foreign key (current_version_id) references public.versions on delete set null;
alter table public.documents add foreign key (proposed_version_id) references public.versions on delete set null;
create index documents_proposed_version_id_idx on public.documents (proposed_version_id) where proposed_version_id is not null;

create index versions_library_id_idx on public.versions (library_id);
create index versions_created_by_idx on public.versions (created_by);
create index versions_decided_by_idx on public.versions (decided_by) where decided_by is not null;
alter table public.versions add check (storage_path !~ '(^|/)\.{1,2}(/|$)' and char_length(storage_path) <= 1024) not valid;

alter table public.versions enable row level security;
grant select, insert (id, library_id, document_id, storage_path, body, file_name, mime_type, size_bytes, content_hash, attachments_left)
  on public.versions to authenticated, api_key;
grant update (cover_path, is_published, returned_words) on public.versions to authenticated;
grant all on public.versions to service_role;

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
  if tg_op = 'UPDATE' then perform private.tell_writers(new, 'approved'); end if;
  return null;
end
$$;
create trigger after_change after insert or update of is_published, returned_words on public.versions
  for each row execute function private.after_version_change();

/* Registers an uploaded file at `<library>/<document>/<anything>` as a new document or version. With `attachments` false, a mail's
   attachments don't become documents. Applies the caller's rights. */
create function public.add_file(
  library uuid, document uuid, path text, file_name text,
  title text default null, collection uuid default null, content_hash text default null, attachments boolean default true
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
  -- Type and size are placeholders: the trigger reads them from the stored object.
  insert into public.versions (library_id, document_id, storage_path, file_name, mime_type, size_bytes, content_hash, attachments_left)
    values (library, document, path, add_file.file_name, 'application/octet-stream', 0, add_file.content_hash,
      case when attachments is false then 0 else 500 end);
  select * into added from public.documents d where d.id = document;
  return added;
end
$$;
grant execute on function public.add_file to authenticated, api_key, service_role;

/* Adds a link. The function `ingest` fetches its page as the first version, unless a browser has already uploaded the page to `path`. */
create function public.add_link(
  library uuid, url text, title text default null, collection uuid default null,
  document uuid default gen_random_uuid(), path text default null
) returns public.documents
  language plpgsql set search_path = ''
as $$
declare
  added public.documents;
begin
  perform set_config('carrel.link_with_page', case when path is null then '' else document::text end, true);
  insert into public.documents (id, library_id, collection_id, kind, url, title)
    values (document, library, collection, 'link', add_link.url, left(coalesce(nullif(trim(add_link.title), ''), add_link.url), 300));
  if path is not null then
    insert into public.versions (library_id, document_id, storage_path, file_name, mime_type, size_bytes)
      values (library, document, path, substring(path from '[^/]*$'), 'text/html', 0);
  end if;
  select * into added from public.documents d where d.id = document;
  return added;
end
$$;
grant execute on function public.add_link to authenticated;

/* Saves a note's next version. Returns 409 if a newer version or change than `based_on` exists, so that the app can show both. */
create function public.save_note(document uuid, body text, based_on uuid) returns public.versions
  language plpgsql set search_path = ''
as $$
declare
  note public.documents;
  saved public.versions;
begin
  select * into note from public.documents d where d.id = document for no key update;
  if not found then
    perform private.refuse('note_denied');
  end if;
  if coalesce(note.proposed_version_id, note.current_version_id) is distinct from based_on then
    perform private.refuse('note_saved_since');
  end if;
  insert into public.versions (library_id, document_id, body, mime_type, size_bytes)
    values (note.library_id, document, save_note.body, 'text/markdown', 0) returning * into saved;
  return saved;
end
$$;
grant execute on function public.save_note to authenticated;

/* Deletes trashed documents whose retention is over: thirty days unless a rule says otherwise. */
create function public.purge_trash() returns integer
  language sql set search_path = ''
as $$
  with purged as (
    delete from public.documents d
    where d.deleted_at < now() - interval '7 days' and public.gone_at(d) < now()
    returning 1
  )
  select count(*)::integer from purged
$$;
grant execute on function public.purge_trash to service_role;

/* Every night: deletes rows and calls the function `purge` for files, by `project_url` and `purge_key` in the vault (docs/hosted.md).
   Without a scheduler, call `purge` from elsewhere. */
create function private.purge_nightly() returns void
  language plpgsql set search_path = ''
as $$
declare
  url text;
  key text;
begin
  perform public.apply_retention();
  perform public.remind_of_verifications();
  perform public.purge_trash();
  perform private.purge_blank_notes();
  perform public.purge_notifications();
  if to_regnamespace('net') is null or to_regclass('vault.decrypted_secrets') is null then return; end if;
  execute 'select decrypted_secret from vault.decrypted_secrets where name = $1' into url using 'project_url';
  execute 'select decrypted_secret from vault.decrypted_secrets where name = $1' into key using 'purge_key';
  if url is null or key is null then return; end if;
  execute 'select net.http_post(url => $1, headers => $2, body => ''{}''::jsonb)'
    using url || '/functions/v1/purge', jsonb_build_object('apikey', key, 'content-type', 'application/json');
end
$$;

/* Adds a note, or returns the one with this id. Without a title, it follows its first line. Notes begun offline have the app's version id. */
create function public.add_note(
  library uuid, title text default null, body text default '', collection uuid default null, document uuid default gen_random_uuid(),
  version uuid default gen_random_uuid()
) returns public.documents
  language plpgsql set search_path = ''
as $$
declare
  added public.documents;
begin
  select * into added from public.documents d where d.id = add_note.document and d.library_id = add_note.library;
  if found then return added; end if;
  if private.first_line(add_note.body) is null then perform set_config('carrel.blank_note', document::text, true); end if;
  insert into public.documents (id, library_id, collection_id, kind, title)
    values (document, library, collection, 'note',
      coalesce(nullif(trim(add_note.title), ''), private.first_line(add_note.body), 'Untitled'));
  insert into public.versions (id, library_id, document_id, body, mime_type, size_bytes)
    values (version, library, document, add_note.body, 'text/markdown', 0);
  select * into added from public.documents d where d.id = add_note.document;
  return added;
end
$$;
grant execute on function public.add_note to authenticated, api_key;

/* Grants cover nested collections, so only owners may move one to where more people would see it. Groups count, even empty ones. */
create function private.guard_collection_audience() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  if (select auth.uid()) is null or new.library_id in (select private.library_ids('owner')) then return new; end if;
  if exists (
    with recursive above (id, parent_id) as (
      select c.id, c.parent_id from public.collections c where c.id = new.parent_id
      union
      select c.id, c.parent_id from public.collections c join above a on c.id = a.parent_id
    ), former (id, parent_id) as (
      select old.id, old.parent_id
      union
      select c.id, c.parent_id from public.collections c join former f on c.id = f.parent_id
    ), granted (collection_id, grantee, role) as (
      select g.collection_id, g.user_id, g.role from public.collection_grants g where g.library_id = new.library_id
      union all
      select g.collection_id, g.group_id, g.role from public.group_grants g where g.library_id = new.library_id
    )
    select from granted g where g.collection_id in (select id from above)
      and not exists (
        select from granted had
        where had.collection_id in (select id from former) and had.grantee = g.grantee and had.role >= g.role)
  ) then
    perform private.refuse('move_shows_guests');
  end if;
  return new;
end
$$;
create trigger guard_collection_audience before update of parent_id on public.collections
  for each row when (new.parent_id is not null and new.parent_id is distinct from old.parent_id)
  execute function private.guard_collection_audience();

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

/* Returns the start of a document's first passage, without Markdown syntax: at most 240 characters, cut between words if possible. */
create function private.first_lines(document uuid) returns text
  language sql stable set search_path = ''
as $$
  select coalesce((
    select case when char_length(words) <= 240 then words else regexp_replace(left(words, 239), '\s+\S*$', '') || '…' end
    from (
      select trim(regexp_replace(p.content, '\s+', ' ', 'g')) as words
      from public.passages p where p.document_id = document order by p.ordinal limit 1
    ) first
  ), '')
$$;

-- Returns who can see a document and why: `through` is the granted collection (null for members), `group_name` the granted group. Applies
-- the caller's rights: guests see only themselves.
create function public.document_audience(document uuid)
  returns table (user_id uuid, display_name text, avatar_path text, role public.member_role, through text, group_name text)
  language sql stable set search_path = ''
as $$
  with recursive target as (
    select d.library_id, d.collection_id from public.documents d where d.id = document
  ), above (id, parent_id, name) as (
    select c.id, c.parent_id, c.name from public.collections c join target t on t.collection_id = c.id
    union
    select c.id, c.parent_id, c.name from public.collections c join above a on a.parent_id = c.id
  ), seers as (
    select m.user_id, m.role, null::text as through, null::text as group_name
    from public.members m join target t on t.library_id = m.library_id where m.role >= 'reader'
    union all
    select g.user_id, g.role, a.name, null from public.collection_grants g join above a on a.id = g.collection_id
    union all
    select m.user_id, g.role, a.name, o.name
    from public.group_grants g
    join above a on a.id = g.collection_id
    join public.groups o on o.id = g.group_id
    join public.group_members m on m.group_id = g.group_id
  ), strongest as (
    select distinct on (s.user_id) s.user_id, s.role, s.through, s.group_name
    from seers s order by s.user_id, s.role desc, s.through nulls first, s.group_name nulls first
  )
  select s.user_id, p.display_name, p.avatar_path, s.role, s.through, s.group_name
  from strongest s join public.profiles p on p.id = s.user_id
  order by s.through nulls first, s.role desc, p.display_name
$$;
grant execute on function public.document_audience to authenticated, service_role;
