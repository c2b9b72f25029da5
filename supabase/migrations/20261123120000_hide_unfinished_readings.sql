-- The passages of a long document are stored in several transactions. Until the last of them nobody sees the new passages: the old ones
-- serve

/* Which storing of a document made a passage; 0 where a single transaction did. The passages of a storing that has not ended are
   hidden: their number is that of a run. When the run's row is deleted, all of them appear at once. */
create sequence private.reading_ids as integer;
alter table private.ingestion_runs
  add column reading_id integer,
  add column stored integer not null default 0; -- how many passages it has stored so far
create index ingestion_runs_reading_id_idx on private.ingestion_runs (reading_id) where reading_id is not null;
alter table public.passages add column reading_id integer not null default 0;
-- The new passages of a version come beside those that an earlier reading of the same version made.
alter table public.passages drop constraint passages_version_id_ordinal_key;
alter table public.passages add constraint passages_version_id_ordinal_key
  unique (version_id, reading_id, ordinal) deferrable initially deferred;

create function private.unfinished_readings() returns setof integer
  language sql stable security definer set search_path = '' rows 2
as $$ select r.reading_id from private.ingestion_runs r where r.reading_id is not null $$;
grant execute on function private.unfinished_readings to authenticated, service_role;
alter policy "members see passages of documents they see" on public.passages
  using (library_id in (select private.library_ids('guest')) and reading_id <> all (array(select private.unfinished_readings()))
    and exists (select from public.documents d where d.id = document_id));

/* Search finds what is in passage_terms, so what is hidden is left out there. */
alter table private.passage_terms rename to all_passage_terms;
alter table private.all_passage_terms add column reading_id integer not null default 0;
create view private.passage_terms as
  select passage_id, document_id, length, terms, counts from private.all_passage_terms
  where reading_id <> all (array(select r.reading_id from private.ingestion_runs r where r.reading_id is not null));

/* As before, but without hidden passages. */
create or replace function private.anchor_comments(document uuid) returns void
  language sql security definer set search_path = ''
as $$
  update public.comments c set passage_id = found.id, page = found.page
  from public.comments lost, lateral (
    select p.id, p.page from public.passages p
    where p.document_id = lost.document_id and p.reading_id <> all (array(select private.unfinished_readings()))
      and position(left(private.letters(lost.quote), 120) in private.letters(p.content)) > 0
    order by abs(coalesce(p.page, 0) - coalesce(lost.page, 0)), p.ordinal limit 1
  ) found
  where c.id = lost.id and lost.document_id = document and lost.passage_id is null and private.letters(lost.quote) <> ''
$$;
create or replace function public.open_share_link(token text)
  returns table (title text, kind public.document_kind, mime_type text, url text, body text, passages jsonb, updated_at timestamptz)
  language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  link public.share_links;
begin
  update public.share_links s set view_count = s.view_count + 1
  from public.documents d
  where s.token_hash = private.hash_token(open_share_link.token) and s.revoked_at is null
    and (s.expires_at is null or s.expires_at > now()) and d.id = s.document_id and d.deleted_at is null
    and not exists (select from public.libraries l where l.id = s.library_id and l.require_second_factor)
  returning s.* into link;
  if not found then return; end if;
  return query
    select d.title, d.kind, v.mime_type, d.url, v.body, (
        select coalesce(jsonb_agg(jsonb_build_object('page', p.page, 'heading', p.heading, 'content', p.content) order by p.ordinal), '[]')
        from public.passages p
        where p.version_id = v.id and v.body is null and p.reading_id <> all (array(select private.unfinished_readings()))
      ), d.updated_at
    from public.documents d left join public.versions v on v.id = d.current_version_id
    where d.id = link.document_id;
end
$$;
/* As before. Passages that are hidden now are older than the newest one when they appear: they are news all the same. */
create or replace function public.look_at_search(search uuid) returns void
  language sql security definer set search_path = ''
as $$
  update public.saved_searches s
  set looked_at = greatest(s.looked_at, (
    select least(
      max(p.created_at) filter (where p.reading_id <> all (hidden.ids)),
      min(p.created_at) filter (where p.reading_id = any (hidden.ids)) - interval '1 microsecond')
    from public.passages p, (select array(select private.unfinished_readings()) as ids) hidden where p.library_id = s.library_id))
  where s.id = search and s.user_id = (select auth.uid()) and s.library_id in (select private.library_ids())
$$;
/* The library's documents nearest to this one: each of its first passages votes for the passages nearest to it. Runs as its
   owner for the vector index; asks for membership itself. */
create or replace function public.related_documents(document uuid, max_results integer default 6)
  returns table (document_id uuid, title text, kind public.document_kind, similarity real)
  language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  library uuid;
  is_member boolean; -- or else a guest
  hidden constant integer[] := array(select private.unfinished_readings());
begin
  select d.library_id, d.library_id in (select private.library_ids()) into library, is_member
  from public.documents d where d.id = document and d.deleted_at is null;
  if is_member is not true then
    perform from public.documents d where d.id = document and d.collection_id in (select private.granted_collections());
    if not found then return; end if;
  end if;
  perform set_config('hnsw.iterative_scan', 'strict_order', true), set_config('hnsw.ef_search', '200', true);
  return query
    with own as (
      select p.embedding, p.embedding_model from public.passages p
      where p.document_id = document and p.reading_id <> all (hidden) order by p.ordinal limit 12
    ), neighbours as (
      select n.document_id, n.distance from own, lateral (
        select p.document_id, p.embedding operator(extensions.<=>) own.embedding as distance from public.passages p
        where p.library_id = library and p.document_id <> document and p.embedding_model = own.embedding_model
          and p.reading_id <> all (hidden)
        order by p.embedding operator(extensions.<=>) own.embedding limit 10
      ) n
    ), votes as (
      select n.document_id, sum(1 - n.distance) as weight, max(1 - n.distance)::real as similarity
      from neighbours n group by n.document_id
    )
    select d.id, d.title, d.kind, v.similarity from votes v
    join public.documents d on d.id = v.document_id and d.deleted_at is null
      and (is_member or d.collection_id in (select private.granted_collections()))
    order by v.weight desc, d.id limit least(greatest(max_results, 1), 50);
end
$$;
