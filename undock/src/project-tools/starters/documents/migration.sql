-- Documents with full-text search and an optional file. A document is private to its owner or shared with all signed-in users.

-- Buckets are private by default. The first folder of a file's path is its owner's id.
insert into storage.buckets (id, name, file_size_limit, allowed_mime_types)
values ('documents', 'documents', 10485760, array['application/pdf', 'text/plain', 'text/markdown']);

create table public.documents (
  id uuid primary key default gen_random_uuid(),
  owner_id uuid not null default auth.uid() references auth.users on delete cascade,
  title text not null check (char_length(title) between 1 and 300),
  body text not null default '' check (char_length(body) <= 500000),
  is_shared boolean not null default false,
  file_path text check (file_path like owner_id::text || '/%'),
  created_at timestamptz not null default now(),
  search tsvector not null generated always as (
    setweight(to_tsvector('english', title), 'A') || setweight(to_tsvector('english', body), 'B')) stored
);
comment on table public.documents is 'Texts that search_documents() finds.';
comment on column public.documents.file_path is 'The path of its file in the bucket "documents".';
comment on column public.documents.search is 'The words of title and body, for the index. Words of the title count more.';
create index documents_search_idx on public.documents using gin (search);
-- For policies, a user's list (newest first), and deleting users.
create index documents_owner_id_created_at_idx on public.documents (owner_id, created_at desc);

alter table public.documents enable row level security;
revoke all on public.documents from anon, authenticated;
grant select, insert, update, delete on public.documents to authenticated;

create policy "users read their documents and shared ones" on public.documents for select to authenticated
  using (is_shared or owner_id = (select auth.uid()));
create policy "owners add documents" on public.documents for insert to authenticated
  with check (owner_id = (select auth.uid()));
create policy "owners change their documents" on public.documents for update to authenticated
  using (owner_id = (select auth.uid()))
  with check (owner_id = (select auth.uid()));
create policy "owners delete their documents" on public.documents for delete to authenticated
  using (owner_id = (select auth.uid()));

-- Runs with the caller's rights, so policies apply. The query uses search engine syntax: words, "a phrase", or, -without. Creates excerpts
-- only for returned rows, because that's slow.
create function public.search_documents(query text) returns table (id uuid, title text, excerpt text, rank real)
language sql stable security invoker set search_path = ''
as $$
  select found.id, found.title,
    ts_headline('english', found.body, found.words, 'StartSel=**, StopSel=**, MaxFragments=2, MaxWords=20, MinWords=5'),
    found.rank
  from (
    select d.id, d.title, d.body, words, ts_rank(d.search, words) as rank
    from public.documents d, websearch_to_tsquery('english', query) as words
    where d.search @@ words
    order by rank desc, d.id
    limit 20) found
  order by found.rank desc, found.id
$$;
comment on function public.search_documents(text) is
  'The best 20 documents that the caller may read. Words that were found stand between ** in the excerpt.';
revoke execute on function public.search_documents(text) from public, anon;
grant execute on function public.search_documents(text) to authenticated;

create policy "owners read their files" on storage.objects for select to authenticated
  using (bucket_id = 'documents' and (storage.foldername(name))[1] = (select auth.uid())::text);
create policy "owners upload files" on storage.objects for insert to authenticated
  with check (bucket_id = 'documents' and (storage.foldername(name))[1] = (select auth.uid())::text);
create policy "owners replace their files" on storage.objects for update to authenticated
  using (bucket_id = 'documents' and (storage.foldername(name))[1] = (select auth.uid())::text)
  with check (bucket_id = 'documents' and (storage.foldername(name))[1] = (select auth.uid())::text);
create policy "owners delete their files" on storage.objects for delete to authenticated
  using (bucket_id = 'documents' and (storage.foldername(name))[1] = (select auth.uid())::text);
