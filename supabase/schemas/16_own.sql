-- Private data of each person (reading progress, questions, saved searches, favorites) and library statistics.

-- A person's saved searches
create table public.saved_searches (
  id uuid primary key default gen_random_uuid(),
  library_id uuid not null references public.libraries on delete cascade,
  user_id uuid not null default auth.uid() references public.profiles on delete cascade,
  name text not null check (char_length(trim(name)) between 1 and 120),
  query text not null default '' check (char_length(query) <= 1000),
  filters jsonb not null default '{}' check (jsonb_typeof(filters) = 'object' and octet_length(filters::text) <= 10000),
  created_at timestamptz not null default now(),
  looked_at timestamptz not null default now(),
  -- Up to when the database has run a saved search. `looked_at` is up to when the person has seen its results.
  checked_at timestamptz not null default now(),
  check (char_length(name) <= 120)
);

create index saved_searches_user_id_idx on public.saved_searches (user_id, library_id);
create index saved_searches_library_id_idx on public.saved_searches (library_id);
create index saved_searches_checked_at_idx on public.saved_searches (checked_at);

alter table public.saved_searches enable row level security;
grant select, delete, insert (id, library_id, name, query, filters), update (name, query, filters, looked_at)
  on public.saved_searches to authenticated;
grant all on public.saved_searches to service_role;

create policy "members keep their own searches" on public.saved_searches for all to authenticated
  using (user_id = (select auth.uid()) and library_id in (select private.library_ids()))
  with check (user_id = (select auth.uid()) and library_id in (select private.library_ids()));

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

alter table public.reading_positions enable row level security;
grant select, delete, insert (library_id, document_id, page, share), update (library_id, document_id, page, share)
  on public.reading_positions to authenticated;
grant all on public.reading_positions to service_role;

create policy "readers keep their own place" on public.reading_positions for all to authenticated
  using (user_id = (select auth.uid()) and library_id in (select private.library_ids('guest')))
  with check (
    user_id = (select auth.uid()) and library_id in (select private.library_ids('guest'))
    and exists (select from public.documents d where d.id = document_id)
  );
create trigger touch_updated_at before update on public.reading_positions
  for each row execute function private.touch_updated_at();

-- A person's questions to a library and its answers; private, and only for members
create table public.conversations (
  id uuid primary key default gen_random_uuid(),
  library_id uuid not null references public.libraries on delete cascade,
  user_id uuid not null default auth.uid() references public.profiles on delete cascade,
  title text not null check (char_length(trim(title)) between 1 and 300),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check (char_length(title) <= 300)
);

create index conversations_user_id_idx on public.conversations (user_id, library_id, updated_at desc);
create index conversations_library_id_idx on public.conversations (library_id);

alter table public.conversations enable row level security;
grant select, delete, insert (id, library_id, title), update (title) on public.conversations to authenticated;
grant all on public.conversations to service_role;

create policy "members keep their own conversations" on public.conversations for all to authenticated
  using (user_id = (select auth.uid()) and library_id in (select private.library_ids()))
  with check (user_id = (select auth.uid()) and library_id in (select private.library_ids()));

create table public.questions (
  id uuid primary key default gen_random_uuid(),
  conversation_id uuid not null references public.conversations on delete cascade,
  question text not null check (char_length(trim(question)) between 1 and 1000),
  -- { outcome, model, sentences: [{ text, cites }], citations: [{ n, passage_id, document_id, title, page, heading, quote }] }
  answer jsonb not null check (jsonb_typeof(answer) = 'object' and octet_length(answer::text) <= 200000),
  created_at timestamptz not null default now(),
  check (char_length(question) <= 1000)
);

create index questions_conversation_id_idx on public.questions (conversation_id, created_at);

alter table public.questions enable row level security;
grant select, delete, insert (id, conversation_id, question, answer) on public.questions to authenticated;
grant all on public.questions to service_role;

create policy "members keep the questions of their conversations" on public.questions for all to authenticated
  using (exists (select from public.conversations c where c.id = conversation_id))
  with check (exists (select from public.conversations c where c.id = conversation_id));

-- Why a definer: users can't write the time of a conversation's last question.
create function private.touch_conversation() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  update public.conversations set updated_at = now() where id = new.conversation_id;
  return null;
end
$$;
create trigger touch_conversation after insert on public.questions
  for each row execute function private.touch_conversation();

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
create function private.look_at_search() returns trigger
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
create trigger look_at_search before update of looked_at on public.saved_searches
  for each row execute function private.look_at_search();

/* Marks a saved search's results as seen. Applies the caller's rights. */
create function public.look_at_search(search uuid) returns void
  language sql set search_path = ''
as $$ update public.saved_searches s set looked_at = now() where s.id = search $$;
grant execute on function public.look_at_search to authenticated;

-- A person's favorite documents and collections, in their own order; private
create table public.favorites (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references public.profiles on delete cascade,
  library_id uuid not null references public.libraries on delete cascade,
  document_id uuid,
  collection_id uuid,
  -- Written by move_favorite. New favorites are at the end.
  position integer not null default 1000000,
  created_at timestamptz not null default now(),
  check (num_nonnulls(document_id, collection_id) = 1),
  unique (user_id, document_id),
  unique (user_id, collection_id),
  foreign key (document_id, library_id) references public.documents (id, library_id) on delete cascade,
  foreign key (collection_id, library_id) references public.collections (id, library_id) on delete cascade
);

create index favorites_document_id_idx on public.favorites (document_id, library_id);
create index favorites_collection_id_idx on public.favorites (collection_id, library_id);
create index favorites_library_id_idx on public.favorites (library_id);

alter table public.favorites enable row level security;
grant select, delete, insert (id, library_id, document_id, collection_id), update (position) on public.favorites to authenticated;
grant all on public.favorites to service_role;

create policy "people see favorites of what they see" on public.favorites for select to authenticated
  using (
    user_id = (select auth.uid()) and library_id in (select private.library_ids('guest'))
    and (document_id is null or exists (select from public.documents d where d.id = document_id and d.deleted_at is null offset 0))
    and (collection_id is null or exists (select from public.collections c where c.id = collection_id offset 0))
  );
create policy "people star what they see" on public.favorites for insert to authenticated
  with check (
    user_id = (select auth.uid()) and library_id in (select private.library_ids('guest'))
    and (document_id is null or exists (select from public.documents d where d.id = document_id and d.deleted_at is null))
    and (collection_id is null or exists (select from public.collections c where c.id = collection_id))
  );
create policy "people remove their own favorites" on public.favorites for delete to authenticated
  using (user_id = (select auth.uid()));

create policy "people order their own favorites" on public.favorites for update to authenticated
  using (user_id = (select auth.uid()));

-- Why a definer: favorites of documents that the person can't see right now count, too.
create function private.guard_favorites() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  if (select count(*) from public.favorites f where f.user_id = new.user_id) >= 500 then
    perform private.refuse('too_many_favorites');
  end if;
  return new;
end
$$;
create trigger guard_favorites before insert on public.favorites
  for each row execute function private.guard_favorites();

/* Moves one of the caller's favorites before another; to the end without `before`. Applies the caller's rights. */
create function public.move_favorite(favorite uuid, before uuid default null) returns void
  language sql set search_path = ''
as $$
  with others as (
    select f.id, row_number() over (order by f.position, f.created_at, f.id)::double precision as place
    from public.favorites f where f.user_id = (select auth.uid()) and f.id <> favorite
  ), placed as (
    select o.id, o.place from others o
    union all
    select favorite, coalesce((select o.place - 0.5 from others o where o.id = before), 'infinity')
  ), numbered as (
    select p.id, row_number() over (order by p.place) as position from placed p
  )
  update public.favorites f set position = n.position
  from numbered n where f.id = n.id and f.user_id = (select auth.uid()) and f.position <> n.position
$$;
grant execute on function public.move_favorite to authenticated;

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
