-- Saved searches tell how much they would find that was not there when somebody last looked
alter table public.saved_searches add column looked_at timestamptz not null default now();
create index passages_created_at_idx on public.passages (library_id, created_at);

/* How many passages each of the caller's saved searches of a library finds that are newer than the last look: 100 stands for 100
   and more. A search without news costs one look into an index; the others search only the documents with new passages, the
   latest 300 of them.

   filters  those of search_passages for each saved search, by its id: { "<id>": { … } }. */
create function public.saved_search_news(library uuid, filters jsonb default '{}')
  returns table (search_id uuid, passages integer)
  language sql stable set search_path = ''
as $$
  select s.id, coalesce((
    select count(*)::integer
    from (
      select jsonb_agg(d.document_id) as ids from (
        select p.document_id from public.passages p
        where p.library_id = s.library_id and p.created_at > s.looked_at
        group by p.document_id order by max(p.created_at) desc limit 300) d
    ) news
    cross join lateral public.search_passages(s.library_id, s.query, max_results => 100,
      filters => coalesce(saved_search_news.filters -> s.id::text, '{}') || jsonb_build_object('documents', news.ids)) hit
    join public.passages p on p.id = hit.passage_id
    where news.ids is not null and p.created_at > s.looked_at
  ), 0)
  from public.saved_searches s where s.library_id = library
$$;

/* Notes that the caller has looked at what a saved search finds: nothing that is there now is news any more. The newest passage
   counts and not the clock: what an unfinished transaction adds is news when it is there.
   Runs as its owner: nobody sets the time themselves. */
create function public.look_at_search(search uuid) returns void
  language sql security definer set search_path = ''
as $$
  update public.saved_searches s
  set looked_at = greatest(s.looked_at, (select max(p.created_at) from public.passages p where p.library_id = s.library_id))
  where s.id = search and s.user_id = (select auth.uid()) and s.library_id in (select private.library_ids())
$$;
grant execute on function public.saved_search_news, public.look_at_search to authenticated;
