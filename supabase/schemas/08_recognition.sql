-- The text of pages that are pictures: what browsers have recognized, what is left, and which browser is at it.

-- A page that was looked at; without lines when there was no text in the picture.
create table public.recognized_pages (
  version_id uuid not null references public.versions on delete cascade,
  page integer not null check (page > 0),
  -- [{ text, size, y }] from the top to the bottom: the height of the letters, and the distance from the page's lower edge, both
  -- in points.
  lines jsonb not null,
  created_by uuid default auth.uid() references public.profiles on delete set null,
  created_at timestamptz not null default now(),
  primary key (version_id, page)
);

create index recognized_pages_created_by_idx on public.recognized_pages (created_by);

alter table public.recognized_pages enable row level security;
grant select, delete, insert (version_id, page, lines) on public.recognized_pages to authenticated;
grant all on public.recognized_pages to service_role;

create policy "members see recognized pages of versions they see" on public.recognized_pages for select to authenticated
  using (exists (select from public.versions v where v.id = version_id));

-- Whether this is a list of lines as the table describes it, so that `ingest` can rely on them.
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

-- Of a page without text of a current version, by those who edit its document, in a library that has recognition turned on.
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

/* Stores the lines that were recognized on a page of a document's current version, in the place of those that were stored for it
   before, and renews the lease of the caller's browser. With the last page that was left the document is indexed. Refused: to those who may not edit the document (42501), in a library that has not
   turned recognition on (42501), for a page that has text of its own and for lines in another form (23514). The caller's own rights
   apply. */
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

/* Whether a passage begins on a page whose text was recognized; a passage of an image has no page. */
create function private.is_recognized(version uuid, page integer) returns boolean
  language sql stable set search_path = ''
as $$ select exists (select from public.recognized_pages r where r.version_id = version and r.page = coalesce(is_recognized.page, 1)) $$;
grant execute on function private.is_recognized to authenticated;

/* A column that PostgREST computes: select=*,recognized. */
create function public.recognized(passage public.passages) returns boolean
  language sql stable set search_path = ''
as $$ select private.is_recognized(passage.version_id, passage.page) $$;
grant execute on function public.recognized to authenticated;

-- A scan that a browser reads, or has tried to read. What nobody has heard of for five minutes may be read by another.
create table private.scan_leases (
  document_id uuid primary key references public.documents on delete cascade,
  session uuid, -- that of the browser; null where it was given back, to be tried again then
  ends_at timestamptz not null,
  attempts smallint not null default 1 -- since a page was stored
);
alter table private.scan_leases enable row level security;

/* Says of the documents of these versions whether pages are left to be recognized. Whoever reads or has failed stays so while any are. */
create function private.note_scans(versions uuid[]) returns void
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

/* Has the text indexed that was recognized in a document, before all others. */
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

/* Keeps which pages of a version have no text of their own. */
create function public.keep_pages_without_text(version uuid, pages integer[]) returns void
  language plpgsql set search_path = ''
as $$
begin
  perform from public.documents d where d.current_version_id = version for no key update;
  update public.versions v set pages_without_text = pages where v.id = version and v.pages_without_text is distinct from pages;
  perform private.note_scans(array[version]);
end
$$;
grant execute on function public.keep_pages_without_text to service_role;

-- Why a definer: leases, the queue and a document's state are nobody's to write.
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
  perform private.note_scans(array[document.current_version_id]);
  if tg_op = 'INSERT' and exists (select from public.documents d where d.id = document.id and d.recognition is null) then
    perform private.index_recognized(document.id);
  end if;
  return null;
end
$$;
create trigger after_change after insert or delete on public.recognized_pages
  for each row execute function private.after_recognized_page_change();

/* After recognition is turned on or off in a library, or has other languages: all its scans wait, also those that have failed, or none. */
create function private.renew_scans(library uuid) returns void
  language sql set search_path = ''
as $$
  update public.documents d set recognition = null, recognition_problem = null where d.library_id = library and d.recognition = 'failed';
  select private.note_scans(array(
    select d.current_version_id from public.documents d join public.versions v on v.id = d.current_version_id
    where d.library_id = library and v.pages_without_text <> '{}'))
$$;

/* Leases to the caller's browser, for five minutes, the oldest scan that waits, or the given one, of those that the caller may edit, and
   says what there is to read: the pages that are left, of how many. Each page that is stored renews the lease. No row: nothing waits, or
   other browsers have it. Nobody leases by themselves what was given back a short while ago, or has failed: whose reading has begun
   three times without a page that was stored. Whoever names it may.
   Why a definer: leases and a document's state are nobody's to write. */
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
  -- Somebody waits for it: what holds its row for a moment, such as its indexing, does not hide it.
  perform from public.documents d where d.id = next_scan.document for no key update;
  loop
    select d.* into next from public.documents d
      where d.recognition is not null and d.deleted_at is null and d.state in ('ready', 'failed')
        and (d.library_id in (select private.library_ids('editor')) or d.collection_id in (select private.granted_collections('editor')))
        and case when is_named then d.id = next_scan.document else d.recognition <> 'failed' end
        and not exists (
          select from private.scan_leases s
          where s.document_id = d.id and s.ends_at > now() and (s.session <> browser or s.session is null and not is_named))
      order by d.created_at, d.id limit 1 for no key update of d skip locked;
    if not found then return; end if;
    insert into private.scan_leases as s (document_id, session, ends_at)
      values (next.id, browser, now() + interval '5 minutes')
    on conflict (document_id) do update set
      session = excluded.session, ends_at = excluded.ends_at, attempts = case when is_named then 1 else s.attempts + 1 end
      -- Another may have leased it since the search began.
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

-- What could not be recognized says why, and is found by the pages that were.
create function private.fail_scan(document uuid, problem jsonb) returns void
  language sql set search_path = ''
as $$
  delete from private.scan_leases s where s.document_id = document;
  update public.documents d set recognition = 'failed', recognition_problem = fail_scan.problem
    where d.id = document and d.recognition is not null;
  select private.index_recognized(document);
$$;

/* Ends the lease of the caller's browser before its time. `outcome`: `stopped` leaves the scan to any other browser at once, `cancelled` to
   nobody for an hour, `failed` to nobody for ten minutes, and to nobody any more the third time. Pages that were stored are indexed, unless
   another browser goes on at once.
   Why a definer: leases and a document's state are nobody's to write. */
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

-- What browsers that were closed have left behind waits again.
create function private.maintain_recognition() returns void
  language sql set search_path = ''
as $$
  update public.documents d set recognition = 'waiting'
  where d.recognition = 'reading' and not exists (select from private.scan_leases s where s.document_id = d.id and s.ends_at > now())
$$;
