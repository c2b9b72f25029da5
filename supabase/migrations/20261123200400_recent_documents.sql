-- The documents that a person has opened last, in all their libraries
create index reading_positions_recent_idx on public.reading_positions (user_id, updated_at desc);

/* Notes that the caller has opened a document; how far they have read it stays. */
create function public.open_document(document uuid) returns void
  language sql set search_path = ''
as $$
  insert into public.reading_positions (library_id, document_id)
    select d.library_id, d.id from public.documents d where d.id = open_document.document and d.deleted_at is null
  on conflict (user_id, document_id) do update set library_id = excluded.library_id
$$;

/* The documents that the caller has opened last, the latest first. */
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
grant execute on function public.open_document, public.recent_documents to authenticated;
