-- Text recognition of scanned pages by browsers: results, remaining work and leases.

-- A processed page; without lines if the picture contains no text.
create table public.recognized_pages (
  version_id uuid not null references public.versions on delete cascade,
  page integer not null check (page > 0),
  -- [{ text, size, y }] from top to bottom: letter height and distance from the page's lower edge, in points.
  lines jsonb not null,
  created_by uuid default auth.uid() references public.profiles on delete set null,
  created_at timestamptz not null default now(),
  primary key (version_id, page)
);

create index recognized_pages_created_by_idx on public.recognized_pages (created_by);

grant select, delete, insert (version_id, page, lines) on public.recognized_pages to authenticated;

create policy "members see recognized pages of versions they see" on public.recognized_pages for select to authenticated
  using (exists (select from public.versions v where v.id = version_id));

-- Whether this is a valid list of lines, so that `ingest` can rely on it.
create function private.are_lines(lines jsonb) returns boolean
  language sql immutable set search_path = ''
as $$
  select case when jsonb_typeof(lines) = 'array' then jsonb_array_length(lines) <= 1000 and octet_length(lines::text) <= 65536
    and not exists (
      select from jsonb_array_elements(lines) line
      where case
        when jsonb_typeof(line -> 'text') = 'string' and jsonb_typeof(line -> 'size') = 'number' and jsonb_typeof(line -> 'y') = 'number'
        then char_length(line ->> 'text') not between 1 and 2000 or (line ->> 'size')::numeric not between 0 and 10000
          or (line ->> 'y')::numeric not between -100000 and 100000
        else true end)
    else false end
$$;
grant execute on function private.are_lines to authenticated;

-- For pages without text of current versions, by the document's editors, if the library has recognition on.
create policy "editors store recognized pages" on public.recognized_pages for insert to authenticated
  with check (private.are_lines(lines) and exists (
    select from public.versions v
    join public.documents d on d.current_version_id = v.id and d.deleted_at is null
    join public.libraries l on l.id = d.library_id and l.recognition_languages <> '{}'
    where v.id = version_id and page = any (v.pages_without_text) and (
      d.library_id in (select private.library_ids('editor')) or d.collection_id in (select private.granted_collections('editor')))));
create policy "editors replace recognized pages" on public.recognized_pages for delete to authenticated
  using (exists (
    select from public.documents d
    where d.current_version_id = version_id and d.deleted_at is null and (
      d.library_id in (select private.library_ids('editor')) or d.collection_id in (select private.granted_collections('editor')))));

/* Stores a page's recognized lines, replacing earlier ones, and renews the lease; the last page queues the document. Raises 42501 for
   readers or if recognition is off, and 23514 for a page with text or invalid lines. Applies the caller's rights. */
create function public.store_recognized_page(version uuid, page integer, lines jsonb) returns void
  language plpgsql set search_path = ''
as $$
declare
  document public.documents;
begin
  select d.* into document from public.documents d
    where d.current_version_id = version and d.deleted_at is null
      and (d.library_id in (select private.library_ids('editor'))
        or d.collection_id in (select private.granted_collections('editor')))
    for no key update;
  if not found then
    perform private.refuse('version_denied');
  end if;
  if not exists (select from public.libraries l where l.id = document.library_id and l.recognition_languages <> '{}') then
    perform private.refuse('recognition_off');
  end if;
  if not exists (select from public.versions v where v.id = version and page = any (v.pages_without_text)) then
    perform private.refuse('page_has_text', jsonb_build_object('page', page));
  end if;
  if private.are_lines(lines) is not true then
    perform private.refuse('page_lines_invalid');
  end if;
  delete from public.recognized_pages r where r.version_id = version and r.page = store_recognized_page.page;
  insert into public.recognized_pages (version_id, page, lines) values (version, page, lines);
end
$$;
grant execute on function public.store_recognized_page to authenticated;

/* Whether a passage begins on a recognized page; an image's passages have no page. */
create function private.is_recognized(version uuid, page integer) returns boolean
  language sql stable set search_path = ''
as $$ select exists (select from public.recognized_pages r where r.version_id = version and r.page = coalesce(is_recognized.page, 1)) $$;
grant execute on function private.is_recognized to authenticated;

/* A computed column: select=*,recognized. */
create function public.recognized(passage public.passages) returns boolean
  language sql stable set search_path = ''
as $$ select private.is_recognized(passage.version_id, passage.page) $$;
grant execute on function public.recognized to authenticated;

-- A scan that a browser is reading or has tried to read. After five minutes without a sign of life another browser may read it.
create table private.scan_leases (
  document_id uuid primary key references public.documents on delete cascade,
  session uuid, -- the browser's; null if given back, to be retried at ends_at
  ends_at timestamptz not null,
  attempts smallint not null default 1 -- since the last stored page
);

/* Updates the recognition state of these versions' documents. While pages are left, a reading or failed state is kept. */
create function private.queue_scans(versions uuid[]) returns void
  language sql set search_path = ''
as $$
  with scans as (
    select d.id, l.recognition_languages <> '{}' and exists (
        select from unnest(v.pages_without_text) as empty (page)
        where not exists (select from public.recognized_pages r where r.version_id = v.id and r.page = empty.page)) as is_left
    from public.versions v join public.documents d on d.current_version_id = v.id join public.libraries l on l.id = d.library_id
    where v.id = any (versions)
  ), freed as (
    delete from private.scan_leases s using scans where s.document_id = scans.id and not scans.is_left
  )
  update public.documents d set recognition = case when scans.is_left then 'waiting'::public.recognition_state end, recognition_problem = null
    from scans where d.id = scans.id and (d.recognition is not null) <> scans.is_left
$$;

/* Queues a document's recognized text for indexing, ahead of all others. */
create function private.index_recognized(document uuid) returns void
  language plpgsql set search_path = ''
as $$
begin
  if not exists (
    select from public.recognized_pages r join public.documents d on d.current_version_id = r.version_id
    where d.id = document and r.lines <> '[]')
  then return; end if;
  update public.documents d set state = 'queued', problem = null, progress = 0
    where d.id = document and d.state in ('ready', 'failed');
  perform private.queue_documents(array[document], 0::smallint, false);
end
$$;

/* Records which pages of a version have no text of their own. */
create function public.store_pages_without_text(version uuid, pages integer[]) returns void
  language plpgsql set search_path = ''
as $$
begin
  perform from public.documents d where d.current_version_id = version for no key update;
  update public.versions v set pages_without_text = pages where v.id = version and v.pages_without_text is distinct from pages;
  perform private.queue_scans(array[version]);
end
$$;
grant execute on function public.store_pages_without_text to service_role;

-- Why a definer: users can't write leases, the queue or a document's state.
create function private.after_recognized_page_change() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  document public.documents;
begin
  select * into document from public.documents d where d.current_version_id = coalesce(new.version_id, old.version_id);
  if tg_op = 'INSERT' then
    update private.scan_leases s set ends_at = now() + interval '5 minutes', attempts = 0
      where s.document_id = document.id and s.session = private.session_id();
  end if;
  perform private.queue_scans(array[document.current_version_id]);
  if tg_op = 'INSERT' and exists (select from public.documents d where d.id = document.id and d.recognition is null) then
    perform private.index_recognized(document.id);
  end if;
  return null;
end
$$;
create trigger after_change after insert or delete on public.recognized_pages
  for each row execute function private.after_recognized_page_change();

/* Resets a library's scans, including failed ones, after recognition is turned on or off or its languages change. */
create function private.renew_scans(library uuid) returns void
  language sql set search_path = ''
as $$
  update public.documents d set recognition = null, recognition_problem = null where d.library_id = library and d.recognition = 'failed';
  select private.queue_scans(array(
    select d.current_version_id from public.documents d join public.versions v on v.id = d.current_version_id
    where d.library_id = library and v.pages_without_text <> '{}'))
$$;

/* Leases the oldest waiting scan that the caller may edit, or the given one, to their browser for five minutes, renewed by each stored
   page. Returns the remaining pages and the total. Scans given back recently, or failed (three attempts without a page), are leased only by
   id.
   Why a definer: users can't write leases or a document's state. */
create function public.next_scan(document uuid default null) returns table (
    document_id uuid, version_id uuid, storage_path text, mime_type text, languages text[], pages integer[], total integer
  )
  language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  is_named constant boolean := next_scan.document is not null;
  browser constant uuid := private.session_id();
  next public.documents;
  leased private.scan_leases;
begin
  if browser is null then return; end if;
  -- A user waits for it: lock instead of skipping, so that a brief lock, such as by indexing, doesn't hide it.
  perform from public.documents d where d.id = next_scan.document for no key update;
  loop
    select d.* into next from public.documents d
      where d.recognition is not null and d.deleted_at is null and d.state in ('ready', 'failed')
        and (d.library_id in (select private.library_ids('editor')) or d.collection_id in (select private.granted_collections('editor')))
        and case when is_named then d.id = next_scan.document
          -- A file that failed for another reason stays unreadable with its text recognized.
          else d.recognition <> 'failed' and (d.state = 'ready' or d.problem ->> 'code' = 'pdf_without_text') end
        and not exists (
          select from private.scan_leases s
          where s.document_id = d.id and s.ends_at > now() and (s.session <> browser or s.session is null and not is_named))
      order by d.created_at, d.id limit 1 for no key update of d skip locked;
    if not found then return; end if;
    insert into private.scan_leases as s (document_id, session, ends_at)
      values (next.id, browser, now() + interval '5 minutes')
    on conflict (document_id) do update set
      session = excluded.session, ends_at = excluded.ends_at, attempts = case when is_named then 1 else s.attempts + 1 end
      -- Another browser may have leased it since.
      where s.ends_at <= now() or s.session = browser or s.session is null and is_named
      returning * into leased;
    continue when not found;
    exit when leased.attempts <= 3;
    perform private.fail_scan(next.id, private.problem('recognition_broke_off'));
  end loop;
  update public.documents d set recognition = 'reading', recognition_problem = null where d.id = next.id;
  return query select next.id, v.id, v.storage_path, v.mime_type, l.recognition_languages, array(
      select empty.page from unnest(v.pages_without_text) as empty (page)
      where not exists (select from public.recognized_pages r where r.version_id = v.id and r.page = empty.page) order by 1),
    cardinality(v.pages_without_text)
  from public.versions v join public.libraries l on l.id = v.library_id where v.id = next.current_version_id;
end
$$;
grant execute on function public.next_scan to authenticated;

-- Records why recognition failed; the recognized pages stay searchable.
create function private.fail_scan(document uuid, problem jsonb) returns void
  language sql set search_path = ''
as $$
  delete from private.scan_leases s where s.document_id = document;
  update public.documents d set recognition = 'failed', recognition_problem = fail_scan.problem
    where d.id = document and d.recognition is not null;
  select private.index_recognized(document);
$$;

/* Ends the browser's lease early. `stopped` frees the scan immediately, `cancelled` after an hour, `failed` after ten minutes, the third
   time not at all. Stored pages are indexed unless another browser continues immediately.
   Why a definer: users can't write leases or a document's state. */
create function public.release_scan(document uuid, outcome text) returns void
  language plpgsql security definer set search_path = ''
as $$
declare
  released private.scan_leases;
begin
  perform from public.documents d where d.id = document for no key update;
  update private.scan_leases s set session = null,
      ends_at = now() + case outcome when 'cancelled' then interval '1 hour' when 'failed' then interval '10 minutes' else '0' end,
      attempts = case when outcome = 'stopped' then greatest(s.attempts - 1, 0) else s.attempts end
    where s.document_id = document and s.session = private.session_id()
    returning * into released;
  if not found then return; end if;
  if outcome = 'failed' and released.attempts >= 3 then
    perform private.fail_scan(document, private.problem('recognition_failed'));
    return;
  end if;
  update public.documents d set recognition = 'waiting' where d.id = document and d.recognition = 'reading';
  if outcome <> 'stopped' and released.attempts = 0 then perform private.index_recognized(document); end if;
end
$$;
grant execute on function public.release_scan to authenticated;

-- Returns the scans of closed browsers to the queue.
create function private.maintain_recognition() returns void
  language sql set search_path = ''
as $$
  update public.documents d set recognition = 'waiting'
  where d.recognition = 'reading' and not exists (select from private.scan_leases s where s.document_id = d.id and s.ends_at > now())
$$;
