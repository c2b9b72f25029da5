/* The documents of a library that most people have opened, and how far they came on average. Runs as its owner to count over
   everybody's places, of which only the numbers leave; members only. */
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
