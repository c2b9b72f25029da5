-- A piece of a document with its page and heading: the unit that search finds and that comments and citations point to
create table public.passages (
  -- Made from version, content and occurrence (see store_passages): a second extraction gives the same passage the same id.
  id uuid primary key,
  library_id uuid not null,
  document_id uuid not null,
  version_id uuid not null references public.versions on delete cascade,
  ordinal integer not null check (ordinal >= 0),
  page integer check (page > 0),
  heading text check (char_length(heading) <= 500),
  -- Where it stands in the extracted text: UTF-16 units, in a PDF counted from the start of its page.
  start_offset integer not null check (start_offset >= 0),
  end_offset integer not null check (end_offset >= start_offset),
  content text not null check (char_length(content) between 1 and 8000),
  content_hash text not null, -- SHA-256 of the content
  -- English finds inflected words, 'simple' finds every word of every other language as it is written.
  search tsvector not null generated always as (
    setweight(to_tsvector('pg_catalog.english', coalesce(heading, '')), 'A')
    || to_tsvector('pg_catalog.english', content)
    || to_tsvector('pg_catalog.simple', content)
  ) stored,
  embedding extensions.vector(384) not null,
  embedding_model text not null check (char_length(embedding_model) between 1 and 80),
  created_at timestamptz not null default now(),
  unique (id, document_id),
  foreign key (document_id, library_id) references public.documents (id, library_id) on delete cascade,
  -- Deferred: while a version is extracted again, passages trade places.
  unique (version_id, ordinal) deferrable initially deferred
);
-- In the row and uncompressed: a search reads the vectors of many rows and little else of them.
alter table public.passages alter column embedding set storage plain;
create index passages_document_id_idx on public.passages (document_id, ordinal);
create index passages_library_id_idx on public.passages (library_id, embedding_model);
create index passages_search_idx on public.passages using gin (search);
create index passages_embedding_idx on public.passages using hnsw (embedding extensions.vector_cosine_ops);

alter table public.passages enable row level security;
grant select on public.passages to authenticated; -- written by store_passages alone
grant all on public.passages to service_role;
create policy "members see passages of documents they see" on public.passages for select to authenticated
  using (library_id in (select private.library_ids('guest')) and exists (select from public.documents d where d.id = document_id));

/* Stands in for a language model where none can be had: stems and the letter triples within them, hashed with a sign into
   384 dimensions, length 1. Texts that share words, or words with a common root, lie close; meaning beyond that is not in it.
   Stored as model 'lexical-384-v1'; any change here needs a new name, because only vectors of one model may be compared.
   md5 rather than hashtext(): its result is the same on every version and machine. */
create function private.lexical_embedding(content text) returns extensions.vector
  language sql immutable strict parallel safe set search_path = ''
as $$
  with stems as (
    select lexeme, 1 + ln(cardinality(positions)) as weight from unnest(to_tsvector('pg_catalog.english', content))
  ), features as (
    select lexeme as feature, weight from stems
    union all
    select substr('^' || lexeme || '$', i, 3), weight / (1 + char_length(lexeme))
    from stems, generate_series(1, char_length(lexeme)) i
  ), hashed as (
    select ('x' || left(md5(feature), 8))::bit(32)::integer as hash, weight from features
  ), dimensions as (
    select (hash & 2147483647) % 384 as dimension, sum(weight * sign(hash)) as weight from hashed group by 1
  )
  select extensions.l2_normalize(
    array(select coalesce(d.weight, 0) from generate_series(0, 383) g left join dimensions d on d.dimension = g order by g)
    ::extensions.vector(384))
$$;
grant execute on function private.lexical_embedding to service_role;

-- When a run last gave a sign of life; private because it is nobody's business but that of the functions below.
create table private.ingestion_runs (
  document_id uuid primary key references public.documents on delete cascade,
  reported_at timestamptz not null
);
alter table private.ingestion_runs enable row level security;

/* Claims a document for ingestion and says what to read. The caller must be an editor: for everyone else the answer is
   no row, as if the document were not there. While another run is at work (it reports at least every two minutes) the
   state comes back as it is, with `claimed` false. */
create function public.begin_ingestion(document uuid)
  returns table (
    claimed boolean, library_id uuid, version_id uuid, kind public.document_kind, storage_path text, body text,
    file_name text, mime_type text, state public.ingestion_state
  )
  language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  found_document public.documents;
  free boolean;
begin
  select * into found_document from public.documents d
  where d.id = document and d.deleted_at is null and d.current_version_id is not null
    and (d.library_id in (select private.library_ids('editor')) or d.collection_id in (select private.granted_collections('editor')))
  for no key update;
  if not found then return; end if;
  free := found_document.state not in ('extracting', 'embedding')
    or coalesce((select max(r.reported_at) from private.ingestion_runs r where r.document_id = document), '-infinity')
       < now() - interval '2 minutes';
  if free then
    insert into private.ingestion_runs (document_id, reported_at) values (document, now())
      on conflict (document_id) do update set reported_at = now();
    update public.documents set state = 'extracting', state_message = null, progress = 0 where id = document;
  end if;
  return query
    select free, v.library_id, v.id, found_document.kind, v.storage_path, v.body, v.file_name, v.mime_type,
      case when free then 'extracting' else found_document.state end
    from public.versions v where v.id = found_document.current_version_id;
end
$$;
-- A run's sign of life, or its end in failure. Ignored once a newer version is current: that one has its own run.
create function public.report_ingestion(
  version uuid, state public.ingestion_state, progress integer default 0, message text default null
) returns void
  language plpgsql security definer set search_path = ''
as $$
begin
  update private.ingestion_runs r set reported_at = now()
    from public.versions v where v.id = version and r.document_id = v.document_id;
  update public.documents d set
    state = report_ingestion.state, progress = least(greatest(report_ingestion.progress, 0), 100), state_message = message
  where d.current_version_id = version;
end
$$;

/* Claims a link for fetching, as begin_ingestion claims what is stored already: no row unless the caller is an editor,
   `claimed` false while another run is at work. */
create function public.begin_unfurl(document uuid) returns table (claimed boolean, library_id uuid, url text, title text)
  language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  link public.documents;
  free boolean;
begin
  select * into link from public.documents d
  where d.id = document and d.deleted_at is null and d.kind = 'link'
    and (d.library_id in (select private.library_ids('editor')) or d.collection_id in (select private.granted_collections('editor')))
  for no key update;
  if not found then return; end if;
  free := link.state not in ('extracting', 'embedding')
    or coalesce((select max(r.reported_at) from private.ingestion_runs r where r.document_id = document), '-infinity')
       < now() - interval '2 minutes';
  if free then
    insert into private.ingestion_runs (document_id, reported_at) values (document, now())
      on conflict (document_id) do update set reported_at = now();
    update public.documents set state = 'extracting', state_message = null, progress = 0 where id = document;
  end if;
  return query select free, link.library_id, link.url, link.title;
end
$$;

-- A text without what differs between two readings of the same words: spaces, signs, case.
create function private.letters(content text) returns text
  language sql immutable strict parallel safe set search_path = ''
as $$ select lower(regexp_replace(content, '[^[:alnum:]]+', '', 'g')) $$;

/* Puts a version's passages in place of all that the document had, in one transaction: a reader sees the old ones or the
   new ones. A passage without an embedding gets the lexical one; `model` names the model of the others. `mime` is what the
   content turned out to be, whatever the upload called it; `rendition` the place of its readable copy; width and height an
   image's, in pixels.
   passages: [{ page, heading, start, end, content, embedding }] in reading order. Returns how many there are, or null when
   a newer version has become current meanwhile: its own run replaces the passages. */
create function public.store_passages(
  version uuid, passages jsonb, model text default null, pages integer default null, mime text default null,
  rendition text default null, width integer default null, height integer default null
) returns integer
  language plpgsql security definer set search_path = ''
as $$
declare
  target public.versions;
  stored integer;
begin
  select v.* into target from public.versions v where v.id = version;
  perform from public.documents d where d.id = target.document_id and d.current_version_id = version for no key update;
  if not found then return null; end if;

  with incoming as (
    select e.ordinality::integer - 1 as ordinal, p.*,
      encode(sha256(convert_to(p.content, 'UTF8')), 'hex') as hash
    from jsonb_array_elements(passages) with ordinality e,
      jsonb_to_record(e.value) as p (page integer, heading text, "start" integer, "end" integer, content text, embedding text)
  ), numbered as (
    select *, row_number() over (partition by hash order by ordinal) as occurrence from incoming
  ), kept as (
    insert into public.passages (
      id, library_id, document_id, version_id, ordinal, page, heading, start_offset, end_offset, content, content_hash,
      embedding, embedding_model)
    select md5(version || hash || occurrence)::uuid, target.library_id, target.document_id, version, ordinal, page,
      left(heading, 500), "start", "end", content, hash,
      coalesce(embedding::extensions.vector(384), private.lexical_embedding(coalesce(heading || E'\n', '') || content)),
      case when embedding is null then 'lexical-384-v1' else model end
    from numbered
    on conflict (id) do update set
      ordinal = excluded.ordinal, page = excluded.page, heading = excluded.heading, start_offset = excluded.start_offset,
      end_offset = excluded.end_offset, embedding = excluded.embedding, embedding_model = excluded.embedding_model
    returning id
  )
  delete from public.passages where document_id = target.document_id and id not in (select id from kept);

  select count(*) into stored from public.passages p where p.version_id = version;
  update public.versions v set
    page_count = pages, mime_type = coalesce(mime, mime_type), rendition_path = coalesce(rendition, rendition_path),
    width = store_passages.width, height = store_passages.height
  where v.id = version;
  update public.documents d set
    state = 'ready', state_message = null, progress = 100, page_count = pages, mime_type = coalesce(mime, mime_type),
    width = store_passages.width, height = store_passages.height
  where d.id = target.document_id;
  perform private.anchor_comments(target.document_id);
  delete from private.ingestion_runs where document_id = target.document_id;
  return stored;
end
$$;
grant execute on function public.begin_ingestion, public.begin_unfurl to authenticated;
grant execute on function public.report_ingestion, public.store_passages to service_role;
