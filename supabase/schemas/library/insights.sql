-- Statistics of a library.

-- Returns library statistics, counted with the caller's rights, so that they reveal no more than the lists do.
create function public.library_insights(library uuid) returns jsonb
  language sql stable set search_path = ''
as $$
  with shelf as materialized (
    select kind, state, size_bytes, page_count, created_at from public.documents where library_id = library and deleted_at is null
  )
  select jsonb_build_object(
    'documents', (select count(*) from shelf),
    'passages', (select count(*) from public.passages where library_id = library),
    'members', (select count(*) from public.members where library_id = library),
    'bytes', (select coalesce(sum(size_bytes), 0) from shelf),
    'pages', (select coalesce(sum(page_count), 0) from shelf),
    'kinds', (select coalesce(jsonb_object_agg(kind, n), '{}') from (select kind, count(*) as n from shelf group by kind) k),
    'states', (select coalesce(jsonb_object_agg(state, n), '{}') from (select state, count(*) as n from shelf group by state) s),
    -- Passages by embedding model: tells the app which vectors a query needs.
    'models', (
      select coalesce(jsonb_object_agg(embedding_model, n), '{}')
      from (select embedding_model, count(*) as n from public.passages where library_id = library group by embedding_model) m),
    'weeks', (
      select coalesce(jsonb_agg(jsonb_build_object('week', week, 'documents', n) order by week), '[]')
      from (select date_trunc('week', created_at)::date as week, count(*) as n from shelf group by 1) w)
  )
  from public.libraries where id = library
$$;
grant execute on function public.library_insights to authenticated;
