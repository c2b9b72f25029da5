-- A person's reading progress in each document; private.

create table public.reading_positions (
  user_id uuid not null default auth.uid() references public.profiles on delete cascade,
  library_id uuid not null,
  document_id uuid not null,
  page integer check (page > 0), -- in documents with pages
  share real not null default 0 check (share between 0 and 1), -- of the whole length
  updated_at timestamptz not null default now(),
  primary key (user_id, document_id),
  foreign key (document_id, library_id) references public.documents (id, library_id) on delete cascade
);

create index reading_positions_document_id_idx on public.reading_positions (document_id);
create index reading_positions_library_id_idx on public.reading_positions (library_id);
create index reading_positions_recent_idx on public.reading_positions (user_id, updated_at desc);

grant select, delete, insert (library_id, document_id, page, share), update (library_id, document_id, page, share)
  on public.reading_positions to authenticated;

create policy "readers keep their own place" on public.reading_positions for all to authenticated
  using (user_id = (select auth.uid()) and library_id in (select private.library_ids('guest')))
  with check (
    user_id = (select auth.uid()) and library_id in (select private.library_ids('guest'))
    and exists (select from public.documents d where d.id = document_id)
  );
create trigger touch_updated_at before update on public.reading_positions
  for each row execute function private.touch_updated_at();

/* Records that the caller has opened a document; their progress stays. */
create function public.open_document(document uuid) returns void
  language sql set search_path = ''
as $$
  insert into public.reading_positions (library_id, document_id)
    select d.library_id, d.id from public.documents d where d.id = open_document.document and d.deleted_at is null
  on conflict (user_id, document_id) do update set library_id = excluded.library_id
$$;
grant execute on function public.open_document to authenticated;

/* Returns the documents that the caller opened last, latest first. */
create function public.recent_documents(max_results integer default 8)
  returns table (
    library_id uuid, library_name text, document_id uuid, title text, kind public.document_kind, mime_type text, page_count integer,
    cover_path text, page integer, share real, opened_at timestamptz
  )
  language sql stable set search_path = ''
as $$
  select d.library_id, l.name, d.id, d.title, d.kind, d.mime_type, d.page_count, v.cover_path, p.page, p.share, p.updated_at
  from (
    select r.* from public.reading_positions r where r.user_id = (select auth.uid()) order by r.updated_at desc limit 100
  ) p
  join public.documents d on d.id = p.document_id and d.deleted_at is null
  join public.libraries l on l.id = d.library_id
  left join public.versions v on v.id = d.current_version_id
  order by p.updated_at desc
  limit least(greatest(max_results, 1), 50)
$$;
grant execute on function public.recent_documents to authenticated;

/* Returns a library's most opened documents and their average progress, for members. Runs as its owner to count everyone's progress. */
create function public.most_read(library uuid, max_results integer default 10)
  returns table (document_id uuid, title text, kind public.document_kind, readers integer, share real, last_read timestamptz)
  language sql stable security definer set search_path = ''
as $$
  select d.id, d.title, d.kind, count(*)::integer, avg(r.share)::real, max(r.updated_at)
  from public.reading_positions r join public.documents d on d.id = r.document_id
  where d.library_id = most_read.library and d.deleted_at is null and most_read.library in (select private.library_ids())
  group by d.id
  order by count(*) desc, max(r.updated_at) desc
  limit least(greatest(max_results, 1), 50)
$$;
grant execute on function public.most_read to authenticated;
