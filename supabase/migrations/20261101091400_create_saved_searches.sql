-- A search someone wants to ask again; each person's own
create table public.saved_searches (
  id uuid primary key default gen_random_uuid(),
  library_id uuid not null references public.libraries on delete cascade,
  user_id uuid not null default auth.uid() references public.profiles on delete cascade,
  name text not null check (char_length(trim(name)) between 1 and 120),
  query text not null default '' check (char_length(query) <= 1000),
  filters jsonb not null default '{}' check (jsonb_typeof(filters) = 'object' and octet_length(filters::text) <= 10000),
  created_at timestamptz not null default now()
);
create index saved_searches_user_id_idx on public.saved_searches (user_id, library_id);
create index saved_searches_library_id_idx on public.saved_searches (library_id);

alter table public.saved_searches enable row level security;
grant select, delete, insert (id, library_id, name, query, filters), update (name, query, filters)
  on public.saved_searches to authenticated;
grant all on public.saved_searches to service_role;
create policy "members keep their own searches" on public.saved_searches for all to authenticated
  using (user_id = (select auth.uid()) and library_id in (select private.library_ids()))
  with check (user_id = (select auth.uid()) and library_id in (select private.library_ids()));
