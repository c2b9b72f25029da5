-- Saved searches and their news.

create table public.saved_searches (
  id uuid primary key default gen_random_uuid(),
  library_id uuid not null references public.libraries on delete cascade,
  user_id uuid not null default auth.uid() references public.profiles on delete cascade,
  name text not null check (trim(name) <> '' and char_length(name) <= 120),
  query text not null default '' check (char_length(query) <= 1000),
  filters jsonb not null default '{}' check (jsonb_typeof(filters) = 'object' and octet_length(filters::text) <= 10000),
  created_at timestamptz not null default now(),
  looked_at timestamptz not null default now(),
  -- Up to when the database has run a saved search. `looked_at` is up to when the person has seen its results.
  checked_at timestamptz not null default now()
);

create index saved_searches_user_id_idx on public.saved_searches (user_id, library_id);
create index saved_searches_library_id_idx on public.saved_searches (library_id);
create index saved_searches_checked_at_idx on public.saved_searches (checked_at);

grant select, delete, insert (id, library_id, name, query, filters), update (name, query, filters, looked_at)
  on public.saved_searches to authenticated;

create policy "members keep their own searches" on public.saved_searches for all to authenticated
  using (user_id = (select auth.uid()) and library_id in (select private.library_ids()))
  with check (user_id = (select auth.uid()) and library_id in (select private.library_ids()));

/* Counts each saved search's new passages since the last look, up to 100. Without news it costs one index lookup; otherwise it searches the
   latest 300 documents with new passages. Days are in the given time zone. */
create function public.saved_search_news(library uuid, zone text default 'UTC')
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
      filters => jsonb_build_object('saved', s.filters, 'zone', saved_search_news.zone, 'documents', news.ids)) hit
    join public.passages p on p.id = hit.passage_id
    where news.ids is not null and p.created_at > s.looked_at
  ), 0)
  from public.saved_searches s where s.library_id = library
$$;
grant execute on function public.saved_search_news to authenticated;

/* Marks a search as seen up to the newest passage. Not up to now(): open transactions and hidden passages are news when they appear.
   Why a definer: users can't see hidden passages. */
create function private.mark_search_seen() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  if (select auth.uid()) is null then return new; end if;
  select greatest(old.looked_at, least(
      max(p.created_at) filter (where p.reading_id <> all (hidden.ids)),
      min(p.created_at) filter (where p.reading_id = any (hidden.ids)) - interval '1 microsecond'))
    into new.looked_at
    from public.passages p, (select array(select private.unfinished_readings()) as ids) hidden where p.library_id = new.library_id;
  return new;
end
$$;
create trigger mark_search_seen before update of looked_at on public.saved_searches
  for each row execute function private.mark_search_seen();

/* Marks a saved search's results as seen. Applies the caller's rights. */
create function public.mark_search_seen(search uuid) returns void
  language sql set search_path = ''
as $$ update public.saved_searches s set looked_at = now() where s.id = search $$;
grant execute on function public.mark_search_seen to authenticated;

/* Runs saved searches on new passages, longest waiting first: at most `most`, for two seconds. A person's own documents aren't news.
   Notifications from libraries that require a second factor are hidden until it is given. */
create function private.notify_of_hits(most integer default 50) returns void
  language plpgsql set search_path = ''
as $$
declare
  hidden constant integer[] := array(select private.unfinished_readings());
  until constant timestamptz := clock_timestamp() + interval '2 seconds';
  asked record;
  hits integer;
  earlier integer;
begin
  for asked in
    with newest as materialized (
      -- Hidden passages are news when they appear, so the mark stops before them.
      select l.library_id, least(
        (select p.created_at from public.passages p where p.library_id = l.library_id and p.reading_id <> all (hidden)
          order by p.created_at desc limit 1),
        (select min(p.created_at) from public.passages p where p.library_id = l.library_id and p.reading_id = any (hidden))
          - interval '1 microsecond') as up_to
      from (select distinct s.library_id from public.saved_searches s) l
    )
    select s.id, s.library_id, s.user_id, s.query, s.filters, greatest(s.checked_at, s.looked_at) as since, n.up_to,
      (select m.time_zone from public.notification_settings m where m.user_id = s.user_id) as zone
    from public.saved_searches s join newest n on n.library_id = s.library_id
    where s.checked_at < n.up_to
    order by s.checked_at, s.id limit most for update of s skip locked
  loop
    hits := 0;
    begin
      perform set_config('request.jwt.claims',
        jsonb_build_object('sub', asked.user_id, 'role', 'authenticated', 'aal', 'aal2')::text, true);
      select count(*)::integer into hits
      from (
        select jsonb_agg(d.document_id) as ids from (
          select p.document_id from public.passages p join public.versions v on v.id = p.version_id
          where p.library_id = asked.library_id and p.created_at > asked.since and p.created_at <= asked.up_to
            and v.created_by is distinct from asked.user_id
          group by p.document_id order by max(p.created_at) desc limit 300) d
      ) news
      cross join lateral public.search_passages(asked.library_id, asked.query, max_results => 100,
        filters => jsonb_build_object('saved', asked.filters, 'zone', asked.zone, 'documents', news.ids)) hit
      join public.passages p on p.id = hit.passage_id
      where news.ids is not null and p.created_at > asked.since;
    exception when others then
      -- A client may have saved invalid filters.
      raise warning 'saved search %: %', asked.id, sqlerrm;
    end;
    perform set_config('request.jwt.claims', '', true);
    update public.saved_searches s set checked_at = asked.up_to where s.id = asked.id;
    if hits > 0 then
      with replaced as (
        delete from public.notifications n where n.search_id = asked.id and n.read_at is null returning n.amount
      )
      select coalesce(sum(r.amount), 0)::integer into earlier from replaced r;
      insert into public.notifications (user_id, kind, library_id, search_id, amount)
        values (asked.user_id, 'search', asked.library_id, asked.id, least(hits + earlier, 100));
    end if;
    exit when clock_timestamp() > until;
  end loop;
end
$$;

-- Viewing a saved search's results marks its notifications as read.
create function private.read_hits() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  update public.notifications n set read_at = now() where n.search_id = new.id and n.read_at is null;
  return null;
end
$$;
create trigger read_hits after update of looked_at on public.saved_searches
  for each row when (new.looked_at > old.looked_at) execute function private.read_hits();
