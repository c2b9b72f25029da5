-- Documents: files, notes and links.

create type public.document_kind as enum ('file', 'note', 'link');
create type public.indexing_state as enum ('queued', 'extracting', 'embedding', 'ready', 'failed');
create type public.recognition_state as enum ('waiting', 'reading', 'failed');

create table public.documents (
  id uuid primary key default gen_random_uuid(),
  library_id uuid not null references public.libraries on delete cascade,
  collection_id uuid,
  kind public.document_kind not null,
  title text not null check (trim(title) <> '' and char_length(title) <= 300),
  summary text not null default '' check (char_length(summary) <= 2000),
  url text check (url ~* '^https?://' and char_length(url) <= 2048),
  created_by uuid default auth.uid() references public.profiles on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz check (isfinite(deleted_at)), -- when it was moved to the trash
  -- The next seven copy the current version, so that the shelf reads one table.
  current_version_id uuid,
  mime_type text,
  size_bytes bigint,
  content_hash text,
  page_count integer,
  width integer check (width > 0), -- of an image, in pixels
  height integer check (height > 0),
  -- The latest change awaiting approval (policies/approval.sql). Other people see the current version.
  proposed_version_id uuid,
  -- Found by reading it: its own metadata, and the first lines for its card on the shelf.
  author text check (char_length(author) <= 300),
  dated date,
  -- A CSL-JSON item without the title, which the document has. Its authors and date, if any, are also the document's.
  reference jsonb check (jsonb_typeof(reference) = 'object' and octet_length(reference::text) <= 8192),
  excerpt text not null default '' check (char_length(excerpt) <= 240),
  state public.indexing_state not null default 'queued',
  problem jsonb, -- why it couldn't be read: see private.problem()
  progress smallint not null default 0 check (progress between 0 and 100), -- percent
  -- Text recognition of its pages; null if no page needs it or the library has it off.
  recognition public.recognition_state,
  recognition_problem jsonb, -- why it failed: see private.problem()
  -- See policies/verification.sql.
  verified_until date check (isfinite(verified_until)),
  verifier_id uuid references public.profiles on delete set null,
  verified_at timestamptz,
  verification_reminders smallint not null default 0,
  unique (id, library_id),
  check ((kind = 'link') = (url is not null)),
  foreign key (collection_id, library_id) references public.collections (id, library_id) on delete set null (collection_id),
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

-- State, size and hash aren't granted: the database and the indexer write them.
grant select, delete, insert (id, library_id, collection_id, kind, title, summary, url),
  update (collection_id, title, summary, reference, deleted_at, verified_until, verifier_id, proposed_version_id)
  on public.documents to authenticated;
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
    perform private.queue_rules(new, true);
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
    if new.kind = 'note' then perform private.update_document_links(new); end if;
  end if;
  if is_moved then
    perform private.keep_retention_after_move(old);
    perform private.follow_moved_document(new.id); -- before the index, which includes its fields
    perform private.queue_rules(new, false, old.collection_id);
  end if;
  -- A document being read for the first time gets its title with its passages.
  if is_renamed and exists (select from public.passages p where p.document_id = new.id) then perform private.index_again(new.id); end if;
  if is_renamed or is_moved or is_revised or is_trashed_or_restored then perform private.record_document_change(old, new); end if;
  if (new.verified_until, new.verifier_id) is distinct from (old.verified_until, old.verifier_id) then
    perform private.follow_verification(old, new);
  end if;
  if new.proposed_version_id is distinct from old.proposed_version_id then perform private.follow_proposal(old, new); end if;
  if new.state <> old.state and new.state in ('ready', 'failed') then
    if new.state = 'ready' then perform private.mark_arrival_read(new.id); end if;
    perform private.queue_indexing(new);
  end if;
  if (new.state, new.progress, new.problem) is distinct from (old.state, old.progress, old.problem) then
    perform private.broadcast_indexing(new);
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

/* Moves many documents, as in one update: ids in an address are limited to about a hundred. */
create function public.move_documents(documents uuid[], collection uuid default null) returns void
  language sql set search_path = ''
as $$ update public.documents d set collection_id = move_documents.collection where d.id = any (move_documents.documents) $$;
grant execute on function public.move_documents to authenticated;

/* Moves documents to the trash, or restores them. */
create function public.trash_documents(documents uuid[], trashed boolean) returns void
  language sql set search_path = ''
as $$ update public.documents d set deleted_at = case when trashed then now() end where d.id = any (trash_documents.documents) $$;
grant execute on function public.trash_documents to authenticated;

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
